// How much of a payment can still be refunded: what is proven of it, less the refunds that have not failed. All of this
// is decided under the lock of the payment's balance row.
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
  | "version"
  | "baseAmount"
  | "finalBaseAmount"
  | "decimals"
  | "currency"
  | "chainId"
  | "orderId"
  | "recipientAddress"
  | "payerAddress"
  | "senderAddress"
  | "customerId"
  | "refundDeclared"
> & {
  /** Whether screening has named a wallet, and its money confirms nothing before the merchant says so. */
  isReviewed?: boolean;
  confirmedAt?: Date | undefined;
  refundedAt?: Date | undefined;
  /** The proven sum of each wallet. */
  senders: readonly { address: string; baseAmount: string }[];
};

export const REFUNDS_MAX = 50;

/** The balance of a payment without refunds. */
export function newBalance(payment: Payment): Balance {
  return {
    payment_id: payment.id,
    project_id: payment.projectId,
    mode: payment.mode,
    amount: toAmount(payment.baseAmount),
    received: toAmount(payment.finalBaseAmount ?? "0"),
    payment_version: payment.version,
    reserved: 0n,
    completed: 0n,
    surplus_reserved: 0n,
    surplus_completed: 0n,
    refunds: 0,
    declared_at: null,
  };
}

/** What is proven of the payment follows its newest version, as in openBalance. */
export function updateReceived(stored: Balance, fresh: Balance): Balance {
  if (stored.payment_version >= fresh.payment_version) return stored;
  return { ...stored, received: fresh.received, payment_version: fresh.payment_version };
}

/** In the other statuses the money may still confirm the payment. */
const REFUNDABLE: ReadonlySet<string> = new Set(["confirmed", "refunded", "failed", "expired"]);
const PAID: ReadonlySet<string> = new Set(["confirmed", "refunded"]);

/** The failure of every refund of the payment, whatever its amount; undefined when a refund is possible. */
export function checkOpen(
  { status, isReviewed = false }: Payment,
  balance: Balance,
): Failure | undefined {
  if (balance.received === 0n) {
    return new Failure("payment_not_refundable", "Only confirmed payments can be refunded");
  }
  if (!REFUNDABLE.has(status) && !isReviewed) {
    return new Failure(
      "payment_not_refundable",
      `Payment is ${status}; it can be refunded once it is confirmed, failed or expired`,
    );
  }
  if (balance.reserved >= balance.received) {
    return new Failure("payment_fully_refunded", "Payment is fully refunded");
  }
  if (balance.refunds >= REFUNDS_MAX) {
    return new Failure("refund_count_exhausted", `Payment already has ${REFUNDS_MAX} refunds`);
  }
  return undefined;
}

/** A declaration reserves the rest of the amount at once, before its refund is created. */
export function reserveDeclared(payment: Payment, balance: Balance): Balance {
  const isAwaited =
    payment.refundDeclared && payment.refundedAt?.getTime() !== balance.declared_at?.getTime();
  const rest = isAwaited ? computeUnrefunded(balance) : 0n;
  return rest > 0n ? { ...balance, reserved: balance.reserved + rest } : balance;
}

/** The rest of the payment's amount, without a surplus. */
export function computeUnrefunded(balance: Balance): bigint {
  const { amount, received, reserved, surplus_reserved } = balance;
  return min(received - reserved, amount - (reserved - surplus_reserved));
}

/** The rest of what the payment received beyond its amount. */
function computeSurplus({ amount, received, reserved, surplus_reserved }: Balance): bigint {
  return min(received - reserved, received - amount - surplus_reserved);
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

/** A part of a payment, as text and in base units. */
export interface Share {
  amount: string;
  base: Amount;
}

export function computeShare(base: Amount, decimals: number): Share {
  return { amount: toDecimal(base, decimals), base };
}

/** The part that a refund takes of an open balance. */
export function computePart(
  payment: Payment,
  balance: Balance,
  { amount, surplus }: { amount: string | null; surplus: boolean },
): Share | Failure {
  const { status, decimals } = payment;
  if (surplus && !PAID.has(status)) {
    return new Failure("payment_not_refundable", "Only a confirmed payment has a surplus");
  }
  const most = surplus ? computeSurplus(balance) : balance.received - balance.reserved;
  if (most <= 0n) {
    return new Failure("payment_fully_refunded", "The payment has no surplus left to refund");
  }
  if (amount !== null) return parsePart(amount, { most, decimals });
  // All that came for a payment that was not paid goes back.
  const rest = surplus || !PAID.has(status) ? most : computeUnrefunded(balance);
  if (rest > 0n) return computeShare(toAmount(rest), decimals);
  return new Failure(
    "refund_amount_required",
    `The payment's amount is refunded; surplus: true refunds the ${toDecimal(toAmount(most), decimals)} beyond it`,
  );
}

function parsePart(
  amount: string,
  { most, decimals }: { most: bigint; decimals: number },
): Share | Failure {
  const base = toBaseUnits(amount, decimals);
  if (base === undefined) {
    return new Failure(
      "field_invalid",
      `amount must be a positive decimal string with at most ${decimals} fraction digits`,
    );
  }
  if (base === 0n) return new Failure("field_invalid", "amount must be greater than zero");
  if (base > most) {
    return new Failure("refund_amount_too_large", "Refund amount exceeds the refundable amount");
  }
  return { amount, base };
}

type Sums = "reserved" | "completed";

/** The balance after a refund is added to a sum. */
export function addTo(sum: Sums, balance: Balance, refund: SumPart): Balance {
  return change(sum, balance, refund.surplus, refund.base_amount);
}

/** The balance after a refund is taken from a sum. */
export function takeFrom(sum: Sums, balance: Balance, refund: SumPart): Balance {
  return change(sum, balance, refund.surplus, -refund.base_amount);
}

/** The change of the sums by a refund. */
interface SumPart {
  base_amount: bigint;
  surplus: boolean;
}

function change(sum: Sums, balance: Balance, surplus: boolean, by: bigint): Balance {
  const changed = { ...balance, [sum]: balance[sum] + by };
  const part = `surplus_${sum}` as const;
  return surplus ? { ...changed, [part]: balance[part] + by } : changed;
}

/** The sums that a refund and its events carry. */
export function toSums({ completed, surplus_completed, reserved }: Balance) {
  return {
    refunded_base_amount: completed,
    surplus_refunded_base_amount: surplus_completed,
    reserved_base_amount: reserved,
  };
}
