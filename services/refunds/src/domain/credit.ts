// The credit of a payment to its wallet. A payment that a reorganisation of the chain removed credits nothing until it
// is confirmed again.
import type { PaymentSnapshot } from "@pay/proto";
import {
  type Address,
  type Amount,
  type ChainId,
  type Currency,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
} from "@pay/values";

export interface Credit {
  payment_id: string;
  project_id: string;
  mode: number;
  chain_id: ChainId;
  currency: Currency;
  source_address: Address;
  decimals: number;
  base_amount: Amount;
  version: number;
}

const RECEIVED: ReadonlySet<string> = new Set(["confirmed", "refunded"]);

export function toCredit(payment: PaymentSnapshot): Credit {
  const received = payment.receivedBaseAmount ?? payment.baseAmount;
  return {
    payment_id: payment.id,
    project_id: payment.projectId,
    mode: payment.mode,
    chain_id: toChainId(payment.chainId),
    currency: toCurrency(payment.currency),
    source_address: toAddress(payment.recipientAddress),
    decimals: payment.decimals,
    base_amount: toAmount(RECEIVED.has(payment.status) ? received : 0n),
    version: payment.version,
  };
}
