import type { RowFrom } from "@pay/database";
import type { EventType, TimelineStep } from "@pay/events";
import type { Amount, Needs } from "@pay/values";
import type { PaymentModel } from "../generated/prisma/models.ts";

export type Status =
  | "created"
  | "pending"
  | "processing"
  | "confirmed"
  | "failed"
  | "expired"
  | "refunded";

/** The decision of the merchant about money that came too late. */
export type LateDecision = "accepted" | "rejected";

/** A submitted hash and its verdict; null while it is being verified. */
export interface OtherHash {
  hash: string;
  by_merchant: boolean;
  verdict: string | null;
}

/** A row of the table. */
export type Payment = RowFrom<
  Omit<PaymentModel, "steps">,
  {
    status: Status;
    base_amount: Amount;
    received_base_amount: Amount | null;
    /** Hashes and wallets are text with 0x, in lower case. */
    tx_hash: string | null;
    payer_address: string | null;
    sender_address: string | null;
    seen_sender: string | null;
    needs_hash: string | null;
    needs: Needs | null;
    late_decision: LateDecision | null;
    /** Besides tx_hash, in the order of their submission. */
    other_hashes: OtherHash[] | null;
  }
>;

/** Columns that moves change besides the status and the version. */
type Changing =
  | "tx_hash"
  | "block_number"
  | "payer_address"
  | "sender_address"
  | "received_base_amount"
  | "failure_code"
  | "other_hashes"
  | "merchant_submitted"
  | "payer_declared_at"
  | "payer_signed_at"
  | "attempts"
  | "extensions"
  | "confirmed_at"
  | "reorged_at"
  | "late_decision"
  | "seen_sender"
  | "refunded_at"
  | "refund_declared"
  | "needs"
  | "needs_hash"
  | "needs_turn";

/** Columns that a creation leaves to their defaults. */
export type Later = Pick<Payment, Changing | "version">;

/** A creation sets it, and an extension moves it. */
type Moving = "expires_at";

interface Transition {
  from: readonly Status[];
  /** Absent: the status stays. */
  to?: Status;
  event: Extract<EventType, `payment.${string}`>;
  /** The step that the timeline gets; null for none. */
  step: RecordedStep | null;
}

/** The creation is read from the payment itself. */
export type RecordedStep = Exclude<TimelineStep, "created">;

/**
 * All moves. A customer may submit another hash while one is being verified or after one has failed, and each keeps its
 * own verdict: a proof confirms the payment whatever another hash has made of it.
 */
export const TRANSITIONS = {
  declarePayer: {
    from: ["created", "pending"],
    event: "payment.payer_declared",
    step: "payer_declared",
  },
  /** By a signature that a claim on hold waits for. */
  signPayer: { from: ["processing"], event: "payment.payer_declared", step: "payer_declared" },
  changeNeeds: { from: ["processing"], event: "payment.needs_changed", step: null },
  extend: { from: ["created", "pending"], event: "payment.extended", step: "extended" },
  cancel: {
    from: ["created", "pending"],
    to: "expired",
    event: "payment.expired",
    step: "expired",
  },
  submit: {
    from: ["created", "pending", "processing", "failed"],
    to: "processing",
    event: "payment.processing",
    step: "transaction_submitted",
  },
  /** A transfer that chains finds without a hash counts like a submitted one. */
  observe: {
    from: ["created", "pending", "processing", "failed"],
    to: "processing",
    event: "payment.processing",
    step: "transaction_submitted",
  },
  /** Of two hashes under verification the mined one becomes the hash of the payment. */
  preferMined: { from: ["processing"], event: "payment.processing", step: null },
  /** The hash of the payment is rejected, and another one without a verdict takes its place. */
  switchHash: { from: ["processing"], event: "payment.processing", step: "transaction_refuted" },
  rejectHash: { from: ["processing"], event: "payment.refuted", step: "transaction_refuted" },
  confirm: {
    from: ["created", "pending", "processing", "failed", "expired"],
    to: "confirmed",
    event: "payment.confirmed",
    step: "confirmed",
  },
  /** A reorganization has removed the proof, and its hash is verified again. */
  revoke: {
    from: ["confirmed"],
    to: "processing",
    event: "payment.processing",
    step: "transaction_reorged",
  },
  fail: { from: ["processing"], to: "failed", event: "payment.failed", step: "failed" },
  /** A payment under verification expires only when its hash was not found. */
  expire: {
    from: ["created", "pending", "processing"],
    to: "expired",
    event: "payment.expired",
    step: "expired",
  },
  /** Its transfer was mined after the time limit. */
  expireLate: { from: ["processing"], to: "expired", event: "payment.expired", step: "paid_late" },
  acceptLate: {
    from: ["expired", "failed"],
    event: "payment.late_accepted",
    step: "late_accepted",
  },
  rejectLate: { from: ["expired"], event: "payment.late_rejected", step: "late_rejected" },
  addSurplus: {
    from: ["confirmed", "refunded"],
    event: "payment.surplus",
    step: "surplus_received",
  },
  /** A reorganization has removed the block of the surplus. */
  dropSurplus: {
    from: ["confirmed", "refunded"],
    event: "payment.surplus",
    step: "transaction_reorged",
  },
  refund: { from: ["confirmed"], to: "refunded", event: "payment.refunded", step: "refunded" },
  refundPart: { from: ["confirmed"], event: "payment.refunded", step: "refunded_in_part" },
  refundSurplus: { from: ["refunded"], event: "payment.refunded", step: "surplus_refunded" },
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof TRANSITIONS;

// A step that no move takes does not compile.
type Taken = (typeof TRANSITIONS)[Trigger]["step"];
true satisfies [Exclude<RecordedStep, Taken>] extends [never] ? true : false;

/** Columns that may change besides the status. */
export type Change = Partial<Pick<Payment, Changing | Moving>>;

/** A payment after a move. */
export interface Move {
  trigger: Trigger;
  payment: Payment;
  /** The hash that the step is about, with its verdict; absent: the payment's own. */
  about?: HashVerdict | undefined;
}

export interface HashVerdict {
  hash: string;
  verdict: string | null;
}

/** Undefined where the table has no such move. Only a payment under verification needs anything besides the chain. */
export function move(
  payment: Payment,
  trigger: Trigger,
  change: Change,
  about?: HashVerdict,
): Move | undefined {
  const { from, to = payment.status } = TRANSITIONS[trigger] as Transition;
  if (!from.includes(payment.status)) return undefined;
  const moved = { ...payment, ...change, status: to, version: payment.version + 1 };
  const after = to === "processing" ? moved : { ...moved, needs: null };
  return { trigger, payment: after, about };
}
