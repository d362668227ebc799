// The text that a payment's QR code holds, by ERC-681: what a wallet needs to prepare the transfer, in integers only.
import type { Payment } from "@pay/proto";
import type { Amount } from "@pay/values";

const NATIVE = "native";

type Part = Pick<Payment, "currency" | "chainId" | "recipientAddress">;

export function paymentUri(payment: Part, baseAmount: Amount): string {
  const { currency, chainId, recipientAddress } = payment;
  if (currency === NATIVE) {
    return `ethereum:${recipientAddress}@${chainId}?value=${baseAmount}`;
  }
  return `ethereum:${currency}@${chainId}/transfer?address=${recipientAddress}&uint256=${baseAmount}`;
}
