// Queries for no single tenant: verdicts of the chain, completed refunds and the expiry concern payments of many
// projects in one list, and a client secret proves its holder without a project. No other response to a caller is
// made from them.
import type { Queryable } from "@pay/database";
import type { TxHash } from "@pay/values";
import type { PoolClient } from "pg";
import { LATE } from "../domain/change.ts";
import type { Payment } from "../domain/payment.ts";
import {
  claimLostPayments,
  claimUnpaidPayments,
  findPaymentsByNames,
  markMined as markMinedRows,
  markPaidLate as markPaidLateRows,
} from "../generated/sql.ts";
import { formatStep } from "./timelines.ts";

/** Claimed in two statements, because each part of the table has its own index over the time. */
export async function claimDuePayments(
  tx: PoolClient,
  { expiredBefore, lostBefore, limit }: { expiredBefore: Date; lostBefore: Date; limit: number },
): Promise<Payment[]> {
  const unpaid = await claimUnpaidPayments(tx, { expiredBefore, limit });
  const lost = await claimLostPayments(tx, { expiredBefore: lostBefore, limit });
  return [...unpaid, ...lost];
}

/** An id is searched within its project only. */
export interface PaymentName {
  projectId: string;
  paymentId: string;
}

function toRow({ projectId, paymentId }: PaymentName) {
  return { project_id: projectId, id: paymentId };
}

/** For verdicts and refunds; the caller compares the mode. */
export function findByNames(db: Queryable, names: readonly PaymentName[]): Promise<Payment[]> {
  return findPaymentsByNames(db, { names: names.map(toRow) });
}

interface PaymentHash extends PaymentName {
  txHash: TxHash;
}

export async function markMined(
  db: Queryable,
  mined: readonly (PaymentHash & { blockNumber: bigint })[],
): Promise<void> {
  if (mined.length === 0) return;
  await markMinedRows(db, {
    mined: mined.map(({ txHash, blockNumber, ...name }) => ({
      ...toRow(name),
      tx_hash: txHash,
      block_number: blockNumber,
    })),
  });
}

/** Records transfers that came after their payment had expired, unless the expiry has recorded them. */
export async function markPaidLate(
  db: Queryable,
  transfers: readonly PaymentHash[],
  now: Date,
): Promise<void> {
  if (transfers.length === 0) return;
  const step = { event: "paid_late", status: "expired", happened_at: now, reason: LATE } as const;
  await markPaidLateRows(db, {
    transfers: transfers.map(({ txHash, ...name }) => ({
      ...toRow(name),
      hash_digits: txHash.slice("0x".length),
      step: formatStep({ ...step, tx_hash: txHash }),
    })),
  });
}
