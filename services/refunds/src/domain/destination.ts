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
import type { Payment } from "./balance.ts";

function toInvalid(message: string): Failure {
  return new Failure("refund_destination_invalid", message);
}

/** Facts that decide where a refund may go. */
export interface DestinationRules {
  sharedAddresses: ReadonlySet<string>;
  /** What the payment's refunds that have not failed give back, by destination in lower case. */
  returned: ReadonlyMap<string, Amount>;
  /** The result of the check on the chain; undefined where it was not made. */
  check?: Pick<RefundCheck, "senderIsContract" | "chargesFee"> | undefined;
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
