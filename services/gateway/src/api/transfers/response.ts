import type { ArrivedTransfer } from "@pay/proto";
import { isId, toChainId, UNMATCHED_REASONS } from "@pay/values";
import { z } from "zod";
import { PAY_ID, TX_HASH } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { renderTransfer, transferShape } from "../payments/transfer-response.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

export const TRANSFER_STATES = ["seen", "final"] as const;

/** What a transfer pays, where that is of the kind. */
function getPaidId(prefix: "pay" | "refund" | "stl", { transfer }: ArrivedTransfer): string | null {
  const id = transfer?.subjectId ?? "";
  return isId(prefix, id) ? id : null;
}

const FIELDS = {
  id: { schema: shown.id("tr"), of: (arrived: ArrivedTransfer) => arrived.id },
  chainId: { schema: shown.chainId, of: (arrived: ArrivedTransfer) => toChainId(arrived.chainId) },
  currency: { schema: shown.currency, of: (arrived: ArrivedTransfer) => arrived.currency },
  state: {
    schema: shown.choice(
      TRANSFER_STATES,
      "`final`, or `seen` while its block may still leave the chain.",
      "final",
    ),
    of: (arrived: ArrivedTransfer) => arrived.status,
  },
  paymentId: {
    schema: shown.stringOrNull("Payment that the transfer pays; null otherwise."),
    of: (arrived: ArrivedTransfer) => getPaidId("pay", arrived),
  },
  refundId: {
    schema: shown.stringOrNull("Refund that the transfer pays; null otherwise."),
    of: (arrived: ArrivedTransfer) => getPaidId("refund", arrived),
  },
  settlementId: {
    schema: shown.stringOrNull("Settlement that the transfer pays; null otherwise."),
    of: (arrived: ArrivedTransfer) => getPaidId("stl", arrived),
  },
  reason: {
    schema: shown.choiceOrNull(
      UNMATCHED_REASONS,
      "Reason why the transfer pays nothing; null where it pays something or is being verified.",
    ),
    of: (arrived: ArrivedTransfer) => arrived.reason ?? null,
  },
  candidates: {
    schema: shown.strings("Payments that the transfer may be meant for; at most ten.", [PAY_ID]),
    of: (arrived: ArrivedTransfer) => arrived.candidates,
  },
};

const NAMES = listNames(FIELDS);

export const arrivedTransfer = buildShape("Arrival", FIELDS, NAMES)
  .extend(transferShape.shape)
  .meta({ id: "TransferItem" });

export function renderArrived(arrived: ArrivedTransfer) {
  const moved =
    arrived.transfer === undefined ? {} : renderTransfer(arrived.transfer, arrived.decimals);
  return { ...pick(FIELDS, NAMES, arrived), ...moved };
}

export const assignedTransfer = z
  .strictObject({
    id: shown.id("tr"),
    txHash: shown.string("Transaction hash.", TX_HASH),
    paymentId: shown.stringOrNull("Payment that the transfer pays; null otherwise.", PAY_ID),
    refundId: shown.stringOrNull("Refund that the transfer pays; null otherwise."),
    status: shown.string("Status of the payment or refund.", "processing"),
  })
  .meta({ id: "TransferAssign" });
