// When a candidate without a verdict is verified again.
import { type Candidate, isGivenUp, isOverdue } from "../domain/candidate.ts";
import { delayWhenOverdueMs, delayWhileMissingMs } from "../domain/schedule.ts";
import type { NextAction } from "./verifier.ts";

export function retry(
  candidate: Candidate,
  change: Partial<NextAction> & { delayMs: number },
): NextAction {
  return {
    ...{ kind: "retry", candidate, misses: 0 },
    ...{ sender: candidate.sender, firstSeenAt: candidate.firstSeenAt },
    ...change,
  };
}

/** With growing delays; a candidate that must not be given up is verified rarely once its time is over. */
export function retryWhenMissing(candidate: Candidate, now: Date, firstSeenAt?: Date): NextAction {
  const delayMs = delayWhileMissingMs(candidate.misses);
  return retry(candidate, {
    delayMs: isOverdue(candidate, now) ? delayWhenOverdueMs(delayMs) : delayMs,
    misses: candidate.misses + 1,
    ...(firstSeenAt && { firstSeenAt }),
  });
}

export function actionWhenMissing(
  candidate: Candidate,
  now: Date,
  isAnswered: boolean,
): NextAction {
  return isGivenUp(candidate, now, isAnswered)
    ? { kind: "abandon", candidate }
    : retryWhenMissing(candidate, now);
}
