import type { Refund } from "@pay/proto";
import { z } from "zod";
import { type TransferTransaction, transferTransaction } from "./transfer-transaction.ts";

interface UnsignedTransaction extends TransferTransaction {
  chainId: number;
  from: string;
}

/** What the merchant's wallet has to sign and send, for a refund or a settlement to be completed. */
export function unsignedTransaction(
  outgoing: Pick<
    Refund,
    "chainId" | "currency" | "baseAmount" | "sourceAddress" | "destinationAddress"
  >,
): UnsignedTransaction {
  const { chainId, currency, sourceAddress: from, destinationAddress: to } = outgoing;
  const baseAmount = BigInt(outgoing.baseAmount);
  return { chainId: Number(chainId), from, ...transferTransaction({ currency, to, baseAmount }) };
}

export const unsignedTransactionShape = z.strictObject({
  chainId: z.int(),
  from: z.string(),
  to: z.string(),
  value: z.string(),
  data: z.string(),
});
