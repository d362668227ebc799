import type { Refund, RefundItem } from "../../api/records.ts";
import { Actor } from "../../parts/actor.tsx";
import { shortenId } from "../../parts/id.tsx";
import type { ToSign } from "../../parts/signing/sign-dialog.tsx";
import { Time } from "../../parts/time.tsx";

const DESTINATIONS = {
  payer: "To, the wallet that paid",
  address_book: "To, of the address book",
  named: "To, a wallet that was named",
};

export function describeDestination(source: Refund["destinationSource"]): string {
  return source ? DESTINATIONS[source] : "To";
}

/** Fields that signing needs. */
export const SIGNED_FIELDS = [
  "currency",
  "destinationAddress",
  "destinationSource",
  "requestedBy",
  "reason",
  "submittedTxHash",
  "transaction",
];

function About({ refund }: { refund: Refund | RefundItem }) {
  const { paymentId = "", requestedBy, reason, createdAt } = refund;
  return (
    <>
      Refund of payment <span className="mono">{shortenId(paymentId)}</span>, asked for by{" "}
      <Actor id={requestedBy} />
      {createdAt && (
        <>
          , <Time at={createdAt} />
        </>
      )}
      {reason ? `: “${reason}”` : "."}
    </>
  );
}

/** Undefined where no wallet of the shop has to sign. */
export function toSign(refund: Refund | RefundItem): ToSign | undefined {
  const { id, status, amount, currency, destinationAddress, transaction } = refund;
  if (status !== "created" || refund.submittedTxHash) return undefined;
  if (!transaction || !currency || !destinationAddress) return undefined;
  return {
    id,
    amount,
    currency,
    destinationAddress,
    transaction,
    path: `/v1/refunds/${id}/transaction`,
    about: <About refund={refund} />,
    toLabel: describeDestination(refund.destinationSource),
  };
}
