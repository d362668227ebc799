import type { Balance } from "./balance.ts";

export type Status = "created" | "completed" | "failed";

/** The fields are the columns, so a row needs no translation. Numbers of the chain are bigint throughout. */
export interface Refund {
  id: string;
  project_id: string;
  mode: number;
  payment_id: string;
  status: Status;
  amount: string;
  base_amount: bigint;
  decimals: number;
  currency: string;
  chain_id: bigint;
  order_id: string | null;
  payment_base_amount: bigint;
  source_address: string;
  destination_address: string;
  /** Whose refund it is, as the payment has it; addresses in lower case. */
  payer_address: string | null;
  sender_address: string | null;
  customer_id: string | null;
  reason: string | null;
  failure_reason: string | null;
  tx_hash: string | null;
  block_number: bigint | null;
  refunded_base_amount: bigint;
  created_at: Date;
  completed_at: Date | null;
  version: number;
}

export const STATUSES = ["created", "completed", "failed"] as const satisfies Status[];

interface Transition {
  from: readonly Status[];
  to: Status;
  event: string;
}

/**
 * Every move there is. A submitted hash is news for those who judge it, but the refund stays created until their
 * verdict; both ends are final, so a merchant whose refund failed creates another.
 */
export const TRANSITIONS = {
  submit: { from: ["created"], to: "created", event: "refund.submitted" },
  complete: { from: ["created"], to: "completed", event: "refund.completed" },
  fail: { from: ["created"], to: "failed", event: "refund.failed" },
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof TRANSITIONS;

/** The event of a refund's beginning, which no move leads to. */
export const CREATED_EVENT = "refund.created";

/** The status after the move, or undefined where the table has no such move. */
export const next = (status: Status, trigger: Trigger): Status | undefined => {
  const { from, to } = TRANSITIONS[trigger] as Transition;
  return from.includes(status) ? to : undefined;
};

/** What became of a refund, with the sums of its payment after it. */
export interface Settled {
  refund: Refund;
  balance: Balance;
  event: string;
}

/** The chain shows the money going back; undefined when the refund is settled already. */
export const complete = (
  refund: Refund,
  balance: Balance,
  proof: { txHash: string; blockNumber: bigint | null; now: Date },
): Settled | undefined => {
  const status = next(refund.status, "complete");
  if (status === undefined) return undefined;
  const completed = balance.completed + refund.base_amount;
  return {
    event: TRANSITIONS.complete.event,
    balance: { ...balance, completed },
    refund: {
      ...refund,
      status,
      tx_hash: proof.txHash,
      block_number: proof.blockNumber,
      completed_at: proof.now,
      refunded_base_amount: completed,
      version: refund.version + 1,
    },
  };
};

/** The refund will not come; what it held of the payment is free again. Undefined when it is settled already. */
export const fail = (refund: Refund, balance: Balance, reason: string): Settled | undefined => {
  const status = next(refund.status, "fail");
  if (status === undefined) return undefined;
  return {
    event: TRANSITIONS.fail.event,
    balance: { ...balance, reserved: balance.reserved - refund.base_amount },
    refund: {
      ...refund,
      status,
      failure_reason: reason,
      refunded_base_amount: balance.completed,
      version: refund.version + 1,
    },
  };
};

const TX_HASH = /^0x[0-9a-f]{64}$/;

/** What a submitted hash means for a refund: the refund with it, nothing new, or a refusal in public words. */
export type Submission =
  | { kind: "taken"; refund: Refund }
  | { kind: "unchanged" }
  | { kind: "malformed"; message: string }
  | { kind: "refused"; message: string };

export const submission = (refund: Refund, text: string): Submission => {
  const txHash = text.toLowerCase();
  if (!TX_HASH.test(txHash)) {
    return { kind: "malformed", message: "txHash must be a 32-byte hex string" };
  }
  if (refund.tx_hash === txHash) return { kind: "unchanged" };
  if (next(refund.status, "submit") === undefined) {
    const expected = TRANSITIONS.submit.from.join(", ");
    return { kind: "refused", message: `Refund is ${refund.status}; expected ${expected}` };
  }
  if (refund.tx_hash !== null) {
    return { kind: "refused", message: "Refund already has another transaction" };
  }
  return { kind: "taken", refund: { ...refund, tx_hash: txHash } };
};

/** Nobody sent the money in time. With a hash it is never overdue: the money may be under way. */
export const isOverdue = (refund: Refund, createdBefore: Date): boolean =>
  refund.tx_hash === null &&
  refund.created_at < createdBefore &&
  next(refund.status, "fail") !== undefined;
