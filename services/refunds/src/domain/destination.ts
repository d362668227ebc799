import { Failure } from "@pay/failures";
import type { RefundCheck } from "@pay/proto";
import {
  type Address,
  type Amount,
  checksumAddress,
  parseAddress,
  toAddress,
  toAmount,
  toCurrency,
  ZERO_ADDRESS,
} from "@pay/values";
import { checkUsable, type Destination as Entry } from "./address-book.ts";
import type { Payment } from "./balance.ts";

function toInvalid(message: string): Failure {
  return new Failure("refund_destination_invalid", message);
}

/** Facts that decide where a refund may go. */
export interface DestinationRules {
  sharedAddresses: ReadonlySet<string>;
  /** The sums of the payment's refunds that have not failed, by destination in lower case. */
  returned: ReadonlyMap<string, Amount>;
  /** The result of the check on the chain; undefined where it was not made. */
  check?: Pick<RefundCheck, "senderIsContract" | "chargesFee"> | undefined;
}

/** Where a refund goes, and why it may go there. */
export interface Destination {
  address: string;
  source: "payer" | "address_book" | "named";
}

/** Facts that decide whether a refund may go to an address that a merchant names. */
export interface NamingRules {
  /** The entry of the address in the address book. */
  entry: Entry | undefined;
  /** Whether the caller may name any address. */
  anyDestination: boolean;
  now: Date;
}

/** No transfer of such a currency arrives in full, so none could complete the refund. */
export function toFeeFailure(): Failure {
  return new Failure(
    "refund_currency_unsupported",
    "The token charges a fee on each transfer, so no refund arrives in full",
  );
}

function toRequired(why: string): Failure {
  return new Failure(
    "refund_destination_required",
    `destinationAddress is required for this payment: ${why}. Ask your customer for a wallet`,
  );
}

/**
 * The one wallet that sent at least the refund, less what it got back. A wallet that may not be a person's is no
 * default: an exchange cannot tell whose money it receives, and money for the zero address is lost.
 */
export function findDefaultDestination(
  { senders }: Pick<Payment, "senders">,
  amount: Amount,
  { sharedAddresses, returned, check }: DestinationRules,
): string | Failure {
  const enough = senders.flatMap((sender): Address[] => {
    const address = toAddress(sender.address);
    const left = toAmount(sender.baseAmount) - (returned.get(address) ?? 0n);
    return left >= amount ? [address] : [];
  });
  const [wallet] = enough;
  if (wallet === undefined) return toRequired("no wallet is known to have sent as much");
  if (enough.length > 1) return toRequired("several wallets that paid sent as much");
  if (wallet === ZERO_ADDRESS) return toRequired("the tokens were minted, no wallet sent them");
  if (sharedAddresses.has(wallet)) {
    return toRequired("many people share the wallet that paid, as at an exchange");
  }
  const isContract = check?.senderIsContract[wallet];
  if (isContract) return toRequired("the wallet that paid is a contract, as of an exchange");
  if (isContract === undefined) {
    return new Failure(
      "service_unavailable",
      "The paying wallet cannot be checked on the chain now; retry, or set destinationAddress",
    );
  }
  return checksumAddress(wallet);
}

/** The address that the merchant names, where it may, else the default. */
export function chooseDestination(
  payment: Pick<Payment, "senders" | "recipientAddress" | "currency">,
  amount: Amount,
  named: string | null,
  rules: DestinationRules & NamingRules,
): Destination | Failure {
  const { recipientAddress: source, currency } = payment;
  const address = named === null ? undefined : parseDestination(named, { source, currency });
  if (address instanceof Failure) return address;
  const payer = findDefaultDestination(payment, amount, rules);
  if (address !== undefined && address !== payer) {
    const result = nameDestination(address, rules);
    // A wallet that may be the default one.
    const isUnknown = payer instanceof Failure && payer.errorCode === "service_unavailable";
    return isUnknown && result instanceof Failure ? payer : result;
  }
  return payer instanceof Failure ? payer : { address: payer, source: "payer" };
}

/** One stolen key must not redirect money: another address needs the address book or an unrestricted key. */
export function nameDestination(
  address: string,
  { entry, anyDestination, now }: NamingRules,
): Destination | Failure {
  const unusable = checkUsable(entry, now);
  if (unusable === undefined) return { address, source: "address_book" };
  if (anyDestination) return { address, source: "named" };
  return new Failure(
    "refund_destination_forbidden",
    `${unusable.message}, and the key may not name another than the payer's`,
  );
}

/** An address that the merchant sets. */
export function parseDestination(
  text: string,
  { source, currency }: { source: string; currency: string },
): string | Failure {
  const address = parseAddress(text);
  if (address === undefined || address === ZERO_ADDRESS) {
    return toInvalid("destinationAddress must be a valid address");
  }
  // A transfer to oneself moves nothing, so no transaction could ever complete the refund.
  if (address === toAddress(source)) {
    return toInvalid("destinationAddress must not be the wallet that pays the refund");
  }
  // Money sent to the contract of its own token is lost.
  if (address === toCurrency(currency)) {
    return toInvalid("destinationAddress must not be the token contract");
  }
  return checksumAddress(address);
}
