// The moves of intents. Each is guarded by the state that it leaves, so a process that lost its lease changes nothing.
import { eventRow, type OutboxRow } from "@pay/events";
import type { TxHash } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { HeldReason, SignedIntent, UnsentReason } from "../domain/intent.ts";
import { type Subject, toSubjectRow } from "./intents.ts";

// The builder of a block chooses its time, and the clock of a shop may be wrong.
const CLOCK_SLACK_MS = 60_000;

export interface Mined {
  intent: SignedIntent;
  txHash: TxHash;
  block: number;
  /** Of the next round. */
  nextAt: Date;
}

/**
 * A transaction came into a block: it is verified like one that a merchant submits, until it is final. It is never
 * given up, because only the wallet's nonce shows whether it can still be mined.
 */
export async function markMined(pool: Pool, mined: readonly Mined[], now: Date): Promise<void> {
  if (mined.length === 0) return;
  await sql.markMined(pool, {
    now,
    mined: mined.map(({ intent, txHash, block, nextAt }) => ({
      ...toSubjectRow(intent),
      tx_hash: txHash,
      block,
      not_before: new Date(intent.owedSince.getTime() - CLOCK_SLACK_MS),
      next_at: nextAt,
    })),
  });
}

/** Its block left the chain. */
export async function markUnmined(pool: Pool, intents: readonly Subject[]): Promise<void> {
  if (intents.length > 0) await sql.markUnmined(pool, { intents: intents.map(toSubjectRow) });
}

export async function completeIntents(
  pool: Pool,
  intents: readonly Subject[],
  now: Date,
): Promise<void> {
  if (intents.length > 0) {
    await sql.completeIntents(pool, { intents: intents.map(toSubjectRow), now });
  }
}

export interface Later {
  intent: Subject;
  heldReason: HeldReason | undefined;
  nextAt: Date;
}

export async function rescheduleIntents(pool: Pool, later: readonly Later[]): Promise<void> {
  if (later.length === 0) return;
  await sql.rescheduleIntents(pool, {
    intents: later.map(({ intent, heldReason, nextAt }) => ({
      ...toSubjectRow(intent),
      held_reason: heldReason ?? null,
      next_at: nextAt,
    })),
  });
}

interface Failed {
  intent: Subject;
  from: "waiting" | "signed";
  reason: UnsentReason;
  now: Date;
}

/** Ends a sweep that no transaction makes. False where it has moved. */
export async function failSweep(pool: Pool, { intent, ...move }: Failed): Promise<boolean> {
  const { projectId, mode, subjectId } = intent;
  const [row] = await sql.failSweep(pool, { ...move, projectId, mode, subjectId });
  return row?.ended === 1;
}

/** Ends an intent that no transaction pays; its refund or settlement fails. False where it has moved. */
export async function failIntent(
  pool: Pool,
  options: Failed & { event: OutboxRow },
): Promise<boolean> {
  const { intent, event, ...move } = options;
  const { projectId, mode, subjectId } = intent;
  const changed = await sql.failIntent(pool, {
    ...move,
    projectId,
    mode,
    subjectId,
    events: [eventRow(event)],
  });
  return changed === 1;
}
