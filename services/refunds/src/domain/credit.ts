// The credit of a payment to its wallet: what is proven of it, in every status. Late money, a part and a surplus are in
// the wallet whether or not the merchant accepts them. A later version replaces the credit of an earlier one, so
// nothing counts twice and a reorganisation lowers it. Refunds are taken off by their reservations, not here.
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

export function toCredit(payment: PaymentSnapshot): Credit {
  return {
    payment_id: payment.id,
    project_id: payment.projectId,
    mode: payment.mode,
    chain_id: toChainId(payment.chainId),
    currency: toCurrency(payment.currency),
    source_address: toAddress(payment.recipientAddress),
    decimals: payment.decimals,
    base_amount: toAmount(payment.finalBaseAmount ?? "0"),
    version: payment.version,
  };
}
