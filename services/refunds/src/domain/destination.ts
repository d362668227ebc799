import { Failure } from "@pay/failures";
import type { RefundCheck } from "@pay/proto";
import { checksumAddress, parseAddress, toAddress, toCurrency, ZERO_ADDRESS } from "@pay/values";
import type { Payment } from "./balance.ts";

function invalid(message: string): Failure {
  return new Failure("refund_destination_invalid", message);
}

/** The facts that decide where a refund may go. */
export interface Reach {
  sharedAddresses: ReadonlySet<string>;
  /** What the chain says against a refund; undefined where it was not asked. */
  check?: Pick<RefundCheck, "payerIsContract" | "chargesFee"> | undefined;
}

/** No transfer of such a currency arrives in full, so none could complete the refund. */
export function chargesFee(): Failure {
  return new Failure(
    "refund_currency_unsupported",
    "The currency keeps a part of each transfer, so no refund of it arrives in full",
  );
}

/**
 * The destination: the address that the merchant names, else the wallet that paid. A declared payer counts only where
 * the sender is not known. An address that many people share is never the default: an exchange does not know whose money
 * it receives, and neither does a contract that is not known as a person's wallet.
 */
export function chooseDestination(
  payment: Payment,
  requested: string | null,
  { sharedAddresses, check }: Reach,
): string | Failure {
  if (requested !== null) return checkRequested(payment, requested);
  const known = payment.senderAddress || payment.payerAddress;
  if (!known || sharedAddresses.has(toAddress(known)) || check?.payerIsContract) {
    return new Failure(
      "refund_destination_required",
      "destinationAddress is required for this payment",
    );
  }
  if (check !== undefined && check.payerIsContract === undefined) {
    return new Failure(
      "service_unavailable",
      "The chain cannot be asked about the wallet that paid; try again or name a destinationAddress",
    );
  }
  return checksumAddress(known);
}

function checkRequested(payment: Payment, requested: string): string | Failure {
  const address = parseAddress(requested);
  if (address === undefined || address === ZERO_ADDRESS) {
    return invalid("destinationAddress must be a valid address");
  }
  // A transfer to oneself moves nothing, so no transaction could ever complete the refund.
  if (address === toAddress(payment.recipientAddress)) {
    return invalid("destinationAddress must not be the wallet that pays the refund");
  }
  // Money sent to the contract of its own token is lost.
  if (address === toCurrency(payment.currency)) {
    return invalid("destinationAddress must not be the token contract");
  }
  return checksumAddress(address);
}
