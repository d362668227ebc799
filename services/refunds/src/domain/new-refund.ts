import type { MessageColumns } from "@pay/database";
import { Failure } from "@pay/failures";
import type { CreateRefundRequest } from "@pay/proto";
import { type Address, checksumAddress, derivedId, newId, toAddress, toChainId } from "@pay/values";
import {
  type Balance,
  closedBecause,
  named,
  type Payment,
  remaining,
  type Share,
  withDeclared,
} from "./balance.ts";
import { chargesFee, chooseDestination, type Reach } from "./destination.ts";
import { UNMOVED } from "./hashes.ts";
import type { Refund } from "./refund.ts";
import type { IsServiceSigned } from "./signed-wallets.ts";

/** What a merchant requests, in the columns that store it; null where the request has no value. */
export type Given = Omit<MessageColumns<CreateRefundRequest>, "request_id">;

/** What the operator has configured, and what the chain says. */
export interface Terms extends Reach {
  isServiceSigned: IsServiceSigned;
}

/** A new refund, with the sums of its payment after it. */
export interface Opened {
  refund: Refund;
  balance: Balance;
}

/** The refund that the merchant requests, or why there cannot be one. */
export function requestedRefund(
  payment: Payment,
  balance: Balance,
  given: Given,
  context: Terms & { now: Date },
): Opened | Failure {
  const held = withDeclared(payment, balance);
  const closed = closedBecause(payment, held);
  if (closed !== undefined) return closed;
  const { decimals } = payment;
  const part =
    given.amount === null ? remaining(held, decimals) : named(held, decimals, given.amount);
  if (part instanceof Failure) return part;
  if (context.check?.chargesFee) return chargesFee();
  const destination = chooseDestination(payment, given.destination_address, context);
  if (destination instanceof Failure) return destination;
  return opened(payment, balance, {
    id: newId("refund"),
    ...part,
    destination,
    given,
    now: context.now,
    isServiceSigned: context.isServiceSigned,
  });
}

/**
 * The refund that a declaration (a whole payment that the merchant marked as refunded) opens for what remains; undefined when
 * nothing does. The same declaration always makes the same refund.
 */
export function declaredRefund(
  payment: Payment,
  balance: Balance,
  declaration: Terms & { eventId: string; at: Date; given: Given },
): Opened | Failure | undefined {
  if (balance.reserved >= balance.amount) return undefined;
  const part = remaining(balance, payment.decimals);
  if (part instanceof Failure) return part;
  const destination = chooseDestination(payment, null, declaration);
  if (destination instanceof Failure) return destination;
  return opened(payment, balance, {
    id: derivedId("refund", declaration.eventId),
    ...part,
    destination,
    given: declaration.given,
    now: declaration.at,
    isServiceSigned: declaration.isServiceSigned,
  });
}

function addressOrNull(text: string | undefined): Address | null {
  return text ? toAddress(text) : null;
}

interface OpenedBy {
  id: string;
  destination: string;
  given: Given;
  now: Date;
}

function opened(
  payment: Payment,
  balance: Balance,
  part: Share & Pick<Terms, "isServiceSigned"> & OpenedBy,
): Opened {
  return {
    balance: {
      ...balance,
      reserved: balance.reserved + part.base,
      refunds: balance.refunds + 1,
    },
    refund: {
      ...part.given,
      id: part.id,
      project_id: payment.projectId,
      mode: payment.mode,
      payment_id: payment.id,
      status: "created",
      amount: part.amount,
      base_amount: part.base,
      decimals: payment.decimals,
      currency: payment.currency,
      chain_id: payment.chainId,
      order_id: payment.orderId ?? null,
      payment_base_amount: balance.amount,
      source_address: checksumAddress(payment.recipientAddress),
      destination_address: part.destination,
      payer_address: addressOrNull(payment.payerAddress),
      sender_address: addressOrNull(payment.senderAddress),
      customer_id: payment.customerId ?? null,
      payment_confirmed_at: payment.confirmedAt ?? null,
      created_at: part.now,
      payout_wallets: [],
      paid_from: null,
      service_signed: part.isServiceSigned({
        ...payment,
        chainId: toChainId(payment.chainId),
        address: toAddress(payment.recipientAddress),
      }),
      refunded_base_amount: balance.completed,
      ...UNMOVED,
    },
  };
}
