import { create } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { planMessages, rowToMessage } from "@pay/database";
import { planEvents } from "@pay/events";
import {
  type Payment as Message,
  PaymentSchema,
  PaymentSnapshotSchema,
  type Step as StepMessage,
  StepSchema,
  type UnpaidPayment,
  UnpaidPaymentSchema,
} from "@pay/proto";
import { type Move, type Payment, TRANSITIONS } from "./domain/payment.ts";
import { listHashes, listSenders } from "./domain/state.ts";
import { getSteps, type Step } from "./domain/timeline.ts";
import type { FindOpenPaymentsRow } from "./generated/sql.ts";

/** Columns that no response and no event has. */
const INTERNAL = {
  secret_version: "internal",
  reorged_at: "internal",
  due_at: "internal",
  money_tx_hash: "internal",
  money_turn: "internal",
  late_base_amount: "internal",
  late_final_base_amount: "internal",
  accepted_base_amount: "internal",
  surplus_refunded_base_amount: "internal",
  reserved_base_amount: "internal",
  screened_base_amount: "internal",
} as const;

/** Columns that messages have as lists of other messages. */
type Lists = "hashes" | "senders" | "arrived" | "screened";

const PAYMENTS = planMessages<typeof PaymentSchema, Omit<Payment, Lists>>(PaymentSchema, {
  ...INTERNAL,
  clientSecret: "unstored",
  hashes: "unstored",
  senders: "unstored",
  arrived: "unstored",
  screened: "unstored",
});

const STEPS = planMessages<typeof StepSchema, Step>(StepSchema, {
  at: "unstored",
  happened_at: "internal",
});

/** Without the client secret, which only the response of a creation has. */
export function toMessage(payment: Payment): Message {
  const { hashes, senders, arrived, screened } = create(PaymentSchema, {
    ...toLists(payment),
    screened: payment.screened ?? [],
    senders: listSenders(payment).map(({ address, base_amount: baseAmount }) => ({
      address,
      baseAmount,
    })),
  });
  return { ...rowToMessage(PAYMENTS, hideBlock(payment)), hashes, senders, arrived, screened };
}

function toLists(payment: Payment) {
  return {
    hashes: listHashes(payment).map(({ hash, by_merchant, assigned, outcome }) => ({
      txHash: hash,
      byMerchant: by_merchant ?? false,
      isAssigned: assigned ?? false,
      ...(outcome !== undefined && { outcome }),
    })),
    arrived: (payment.arrived ?? []).map(({ base_amount, at, tx_hash, sender_address }) => ({
      baseAmount: base_amount,
      at: timestampFromMs(at),
      txHash: tx_hash,
      senderAddress: sender_address,
    })),
  };
}

const UNPAID = planMessages<typeof UnpaidPaymentSchema, FindOpenPaymentsRow>(UnpaidPaymentSchema, {
  n: "internal",
  changed_xid: "internal",
});

export function toUnpaid(row: FindOpenPaymentsRow): UnpaidPayment {
  return rowToMessage(UNPAID, row);
}

/** The block of a transfer is known before its proof, and shown with the proof. */
function hideBlock(payment: Payment): Payment {
  return payment.confirmed_at === null ? { ...payment, block_number: null } : payment;
}

export function toStep(step: Step): StepMessage {
  return { ...rowToMessage(STEPS, step), at: timestampFromDate(step.happened_at) };
}

const planEvent = planEvents<typeof PaymentSnapshotSchema, Omit<Payment, Lists>, Payment>(
  PaymentSnapshotSchema,
  {
    ...INTERNAL,
    source: "internal",
    requested_by: "internal",
    hashes: "unstored",
    arrived: "unstored",
  },
  (payment) => {
    const { hashes, arrived } = create(PaymentSnapshotSchema, toLists(payment));
    return { hashes, arrived };
  },
);

/** The event of a change, with the payment right after it. */
export const toEvent: typeof planEvent = (type, payment, at, requestId) =>
  planEvent(type, hideBlock(payment), at, requestId);

/** The payment after a move, with its steps and its event, ready for the statement. */
export function recordMove(
  move: Move,
  now: Date,
  { requestId, requestedBy = null }: { requestId: string; requestedBy?: string | null | undefined },
) {
  const { payment, trigger } = move;
  const event = toEvent(TRANSITIONS[trigger].event, payment, now, requestId);
  return { payment, steps: getSteps(move, now, requestedBy), event };
}
