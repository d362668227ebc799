import { checksumAddress, isAddress, ZERO_ADDRESS } from "@pay/money";
import type { Payment, Refusal } from "./balance.ts";

const refused = (message: string): Refusal => ({ kind: "invalid_argument", message });

/**
 * Where the money goes: where the merchant says, else to the wallet the shopper declared, else to the one that
 * paid. Never by default to an address many people share: an exchange could not tell whose money it is.
 */
export const destinationOf = (
  payment: Payment,
  asked: string | undefined,
  sharedAddresses: ReadonlySet<string>,
): string | Refusal => {
  if (asked !== undefined) return askedFor(payment, asked);
  const known = payment.payerAddress || payment.senderAddress;
  if (!known || sharedAddresses.has(known.toLowerCase())) {
    return refused("destinationAddress is required for this payment");
  }
  return checksumAddress(known);
};

const askedFor = (payment: Payment, asked: string): string | Refusal => {
  const lower = asked.toLowerCase();
  if (!isAddress(asked) || lower === ZERO_ADDRESS) {
    return refused("destinationAddress must be a valid address");
  }
  // Money sent to the contract of its own token is lost.
  if (lower === payment.currency.toLowerCase()) {
    return refused("destinationAddress must not be the token contract");
  }
  return checksumAddress(asked);
};
