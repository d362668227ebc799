import type { RowFrom } from "@pay/database";
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

/** A hash that was submitted for a payment, and what became of it; without a verdict it is under judgement. */
export interface OtherHash {
  hash: string;
  by_merchant: boolean;
  verdict: string | null;
}

/** A row of the table. Numbers of the chain are bigint throughout. */
export type Payment = RowFrom<
  Omit<PaymentModel, "steps">,
  {
    status: Status;
    base_amount: Amount;
    received_base_amount: Amount | null;
    /** As the merchant wrote them. */
    currency: string;
    recipient_address: string;
    /** Hashes and wallets are text with 0x, in lower case. */
    tx_hash: string | null;
    payer_address: string | null;
    sender_address: string | null;
    seen_sender: string | null;
    needs_hash: string | null;
    needs: Needs | null;
    late_decision: "accepted" | "rejected" | null;
    /** Those besides tx_hash, in the order of their submission. */
    other_hashes: OtherHash[] | null;
  }
>;

/** The columns that moves change besides the status and the version. */
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

/** The columns that a creation leaves to their defaults. */
export type Later = Pick<Payment, Changing | "version">;

/** A creation sets it, and an extension moves it. */
type Moving = "expires_at";

interface Transition {
  from: readonly Status[];
  /** Absent: the status stays. */
  to?: Status;
  event: string;
}

/**
 * All moves. A shopper may send another hash while one is being judged or after
 * one has failed, and all of them stay under judgement, so a proof confirms whatever another hash has made of the
 * payment, and a refutation falls back to a hash that has no verdict yet. A proof that leaves the chain in a
 * reorganisation is taken back, and its hash is under judgement again. Processing expires only when no hash was found. A transfer that chains finds without a hash counts like a submitted one. What comes on top of the amount, and
 * what goes back of it, leaves the status as it is.
 */
export const TRANSITIONS = {
  declarePayer: { from: ["created", "pending"], event: "payment.payer_declared" },
  /** By a signature that a held claim waits for. */
  signPayer: { from: ["processing"], event: "payment.payer_declared" },
  changeNeeds: { from: ["processing"], event: "payment.needs_changed" },
  extend: { from: ["created", "pending"], event: "payment.extended" },
  cancel: { from: ["created", "pending"], to: "expired", event: "payment.expired" },
  submit: {
    from: ["created", "pending", "processing", "failed"],
    to: "processing",
    event: "payment.processing",
  },
  see: {
    from: ["created", "pending", "processing", "failed"],
    to: "processing",
    event: "payment.processing",
  },
  fallBack: { from: ["processing"], event: "payment.processing" },
  refute: { from: ["processing"], event: "payment.refuted" },
  confirm: {
    from: ["created", "pending", "processing", "failed", "expired"],
    to: "confirmed",
    event: "payment.confirmed",
  },
  unconfirm: { from: ["confirmed"], to: "processing", event: "payment.processing" },
  fail: { from: ["processing"], to: "failed", event: "payment.failed" },
  expire: {
    from: ["created", "pending", "processing"],
    to: "expired",
    event: "payment.expired",
  },
  acceptLate: { from: ["expired", "failed"], event: "payment.late_accepted" },
  rejectLate: { from: ["expired"], event: "payment.late_rejected" },
  addSurplus: { from: ["confirmed", "refunded"], event: "payment.surplus" },
  /** Its block has left the chain. */
  dropSurplus: { from: ["confirmed", "refunded"], event: "payment.surplus" },
  refund: { from: ["confirmed"], to: "refunded", event: "payment.refunded" },
  refundPart: { from: ["confirmed", "refunded"], event: "payment.refunded" },
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof TRANSITIONS;

/** What may change besides the status. */
export type Change = Partial<Pick<Payment, Changing | Moving>>;

/** The payment after the move, or undefined where the table has no such move. A payment with a verdict needs nothing. */
export function move(payment: Payment, trigger: Trigger, change: Change): Payment | undefined {
  const { from, to = payment.status } = TRANSITIONS[trigger] as Transition;
  if (!from.includes(payment.status)) return undefined;
  const moved = { ...payment, ...change, status: to, version: payment.version + 1 };
  return to === "processing" ? moved : { ...moved, needs: null };
}
