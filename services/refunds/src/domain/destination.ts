import { Failure } from "@pay/failures";
import type { RefundCheck } from "@pay/proto";
import { checksumAddress, parseAddress, toAddress, toCurrency, ZERO_ADDRESS } from "@pay/values";
import type { Payment } from "./balance.ts";

function toInvalid(message: string): Failure {
  return new Failure("refund_destination_invalid", message);
}

/** Facts that decide where a refund may go. */
export interface DestinationRules {
  sharedAddresses: ReadonlySet<string>;
  /** The result of the check on the chain; undefined where it was not needed. */
  check?: Pick<RefundCheck, "senderIsContract" | "chargesFee"> | undefined;
}

/** No transfer of such a currency arrives in full, so none could complete the refund. */
export function toFeeFailure(): Failure {
  return new Failure(
    "refund_currency_unsupported",
    "The token charges a fee on each transfer, so no refund arrives in full",
  );
}

/**
 * The address in the request, else the wallet that paid; the declared payer only where the sender is unknown. Shared
 * addresses and contracts are never the default: an exchange cannot tell whose money it receives.
 */
export function chooseDestination(
  payment: Payment,
  requested: string | null,
  { sharedAddresses, check }: DestinationRules,
): string | Failure {
  if (requested !== null) return checkRequested(payment, requested);
  const known = payment.senderAddress || payment.payerAddress;
  const isContract = known ? check?.senderIsContract[toAddress(known)] : undefined;
  if (!known || sharedAddresses.has(toAddress(known)) || isContract) {
    return new Failure(
      "refund_destination_required",
      "destinationAddress is required for this payment",
    );
  }
  if (check !== undefined && isContract === undefined) {
    return new Failure(
      "service_unavailable",
      "The paying wallet cannot be checked on the chain now; retry, or set destinationAddress",
    );
  }
  return checksumAddress(known);
}

function checkRequested(payment: Payment, requested: string): string | Failure {
  const address = parseAddress(requested);
  if (address === undefined || address === ZERO_ADDRESS) {
    return toInvalid("destinationAddress must be a valid address");
  }
  // A transfer to oneself moves nothing, so no transaction could ever complete the refund.
  if (address === toAddress(payment.recipientAddress)) {
    return toInvalid("destinationAddress must not be the wallet that pays the refund");
  }
  // Money sent to the contract of its own token is lost.
  if (address === toCurrency(payment.currency)) {
    return toInvalid("destinationAddress must not be the token contract");
  }
  return checksumAddress(address);
}
