// How much of a payment can still be refunded. All of this is decided under the lock of the payment's balance row.
import { Failure } from "@pay/failures";
import type { Payment as PaymentMessage } from "@pay/proto";
import { type Amount, toAmount, toBaseUnits, toDecimal } from "@pay/values";
import type { OpenBalanceRow } from "../generated/sql.ts";

/** A row of the table. */
export type Balance = OpenBalanceRow;

/** The fields of a payment that a refund copies. */
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

/** The balance of a payment without refunds. A surplus can be refunded, too. */
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
 * The failure of every refund of the payment, whatever its amount; undefined when a refund is possible. A refunded
 * payment stays open for a surplus, and for the amounts of failed refunds.
 */
export function checkOpen(payment: Payment, balance: Balance): Failure | undefined {
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

/** A declaration reserves the rest of the amount at once, before its refund is created. */
export function reserveDeclared(payment: Payment, balance: Balance): Balance {
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

/** The part of a refund without an amount: the rest of the payment's amount. A surplus needs an explicit amount. */
export function computeRest({ amount, cap, reserved }: Balance, decimals: number): Share | Failure {
  if (amount > reserved) return computeShare(toAmount(amount - reserved), decimals);
  const surplus = toDecimal(toAmount(cap - reserved), decimals);
  return new Failure(
    "refund_amount_required",
    `The payment's amount is refunded; amount is required and at most ${surplus} for the surplus`,
  );
}

/** The part of a refund with an amount, where so much can still be refunded. */
export function parsePart(balance: Balance, decimals: number, amount: string): Share | Failure {
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
