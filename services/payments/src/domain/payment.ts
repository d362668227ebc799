export type Status =
  | "created"
  | "pending"
  | "processing"
  | "confirmed"
  | "failed"
  | "expired"
  | "refunded";

/** The fields are the columns, so a row needs no translation. Numbers of the chain are bigint throughout. */
export interface Payment {
  id: string;
  project_id: string;
  mode: number;
  variant: number;
  status: Status;
  amount: string;
  base_amount: bigint;
  decimals: number;
  currency: string;
  chain_id: bigint;
  recipient_address: string;
  description: string | null;
  metadata_json: string | null;
  qr_mode: boolean;
  order_id: string | null;
  customer_id: string | null;
  secret_version: number;
  expires_at: Date;
  created_at: Date;
  confirmed_at: Date | null;
  refunded_at: Date | null;
  refund_declared: boolean;
  tx_hash: string | null;
  block_number: bigint | null;
  payer_address: string | null;
  sender_address: string | null;
  received_base_amount: bigint | null;
  failure_code: string | null;
  attempts: number;
  version: number;
}

interface Transition {
  from: readonly Status[];
  to: Status;
  event: string;
}

/**
 * Every move there is. Rows that need a word: a shopper may send another hash while one is being judged or after
 * one has failed; a payment whose transfer was mined in time but seen late comes back from expired; processing
 * expires only when its hash was never found. A completed refund of a part is news, but the payment stays confirmed.
 */
export const TRANSITIONS = {
  submit: {
    from: ["created", "pending", "processing", "failed"],
    to: "processing",
    event: "payment.processing",
  },
  confirm: { from: ["processing", "expired"], to: "confirmed", event: "payment.confirmed" },
  fail: { from: ["processing"], to: "failed", event: "payment.failed" },
  expire: {
    from: ["created", "pending", "processing"],
    to: "expired",
    event: "payment.expired",
  },
  refund: { from: ["confirmed"], to: "refunded", event: "payment.refunded" },
  refundPart: { from: ["confirmed"], to: "confirmed", event: "payment.refunded" },
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof TRANSITIONS;

/** What may change besides the status. */
export type Change = Partial<
  Pick<
    Payment,
    | "tx_hash"
    | "block_number"
    | "payer_address"
    | "sender_address"
    | "received_base_amount"
    | "failure_code"
    | "attempts"
    | "confirmed_at"
    | "refunded_at"
    | "refund_declared"
  >
>;

/** The payment after the move, or undefined where the table has no such move. */
export const move = (payment: Payment, trigger: Trigger, change: Change): Payment | undefined => {
  const { from, to } = TRANSITIONS[trigger] as Transition;
  if (!from.includes(payment.status)) return undefined;
  return { ...payment, ...change, status: to, version: payment.version + 1 };
};
