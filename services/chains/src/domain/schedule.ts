import type { FinalityPolicy } from "./finality.ts";

const MISSING_MAX_MS = 30_000;
const WAITING_MIN_MS = 250;

/** A transaction nobody knows: 1, 2, 4 … 30 s, because most appear within moments and some never. */
export const delayWhileMissingMs = (misses: number): number =>
  Math.min(1_000 * 2 ** Math.min(misses, 10), MISSING_MAX_MS);

/** A transaction that waits for its block: about one block's time. */
export const delayWhilePendingMs = (blockTimeMs: number): number =>
  Math.min(Math.max(blockTimeMs, WAITING_MIN_MS), MISSING_MAX_MS);

/** A transaction that still has to be buried: about the time the missing blocks take, but never long blind. */
export const delayUntilSettledMs = (
  { blockNumber, head }: { blockNumber: number; head: number },
  policy: FinalityPolicy,
  blockTimeMs: number,
): number => {
  const missing =
    policy.mode === "confirmations" ? blockNumber + policy.confirmations - 1 - head : 1;
  const delayMs = Math.max(missing, 1) * blockTimeMs;
  return Math.min(Math.max(delayMs, WAITING_MIN_MS), MISSING_MAX_MS);
};
