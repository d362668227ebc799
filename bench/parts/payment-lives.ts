// Payments as the service stores them, from the creation to the proof, without the calls around it: the same decisions
// and statements as in the product, in lists of a given length.
import { randomBytes } from "node:crypto";
import { newId, toAddress, toTxHash } from "@pay/values";
import type { Pool } from "pg";
import { applyMoney } from "../../services/payments/src/domain/apply-money.ts";
import { applySubmission } from "../../services/payments/src/domain/apply-submission.ts";
import type { Move, Payment } from "../../services/payments/src/domain/payment.ts";
import { sampleMoney } from "../../services/payments/src/domain/sample-history.ts";
import { samplePayment } from "../../services/payments/src/domain/sample-payment.ts";
import { recordMove, toEvent } from "../../services/payments/src/messages.ts";
import { insertPayments, movePayments } from "../../services/payments/src/storage/payments.ts";

const CHAIN_ID = 31_337n;
const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

function hex(bytes: number) {
  return `0x${randomBytes(bytes).toString("hex")}`;
}

function created(projectId: string, orderId: string, now: Date): Payment {
  const given = { chain_id: CHAIN_ID, recipient_address: RECIPIENT, order_id: orderId };
  return {
    ...samplePayment(now, given),
    id: newId("pay", now.getTime()),
    project_id: projectId,
  };
}

function submitted(payment: Payment, now: Date): Move {
  const hash = { txHash: toTxHash(hex(32)), payer: undefined, byMerchant: false, assign: false };
  const result = applySubmission(payment, hash, now);
  if (result instanceof Error || result.kind !== "moved") throw new Error("a hash was refused");
  return result;
}

function proven(payment: Payment, now: Date): Move {
  const hash = toTxHash(payment.tx_hash ?? "");
  const amount = payment.base_amount;
  const money = sampleMoney(payment, {
    seen: amount,
    final: amount,
    txHash: hash,
    blockNumber: 21_000_000n,
    senders: [{ address: toAddress(hex(20)), base_amount: `${amount}` }],
    hashes: [{ hash, outcome: "counted", isMined: true }],
  });
  const outcome = applyMoney(payment, money, now);
  if (outcome.kind !== "moved") throw new Error("a proof was refused");
  return outcome;
}

/** Stores a list of new payments. */
export async function createList(
  db: Pool,
  { projectId, now, orderIds }: { projectId: string; now: Date; orderIds: readonly string[] },
): Promise<Payment[]> {
  const payments = orderIds.map((orderId) => created(projectId, orderId, now));
  const inserts = payments.map((payment) => ({
    payment,
    key: undefined,
    event: toEvent("payment.created", payment, now, ""),
  }));
  const done = await insertPayments(db, inserts);
  if (done.size !== payments.length) throw new Error("a payment was not stored");
  return payments;
}

const MOVES = { submit: submitted, confirm: proven } as const;

/** Moves a list of payments on. */
export async function moveList(
  db: Pool,
  {
    payments,
    trigger,
    now,
  }: { payments: readonly Payment[]; trigger: keyof typeof MOVES; now: Date },
): Promise<Payment[]> {
  const moved = payments.map((payment) => MOVES[trigger](payment, now));
  const done = await movePayments(
    db,
    moved.map((one) => recordMove(one, now, { requestId: "" })),
  );
  if (done.size !== moved.length) throw new Error("a payment was not moved");
  return moved.map(({ payment }) => payment);
}
