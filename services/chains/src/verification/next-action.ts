// When a candidate without a verdict is verified again.
import { type Candidate, isGivenUp, isOverdue } from "../attribution/domain/candidate.ts";
import type { Evidence, Wait } from "../attribution/domain/evidence.ts";
import { delayWhenOverdueMs, delayWhileMissingMs } from "./domain/schedule.ts";
import type { NextAction } from "./verifier.ts";

/** The retry comes after the end, not at it. */
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

/** With growing delays; a candidate that is not abandoned is verified rarely after its time. */
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

/** A signature makes it due at once; retries notice its end and the decisions about other claims. */
export function retryUntilSigned(
  candidate: Candidate,
  { now, until }: { now: Date; until: Date },
  change: { evidence: Evidence; firstSeenAt: Date },
): NextAction {
  const leftMs = Math.max(until.getTime() - now.getTime() + END_MS, END_MS);
  const delayMs = Math.min(delayWhileMissingMs(candidate.misses), leftMs);
  return retry(candidate, { delayMs, misses: candidate.misses + 1, ...change });
}

export function decideWhenMissing(
  candidate: Candidate,
  now: Date,
  hasResponse: boolean,
): NextAction {
  const waitsFor: Wait = hasResponse ? "transaction" : "provider";
  return isGivenUp(candidate, now, hasResponse)
    ? { kind: "abandon", candidate }
    : retryWhenMissing(candidate, now, { evidence: { waitsFor } });
}
