import type { FinalityPolicy } from "../../catalog/domain/finality.ts";

const MISSING_MAX_MS = 30_000;
const WAITING_MIN_MS = 250;
const OVERDUE_MS = 10 * 60_000;

/** An unknown transaction: 1, 2, 4 … 30 s, because most appear within moments and some never. */
export function delayWhileMissingMs(misses: number): number {
  return Math.min(1_000 * 2 ** Math.min(misses, 10), MISSING_MAX_MS);
}

/** A transaction that waits for its block: about one block's time. */
export function delayWhilePendingMs(blockTimeMs: number): number {
  return Math.min(Math.max(blockTimeMs, WAITING_MIN_MS), MISSING_MAX_MS);
}

/** A mined transaction that is not final yet: about the time of the missing blocks, within bounds. */
export function delayUntilSettledMs(
  { blockNumber, head }: { blockNumber: number; head: number },
  policy: FinalityPolicy,
  blockTimeMs: number,
): number {
  const missing =
    policy.mode === "confirmations" ? blockNumber + policy.confirmations - 1 - head : 1;
  const delayMs = Math.max(missing, 1) * blockTimeMs;
  return Math.min(Math.max(delayMs, WAITING_MIN_MS), MISSING_MAX_MS);
}

/** A transaction after its time: rarely. */
export function delayWhenOverdueMs(delayMs: number): number {
  return Math.max(delayMs, OVERDUE_MS);
}
