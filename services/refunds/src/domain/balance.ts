// What may still be refunded of a payment. Everything here is decided under the lock of the payment's balance row.
import { Failure } from "@pay/failures";
import type { Payment as PaymentMessage } from "@pay/proto";
import { type Amount, toAmount, toBaseUnits, toDecimal } from "@pay/values";
import type { OpenBalanceRow } from "../generated/sql.ts";

/** A row of the table. */
export type Balance = OpenBalanceRow;

/** What a refund takes over from its payment, in the form payments answers with. */
export type Payment = Pick<
  PaymentMessage,
  | "id"
  | "projectId"
  | "mode"
  | "status"
  | "baseAmount"
  | "receivedBaseAmount"
  | "decimals"
  | "currency"
  | "chainId"
  | "orderId"
  | "recipientAddress"
  | "payerAddress"
  | "senderAddress"
  | "customerId"
  | "refundDeclared"
> & { confirmedAt?: Date | undefined };

export const REFUNDS_MAX = 50;

/** The balance of a payment nothing was refunded of yet. Shoppers who paid too much get that back as well. */
export function newBalance(payment: Payment): Balance {
  const amount = toAmount(payment.baseAmount);
  const received = toAmount(payment.receivedBaseAmount ?? payment.baseAmount);
  return {
    payment_id: payment.id,
    project_id: payment.projectId,
    mode: payment.mode,
    amount,
    cap: received > amount ? received : amount,
    reserved: 0n,
    completed: 0n,
    refunds: 0,
    declared: false,
  };
}

const REFUNDABLE: ReadonlySet<string> = new Set(["confirmed", "refunded"]);

/**
 * Why nothing at all can be refunded of the payment, or undefined when something can. A refunded payment stays open
 * for what was received beyond its amount, and for what a failed refund did not give back.
 */
export function closedBecause(payment: Payment, balance: Balance): Failure | undefined {
  if (!balance.declared && !REFUNDABLE.has(payment.status)) {
    return new Failure("payment_not_refundable", "Only confirmed payments can be refunded");
  }
  if (balance.reserved >= balance.cap) {
    return new Failure("payment_fully_refunded", "Payment is fully refunded");
  }
  if (balance.refunds >= REFUNDS_MAX) {
    return new Failure("refund_count_exhausted", `Payment already has ${REFUNDS_MAX} refunds`);
  }
  return undefined;
}

/** A declaration holds the rest of the amount from the moment the payment has it, before its refund is created. */
export function withDeclared(payment: Payment, balance: Balance): Balance {
  return payment.refundDeclared && !balance.declared && balance.reserved < balance.amount
    ? { ...balance, reserved: balance.amount }
    : balance;
}

/** A part of a payment, as text and in base units. */
export interface Share {
  amount: string;
  base: Amount;
}

export function computeShare(base: Amount, decimals: number): Share {
  return { amount: toDecimal(base, decimals), base };
}

/** What a refund without an amount gives back: the rest of the payment's amount. A surplus needs an amount. */
export function remaining({ amount, cap, reserved }: Balance, decimals: number): Share | Failure {
  if (amount > reserved) return computeShare(toAmount(amount - reserved), decimals);
  const surplus = toDecimal(toAmount(cap - reserved), decimals);
  return new Failure(
    "refund_amount_required",
    `Nothing remains of the payment's amount; name an amount of up to ${surplus} to refund what was paid beyond it`,
  );
}

/** The part that the merchant names, where so much can still be refunded. */
export function named(balance: Balance, decimals: number, amount: string): Share | Failure {
  const base = toBaseUnits(amount, decimals);
  if (base === undefined) {
    return new Failure(
      "field_invalid",
      `amount must be a positive decimal string with at most ${decimals} fraction digits`,
    );
  }
  if (base === 0n) return new Failure("field_invalid", "amount must be greater than zero");
  if (balance.reserved + base > balance.cap) {
    return new Failure("refund_amount_too_large", "Refund amount exceeds the refundable amount");
  }
  return { amount, base };
}
