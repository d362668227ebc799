import type { Refund } from "@pay/proto";
import {
  type ChainId,
  type TransferTransaction,
  toAmount,
  toChainId,
  transferTransaction,
} from "@pay/values";
import { z } from "zod";
import { ADDRESS, TOKEN, TRANSFER_DATA } from "./example-values.ts";
import * as shown from "./field-values.ts";

interface UnsignedTransaction extends TransferTransaction {
  chainId: ChainId;
  from: string;
}

/**
 * What the merchant's wallet has to sign and send, for a refund or a settlement to be completed. Null where the
 * service sends it:
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
    chainId: shown.chainId,
    from: shown.string("Wallet that signs the transaction.", ADDRESS),
    to: shown.string("Recipient of the transaction or call.", TOKEN),
    value: shown.string("Amount of the native coin, in hex.", "0x0"),
    data: shown.string("Call data, in hex.", TRANSFER_DATA),
  })
  .nullable();
