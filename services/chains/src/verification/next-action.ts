// When a candidate without a verdict is verified again.
import { type Candidate, isGivenUp, isOverdue } from "../attribution/domain/candidate.ts";
import type { Evidence, Wait } from "../attribution/domain/evidence.ts";
import { delayWhenOverdueMs, delayWhileMissingMs } from "./domain/schedule.ts";
import type { NextAction } from "./verifier.ts";

/** So that its end is over when it is looked at. */
const END_MS = 10;

export function retry(
  candidate: Candidate,
  change: Partial<NextAction> & { delayMs: number; evidence: Evidence },
): NextAction {
  return {
    kind: "retry",
    candidate,
    misses: 0,
    sender: candidate.sender,
    firstSeenAt: candidate.firstSeenAt,
    ...change,
  };
}

/** With growing delays; a candidate that must not be given up is verified rarely once its time is over. */
export function retryWhenMissing(
  candidate: Candidate,
  now: Date,
  { evidence, firstSeenAt }: { evidence: Evidence; firstSeenAt?: Date },
): NextAction {
  const delayMs = delayWhileMissingMs(candidate.misses);
  return retry(candidate, {
    delayMs: isOverdue(candidate, now) ? delayWhenOverdueMs(delayMs) : delayMs,
    misses: candidate.misses + 1,
    evidence,
    ...(firstSeenAt && { firstSeenAt }),
  });
}

/** A signature wakes it at once; its end and what other claims have become are looked for. */
export function retryUntilSigned(
  candidate: Candidate,
  { now, until }: { now: Date; until: Date },
  change: { evidence: Evidence; firstSeenAt: Date },
): NextAction {
  const leftMs = Math.max(until.getTime() - now.getTime() + END_MS, END_MS);
  const delayMs = Math.min(delayWhileMissingMs(candidate.misses), leftMs);
  return retry(candidate, { delayMs, misses: candidate.misses + 1, ...change });
}

export function actionWhenMissing(
  candidate: Candidate,
  now: Date,
  isAnswered: boolean,
): NextAction {
  const waitsFor: Wait = isAnswered ? "transaction" : "provider";
  return isGivenUp(candidate, now, isAnswered)
    ? { kind: "abandon", candidate }
    : retryWhenMissing(candidate, now, { evidence: { waitsFor } });
}
