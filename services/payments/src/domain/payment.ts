import type { RowFrom } from "@pay/database";
import type { EventType, TimelineStep } from "@pay/events";
import type { Amount, Needs, ScreeningCause, UnnamedTransfers } from "@pay/values";
import type { PaymentModel } from "../generated/prisma/models.ts";

export type Status =
  | "created"
  | "pending"
  | "processing"
  | "confirmed"
  | "failed"
  | "expired"
  | "refunded";

/** The decision of the merchant about money that is too little or came too late. */
export type LateDecision = "accepted" | "rejected";

/** A transaction that was submitted for a payment. What does not hold is absent, which saves bytes. */
export interface SubmittedHash {
  hash: string;
  /** The merchant's secret key submitted it. */
  by_merchant?: true;
  /** The merchant has assigned its transfers to the payment. */
  assigned?: true;
  /** It is in a block and has no outcome yet. */
  mined?: true;
  /** counted, or why it is not; absent while it is being verified. */
  outcome?: string;
  /** When it was submitted, in milliseconds; only where that was after expires_at. */
  at?: number;
}

/** The sum that one wallet sent. */
export interface SenderSum {
  address: string;
  base_amount: string;
}

/** A transfer that may be meant for the payment. */
export interface ArrivedAmount {
  base_amount: string;
  /** Milliseconds. */
  at: number;
  tx_hash: string;
  sender_address: string;
}

/** A wallet that screening has named. */
export interface ScreenedWallet {
  address: string;
  cause: ScreeningCause;
}

/** A row of the table. */
export type Payment = RowFrom<
  Omit<PaymentModel, "steps" | "changed_xid">,
  {
    status: Status;
    base_amount: Amount;
    received_base_amount: Amount | null;
    final_base_amount: Amount | null;
    late_base_amount: Amount | null;
    late_final_base_amount: Amount | null;
    accepted_base_amount: Amount | null;
    refunded_base_amount: Amount | null;
    surplus_refunded_base_amount: Amount | null;
    reserved_base_amount: Amount | null;
    /** Hashes and wallets are text with 0x, in lower case. */
    tx_hash: string | null;
    money_tx_hash: string | null;
    payer_address: string | null;
    sender_address: string | null;
    needs: Needs | null;
    late_decision: LateDecision | null;
    unnamed_transfers: UnnamedTransfers | null;
    /** In the order of their submission. */
    hashes: SubmittedHash[] | null;
    senders: SenderSum[] | null;
    arrived: ArrivedAmount[] | null;
    /** Those that the merchant was told of; none leaves the list. */
    screened: ScreenedWallet[] | null;
    screened_base_amount: Amount | null;
  }
>;

/** Columns that moves change besides the status and the version. */
type Changing =
  | "tx_hash"
  | "money_tx_hash"
  | "block_number"
  | "payer_address"
  | "payer_signed_at"
  | "sender_address"
  | "senders"
  | "received_base_amount"
  | "final_base_amount"
  | "late_base_amount"
  | "late_final_base_amount"
  | "money_turn"
  | "hashes"
  | "arrived"
  | "screened"
  | "screened_base_amount"
  | "needs"
  | "failure_code"
  | "extensions"
  | "cancelled_at"
  | "closed_at"
  | "confirmed_at"
  | "reorged_at"
  | "due_at"
  | "late_decision"
  | "accepted_base_amount"
  | "refunded_at"
  | "refund_declared"
  | "refunded_base_amount"
  | "surplus_refunded_base_amount"
  | "reserved_base_amount";

/** Columns that a creation leaves to their defaults. */
export type Later = Pick<Payment, Changing | "version">;

/** A creation sets it, and an extension moves it. */
type Moving = "expires_at";

interface Transition {
  from: readonly Status[];
  /** Absent: the status stays. */
  to?: readonly Status[];
  event: Extract<EventType, `payment.${string}`>;
  /** The step that the timeline gets; null for none. */
  step: RecordedStep | null;
}

/** The creation is read from the payment itself. */
export type RecordedStep = Exclude<TimelineStep, "created">;

const OPEN = ["created", "pending"] as const;
const UNPAID = ["created", "pending", "processing", "failed", "expired"] as const;
const PAID = ["confirmed", "refunded"] as const;
const ALL = [...UNPAID, ...PAID] as const;

/** All moves. Facts decide about the status, in deriveState; a move that is not here is not made. */
export const TRANSITIONS = {
  declarePayer: { from: UNPAID, event: "payment.payer_declared", step: "payer_declared" },
  extend: { from: OPEN, event: "payment.extended", step: "extended" },
  cancel: { from: OPEN, to: ["expired"], event: "payment.expired", step: "expired" },
  submit: {
    from: [...OPEN, "failed", "expired"],
    to: ["processing"],
    event: "payment.processing",
    step: "transaction_submitted",
  },
  /** One more hash, or the merchant's word on a known one. */
  submitMore: { from: UNPAID, event: "payment.submitted", step: "transaction_submitted" },
  /** Enough money is in a block. */
  observe: {
    from: [...OPEN, "failed", "expired"],
    to: ["processing"],
    event: "payment.processing",
    step: "transaction_submitted",
  },
  /** A submitted hash does not count, and the payment waits for another. */
  refute: { from: ["processing"], event: "payment.refuted", step: "transaction_refuted" },
  confirm: {
    from: [...UNPAID, "refunded"],
    to: ["confirmed"],
    event: "payment.confirmed",
    step: "confirmed",
  },
  /** A reorganization has removed the proof. */
  revoke: {
    from: PAID,
    to: ["processing"],
    event: "payment.processing",
    step: "transaction_reorged",
  },
  /** The same of money that the merchant had accepted after cancelling. */
  voidAccepted: {
    from: PAID,
    to: ["expired"],
    event: "payment.expired",
    step: "transaction_reorged",
  },
  fail: {
    from: [...OPEN, "processing", "expired"],
    to: ["failed"],
    event: "payment.failed",
    step: "failed",
  },
  expire: {
    from: [...OPEN, "processing", "failed"],
    to: ["expired"],
    event: "payment.expired",
    step: "expired",
  },
  /** Money came after the end. */
  expireLate: {
    from: [...OPEN, "processing", "failed"],
    to: ["expired"],
    event: "payment.expired",
    step: "paid_late",
  },
  receive: {
    from: [...OPEN, "failed", "expired"],
    event: "payment.received",
    step: "part_received",
  },
  receiveLate: { from: ["failed", "expired"], event: "payment.received", step: "paid_late" },
  receiveSurplus: { from: PAID, event: "payment.received", step: "surplus_received" },
  /** More came after all was refunded. */
  receiveAgain: {
    from: ["refunded"],
    to: ["failed", "expired", "confirmed"],
    event: "payment.received",
    step: "part_received",
  },
  /** A block with money that was not needed has left the chain. */
  lose: {
    from: [...OPEN, "failed", "expired", ...PAID],
    event: "payment.received",
    step: "transaction_reorged",
  },
  /** Screening has named a wallet. */
  screen: { from: ALL, event: "payment.screened", step: "screened" },
  rejectMoney: {
    from: ["failed", "expired"],
    event: "payment.late_rejected",
    step: "late_rejected",
  },
  refund: {
    from: [...UNPAID, "confirmed"],
    to: ["refunded"],
    event: "payment.refunded",
    step: "refunded",
  },
  refundPart: {
    from: [...UNPAID, "confirmed"],
    event: "payment.refunded",
    step: "refunded_in_part",
  },
  refundSurplus: { from: ["refunded"], event: "payment.refunded", step: "surplus_refunded" },
  /** A reorganization has removed a refund, or the merchant has cancelled it. */
  undoRefund: {
    from: ["refunded"],
    to: ["confirmed", "failed", "expired"],
    event: "payment.changed",
    step: "refund_undone",
  },
  undoRefundPart: { from: ALL, event: "payment.changed", step: "refund_undone" },
  /** A change that merchants are not notified of. */
  change: { from: ALL, event: "payment.changed", step: null },
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof TRANSITIONS;

/** A step beside that of the move. */
export const ACCEPTED_STEP = "late_accepted";

// A step that no move takes does not compile.
type Taken = (typeof TRANSITIONS)[Trigger]["step"] | typeof ACCEPTED_STEP;
true satisfies [Exclude<RecordedStep, Taken>] extends [never] ? true : false;

/** Columns that may change besides the status. */
export type Change = Partial<Pick<Payment, Changing | Moving>>;

/** A payment after a move. */
export interface Move {
  trigger: Trigger;
  /** As the move leaves it. */
  payment: Payment;
  /** The hash that the step is about, with its outcome; absent: the payment's own. */
  about?: HashVerdict | undefined;
  /** A step before that of the move. */
  before?: typeof ACCEPTED_STEP | undefined;
}

export interface HashVerdict {
  hash: string;
  verdict: string | null;
}

export function isAllowed(trigger: Trigger, before: Status, after: Status): boolean {
  const { from, to } = TRANSITIONS[trigger] as Transition;
  return from.includes(before) && (to === undefined ? after === before : to.includes(after));
}
