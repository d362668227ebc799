// Work that another service does, forwarded once per key. Such work cannot share a transaction with the key's row, so
// it must do no harm when it is done twice. The row is committed without an answer before the work and gets the answer
// after it. Failure modes:
// - two requests at once: the second finds a row without an answer and is refused;
// - a crash before the answer is stored: the claim counts as abandoned after a minute, and the next request does the
//   work;
// - an owner so slow that its claim counted as abandoned: it may only change the claim it made, and where another
//   request has been answered meanwhile, that answer is the one for both;
// - a fault of the moment: the claim is deleted, and the next request is the first. So is a refusal that is not to be
//   kept, because anyone may cause it.
import type { Pool } from "pg";
import { claimCall, releaseCall, storeCallResponse } from "./generated/sql.ts";
import { type IdempotentRequest, stillRunning } from "./key.ts";
import { findStored, type IdempotentAnswer, toFirstAnswer, toReplayedAnswer } from "./replay.ts";
import { encodeAnswer, encodeFailure, isLasting } from "./stored-answer.ts";

type Work = () => Promise<Uint8Array>;

/**
 * Does the work once per key, and answers the same bytes ever after. A Failure is thrown again, too, unless refusals
 * are not kept.
 */
export async function forwardOnce(
  pool: Pool,
  request: IdempotentRequest,
  work: Work,
  { keepsRefusals = true }: { keepsRefusals?: boolean | undefined } = {},
): Promise<IdempotentAnswer> {
  const [claim] = await claimCall(pool, request);
  if (claim === undefined) return replay(pool, request);
  const claimedAt = claim.claimed_at;
  const stored = await attempt({ pool, request, claimedAt, work, keepsRefusals });
  const count = await storeCallResponse(pool, { ...request, response: stored, claimedAt });
  return count === 1 ? toFirstAnswer(stored) : replay(pool, request);
}

/** A claim that is gone again had a fault of the moment; this request is refused for the moment as well. */
async function replay(pool: Pool, request: IdempotentRequest): Promise<IdempotentAnswer> {
  const earlier = await findStored(pool, request);
  if (earlier === undefined) throw stillRunning();
  return toReplayedAnswer(earlier);
}

interface Attempt {
  pool: Pool;
  request: IdempotentRequest;
  claimedAt: Date;
  work: Work;
  keepsRefusals: boolean;
}

/** Runs the work; a lasting refusal becomes the answer, any other fault gives the key back. */
async function attempt(given: Attempt): Promise<Buffer> {
  const { pool, request, claimedAt, work, keepsRefusals } = given;
  try {
    return encodeAnswer(await work());
  } catch (error) {
    if (keepsRefusals && isLasting(error)) return encodeFailure(error);
    await releaseCall(pool, { ...request, claimedAt });
    throw error;
  }
}
