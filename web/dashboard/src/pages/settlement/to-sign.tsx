import type { Settlement } from "../../api/records.ts";
import { Actor } from "../../parts/actor.tsx";
import type { ToSign } from "../../parts/signing/sign-dialog.tsx";

/** Undefined where no wallet of the shop has to sign. */
export function toSign(settlement: Settlement): ToSign | undefined {
  const { id, status, txHash, transaction, requestedBy, approvedBy } = settlement;
  if (status !== "approved" || txHash !== null || !transaction) return undefined;
  const { amount, currency, destinationAddress } = settlement;
  return {
    id,
    amount,
    currency,
    destinationAddress,
    transaction,
    path: `/v1/settlements/${id}/transaction`,
    about: (
      <>
        Settlement, requested by <Actor id={requestedBy} />, approved by <Actor id={approvedBy} />.
      </>
    ),
    toLabel: "To, of the address book",
  };
}
