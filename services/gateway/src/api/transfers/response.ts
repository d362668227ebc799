import type { ArrivedTransfer } from "@pay/proto";
import { isId, toChainId } from "@pay/values";
import { z } from "zod";
import { textOrNull } from "../field-values.ts";
import { renderTransfer, transferShape } from "../payments/transfer-response.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

/** What a transfer pays, where that is of the kind. */
function getPaidId(prefix: "pay" | "refund" | "stl", { transfer }: ArrivedTransfer): string | null {
  const id = transfer?.subjectId ?? "";
  return isId(prefix, id) ? id : null;
}

const FIELDS = {
  id: { schema: z.string(), of: (arrived: ArrivedTransfer) => arrived.id },
  chainId: { schema: z.int(), of: (arrived: ArrivedTransfer) => toChainId(arrived.chainId) },
  currency: { schema: z.string(), of: (arrived: ArrivedTransfer) => arrived.currency },
  state: {
    schema: z.enum(["seen", "final"]),
    of: (arrived: ArrivedTransfer) => arrived.status,
  },
  paymentId: { schema: textOrNull, of: (arrived: ArrivedTransfer) => getPaidId("pay", arrived) },
  refundId: { schema: textOrNull, of: (arrived: ArrivedTransfer) => getPaidId("refund", arrived) },
  settlementId: { schema: textOrNull, of: (arrived: ArrivedTransfer) => getPaidId("stl", arrived) },
  reason: { schema: textOrNull, of: (arrived: ArrivedTransfer) => arrived.reason ?? null },
};

const NAMES = listNames(FIELDS);

export const arrivedTransfer = buildShape(FIELDS, NAMES).extend(transferShape.shape);

export function renderArrived(arrived: ArrivedTransfer) {
  const moved =
    arrived.transfer === undefined ? {} : renderTransfer(arrived.transfer, arrived.decimals);
  return { ...pick(FIELDS, NAMES, arrived), ...moved };
}

export const assignedTransfer = z.strictObject({
  id: z.string(),
  txHash: z.string(),
  paymentId: textOrNull,
  refundId: textOrNull,
  status: z.string(),
});
