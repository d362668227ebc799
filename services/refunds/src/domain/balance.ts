// What may still be refunded of a payment. Everything here is decided under the lock of the payment's balance row.
import { toBaseUnits, toDecimal } from "@pay/money";

/** The fields are the columns, so a row needs no translation. */
export interface Balance {
  payment_id: string;
  project_id: string;
  mode: number;
  /** What the payment asked for. */
  amount: bigint;
  /** What may be refunded at most. */
  cap: bigint;
  /** Of all refunds that are not failed, the completed ones included. */
  reserved: bigint;
  completed: bigint;
  /** How many refunds there have been. */
  refunds: number;
  /** The merchant declared the whole payment refunded: what is added by hand replaces only what failed. */
  declared: boolean;
}

/** What a refund takes over from its payment, in the form payments answers with. */
export interface Payment {
  id: string;
  projectId: string;
  mode: number;
  status: string;
  baseAmount: string;
  receivedBaseAmount?: string | undefined;
  decimals: number;
  currency: string;
  chainId: bigint;
  orderId?: string | undefined;
  recipientAddress: string;
  payerAddress?: string | undefined;
  senderAddress?: string | undefined;
  customerId?: string | undefined;
}

/** A refusal in public words: of what was asked for, or of what the payment is in. */
export interface Refusal {
  kind: "invalid_argument" | "failed_precondition";
  message: string;
}

export const isRefusal = (value: string | object): value is Refusal =>
  typeof value === "object" && "kind" in value;

export const REFUNDS_MAX = 50;

const ONLY_CONFIRMED: Refusal = {
  kind: "failed_precondition",
  message: "Only confirmed payments can be refunded",
};

/** The balance of a payment nothing was refunded of yet. Shoppers who paid too much get that back as well. */
export const newBalance = (payment: Payment): Balance => {
  const amount = BigInt(payment.baseAmount);
  const received = BigInt(payment.receivedBaseAmount ?? payment.baseAmount);
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
};

/**
 * Why nothing at all can be refunded of the payment, or undefined when something can. A payment that was declared
 * refunded is open again for what the refund of the declaration failed to give back.
 */
export const closedBecause = (payment: Payment, balance: Balance): Refusal | undefined => {
  const given = balance.declared && balance.reserved >= balance.amount;
  if (given || !(balance.declared || payment.status === "confirmed")) return ONLY_CONFIRMED;
  if (balance.reserved >= balance.cap) {
    return { kind: "failed_precondition", message: "Payment is fully refunded" };
  }
  if (balance.refunds >= REFUNDS_MAX) {
    return {
      kind: "failed_precondition",
      message: `Payment already has ${REFUNDS_MAX} refunds`,
    };
  }
  return undefined;
};

/** A part of a payment, as text and in base units. */
export interface Share {
  amount: string;
  base: bigint;
}

/** What a refund without an amount gives back: the rest of what was asked for, and after that the rest of all. */
export const remaining = ({ amount, cap, reserved }: Balance, decimals: number): Share => {
  const base = reserved < amount ? amount - reserved : cap - reserved;
  return { amount: toDecimal(base, decimals), base };
};

/** The part the merchant names, if it is there to be given back. */
export const named = (balance: Balance, decimals: number, amount: string): Share | Refusal => {
  const base = toBaseUnits(amount, decimals);
  if (base === undefined) {
    return {
      kind: "invalid_argument",
      message: `amount must be a positive decimal string with at most ${decimals} fraction digits`,
    };
  }
  if (base === 0n) return { kind: "invalid_argument", message: "amount must be greater than zero" };
  if (balance.reserved + base > balance.cap) {
    return { kind: "invalid_argument", message: "Refund amount exceeds the refundable amount" };
  }
  return { amount, base };
};
