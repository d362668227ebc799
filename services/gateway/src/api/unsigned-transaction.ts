import type { Refund } from "@pay/proto";
import {
  type ChainId,
  type TransferTransaction,
  toAmount,
  toChainId,
  transferTransaction,
} from "@pay/values";
import { z } from "zod";

interface UnsignedTransaction extends TransferTransaction {
  chainId: ChainId;
  from: string;
}

/**
 * What the merchant's wallet has to sign and send, for a refund or a settlement to be completed. Null where the service sends it:
 * a wallet that sends it too would pay twice.
 */
export function unsignedTransaction(
  outgoing: Pick<
    Refund,
    "chainId" | "currency" | "baseAmount" | "sourceAddress" | "destinationAddress" | "serviceSigned"
  >,
): UnsignedTransaction | null {
  if (outgoing.serviceSigned) return null;
  const { chainId, currency, sourceAddress: from, destinationAddress: to } = outgoing;
  const baseAmount = toAmount(outgoing.baseAmount);
  return {
    chainId: toChainId(chainId),
    from,
    ...transferTransaction({ currency, to, baseAmount }),
  };
}

export const unsignedTransactionShape = z
  .strictObject({
    chainId: z.int(),
    from: z.string(),
    to: z.string(),
    value: z.string(),
    data: z.string(),
  })
  .nullable();
