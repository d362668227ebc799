import type { MessageColumns } from "@pay/database";
import { Failure } from "@pay/failures";
import type { CreateRefundRequest } from "@pay/proto";
import { type Address, checksumAddress, newId, toAddress, toAmount, toChainId } from "@pay/values";
import {
  addTo,
  type Balance,
  checkOpen,
  computePart,
  computeShare,
  computeUnrefunded,
  type Payment,
  reserveDeclared,
  type Share,
  toSums,
} from "./balance.ts";
import {
  chooseDestination,
  type Destination,
  type DestinationRules,
  findDefaultDestination,
  type NamingRules,
  toFeeFailure,
} from "./destination.ts";
import { UNMOVED } from "./outgoing.ts";
import { NEEDS_DESTINATION, type Refund } from "./refund.ts";
import type { IsServiceSigned } from "./signed-wallets.ts";

/** The request of a merchant as columns; null where it has no value. */
export type RequestColumns = Omit<
  MessageColumns<CreateRefundRequest>,
  "request_id" | "any_destination"
>;

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
  context: RefundRules & NamingRules,
): NewRefund | Failure {
  const reserved = reserveDeclared(payment, balance);
  const closed = checkOpen(payment, reserved);
  if (closed !== undefined) return closed;
  const part = computePart(payment, reserved, request);
  if (part instanceof Failure) return part;
  if (context.check?.chargesFee) return toFeeFailure();
  const destination = chooseDestination(payment, part.base, request.destination_address, context);
  if (destination instanceof Failure) return destination;
  return build(payment, balance, {
    id: newId("refund"),
    ...part,
    destination,
    declared: false,
    request,
    now: context.now,
    isServiceSigned: context.isServiceSigned,
  });
}

/**
 * Builds the refund of the rest of a payment that its merchant declared refunded; undefined when there is no rest.
 * Without a default destination it waits for the merchant's.
 */
export function buildDeclaredRefund(
  payment: Payment,
  balance: Balance,
  declaration: RefundRules & { id: string; at: Date; request: RequestColumns },
): NewRefund | undefined {
  const rest = computeUnrefunded(balance);
  if (rest <= 0n) return undefined;
  const part = computeShare(toAmount(rest), payment.decimals);
  const destination = findDefaultDestination(payment, part.base, declaration);
  return build(payment, balance, {
    id: declaration.id,
    ...part,
    destination:
      destination instanceof Failure ? undefined : { address: destination, source: "payer" },
    declared: true,
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
  /** Undefined while the merchant has to set it. */
  destination: Destination | undefined;
  declared: boolean;
  request: RequestColumns;
  now: Date;
}

function build(payment: Payment, before: Balance, draft: Draft): NewRefund {
  const { surplus } = draft.request;
  const reserved = addTo("reserved", before, { base_amount: draft.base, surplus });
  const balance = { ...reserved, refunds: before.refunds + 1 };
  return {
    balance,
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
      destination_address: draft.destination?.address ?? "",
      destination_source: draft.destination?.source ?? null,
      needs: draft.destination === undefined ? NEEDS_DESTINATION : null,
      declared: draft.declared,
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
      ...toSums(balance),
      ...UNMOVED,
    },
  };
}
