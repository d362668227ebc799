import type { MessageColumns } from "@pay/database";
import { Failure } from "@pay/failures";
import type { CreateRefundRequest } from "@pay/proto";
import { type Address, checksumAddress, derivedId, newId, toAddress, toChainId } from "@pay/values";
import {
  type Balance,
  checkOpen,
  computeRest,
  type Payment,
  parsePart,
  reserveDeclared,
  type Share,
} from "./balance.ts";
import { chooseDestination, type DestinationRules, toFeeFailure } from "./destination.ts";
import { UNMOVED } from "./outgoing.ts";
import type { Refund } from "./refund.ts";
import type { IsServiceSigned } from "./signed-wallets.ts";

/** The request of a merchant as columns; null where it has no value. */
export type RequestColumns = Omit<MessageColumns<CreateRefundRequest>, "request_id">;

/** The configuration of the operator, and facts from the chain. */
export interface RefundRules extends DestinationRules {
  isServiceSigned: IsServiceSigned;
}

/** A new refund, and the balance of its payment after it. */
export interface NewRefund {
  refund: Refund;
  balance: Balance;
}

/** Builds the refund that a merchant requests. */
export function buildRequestedRefund(
  payment: Payment,
  balance: Balance,
  request: RequestColumns,
  context: RefundRules & { now: Date },
): NewRefund | Failure {
  const reserved = reserveDeclared(payment, balance);
  const closed = checkOpen(payment, reserved);
  if (closed !== undefined) return closed;
  const { decimals } = payment;
  const part =
    request.amount === null
      ? computeRest(reserved, decimals)
      : parsePart(reserved, decimals, request.amount);
  if (part instanceof Failure) return part;
  if (context.check?.chargesFee) return toFeeFailure();
  const destination = chooseDestination(payment, request.destination_address, context);
  if (destination instanceof Failure) return destination;
  return build(payment, balance, {
    id: newId("refund"),
    ...part,
    destination,
    request,
    now: context.now,
    isServiceSigned: context.isServiceSigned,
  });
}

/**
 * Builds the refund of the rest of a payment that its merchant declared refunded; undefined when there is no rest. The
 * same declaration always makes the same refund.
 */
export function buildDeclaredRefund(
  payment: Payment,
  balance: Balance,
  declaration: RefundRules & { eventId: string; at: Date; request: RequestColumns },
): NewRefund | Failure | undefined {
  if (balance.reserved >= balance.amount) return undefined;
  const part = computeRest(balance, payment.decimals);
  if (part instanceof Failure) return part;
  const destination = chooseDestination(payment, null, declaration);
  if (destination instanceof Failure) return destination;
  return build(payment, balance, {
    id: derivedId("refund", declaration.eventId),
    ...part,
    destination,
    request: declaration.request,
    now: declaration.at,
    isServiceSigned: declaration.isServiceSigned,
  });
}

function addressOrNull(text: string | undefined): Address | null {
  return text ? toAddress(text) : null;
}

interface Draft extends Share, Pick<RefundRules, "isServiceSigned"> {
  id: string;
  destination: string;
  request: RequestColumns;
  now: Date;
}

function build(payment: Payment, balance: Balance, draft: Draft): NewRefund {
  return {
    balance: {
      ...balance,
      reserved: balance.reserved + draft.base,
      refunds: balance.refunds + 1,
    },
    refund: {
      ...draft.request,
      id: draft.id,
      project_id: payment.projectId,
      mode: payment.mode,
      payment_id: payment.id,
      status: "created",
      amount: draft.amount,
      base_amount: draft.base,
      decimals: payment.decimals,
      currency: payment.currency,
      chain_id: payment.chainId,
      order_id: payment.orderId ?? null,
      payment_base_amount: balance.amount,
      source_address: checksumAddress(payment.recipientAddress),
      destination_address: draft.destination,
      payer_address: addressOrNull(payment.payerAddress),
      sender_address: addressOrNull(payment.senderAddress),
      customer_id: payment.customerId ?? null,
      payment_confirmed_at: payment.confirmedAt ?? null,
      created_at: draft.now,
      payout_wallets: [],
      paid_from: null,
      service_signed: draft.isServiceSigned({
        ...payment,
        chainId: toChainId(payment.chainId),
        address: toAddress(payment.recipientAddress),
      }),
      refunded_base_amount: balance.completed,
      ...UNMOVED,
    },
  };
}
