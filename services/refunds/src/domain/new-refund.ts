import { createHash } from "node:crypto";
import { checksumAddress, newId, toBase62 } from "@pay/money";
import {
  type Balance,
  closedBecause,
  isRefusal,
  named,
  type Payment,
  type Refusal,
  remaining,
  type Share,
} from "./balance.ts";
import { destinationOf } from "./destination.ts";
import type { Refund } from "./refund.ts";

/** What a merchant asks for. */
export interface Wish {
  amount?: string | undefined;
  reason?: string | undefined;
  destinationAddress?: string | undefined;
}

/** A refund that begins, with the sums of its payment after it. */
export interface Opened {
  refund: Refund;
  balance: Balance;
}

/** A refund as the merchant wishes it, or why there cannot be one. */
export const wishedRefund = (
  payment: Payment,
  balance: Balance,
  wish: Wish,
  context: { sharedAddresses: ReadonlySet<string>; now: Date },
): Opened | Refusal => {
  const closed = closedBecause(payment, balance);
  if (closed !== undefined) return closed;
  const { decimals } = payment;
  const part =
    wish.amount === undefined
      ? remaining(balance, decimals)
      : named(balance, decimals, wish.amount);
  if (isRefusal(part)) return part;
  const destination = destinationOf(payment, wish.destinationAddress, context.sharedAddresses);
  if (isRefusal(destination)) return destination;
  return opened(payment, balance, {
    id: newId("refund"),
    ...part,
    destination,
    reason: wish.reason ?? null,
    now: context.now,
  });
};

/**
 * The refund that a declaration (a whole payment said to be refunded) opens for what remains; undefined when
 * nothing does. The same declaration always makes the same refund.
 */
export const declaredRefund = (
  payment: Payment,
  balance: Balance,
  declaration: { eventId: string; at: Date },
): Opened | Refusal | undefined => {
  if (balance.reserved >= balance.cap) return undefined;
  // The merchant is not there to be asked for another address, so a shared one is taken as it is.
  const destination = destinationOf(payment, undefined, new Set());
  if (isRefusal(destination)) return destination;
  return opened(payment, balance, {
    id: `refund_${toBase62(createHash("sha256").update(declaration.eventId).digest(), 24)}`,
    ...remaining(balance, payment.decimals),
    destination,
    reason: null,
    now: declaration.at,
  });
};

const opened = (
  payment: Payment,
  balance: Balance,
  part: Share & { id: string; destination: string; reason: string | null; now: Date },
): Opened => ({
  balance: {
    ...balance,
    reserved: balance.reserved + part.base,
    refunds: balance.refunds + 1,
  },
  refund: {
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
    payer_address: payment.payerAddress?.toLowerCase() || null,
    sender_address: payment.senderAddress?.toLowerCase() || null,
    customer_id: payment.customerId ?? null,
    reason: part.reason,
    failure_reason: null,
    tx_hash: null,
    block_number: null,
    refunded_base_amount: balance.completed,
    created_at: part.now,
    completed_at: null,
    version: 1,
  },
});
