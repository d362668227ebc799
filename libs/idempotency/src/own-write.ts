// Work in the service's own database, done once per key. The transaction that does the work also writes the key's row,
// so there is never an answer without its effect nor an effect without its answer. Failure modes:
// - two requests at once: the second finds the lock of the first one taken and is refused, it does not wait;
// - a crash before the commit: nothing is kept, the next request is the first;
// - a refusal that would be the same tomorrow is kept like an answer, a fault of the moment is not.
import { transaction } from "@pay/database";
import type { Pool, PoolClient } from "pg";
import { claimKey, storeResponse } from "./generated/sql.ts";
import { type IdempotentRequest, stillRunning } from "./key.ts";
import { findStored, type IdempotentAnswer, toFirstAnswer, toReplayedAnswer } from "./replay.ts";
import { encodeAnswer, encodeFailure, isLasting } from "./stored-answer.ts";

type Work = (tx: PoolClient) => Promise<Uint8Array>;

/** Does the work once per key, and answers the same bytes (or throws the same Failure) ever after. */
export async function writeOnce(
  pool: Pool,
  request: IdempotentRequest,
  work: Work,
): Promise<IdempotentAnswer> {
  const { stored, replayed } = await transaction(pool, async (tx) => {
    if ((await claimKey(tx, request)) === 1) {
      const first = await attempt(tx, work);
      await storeResponse(tx, { ...request, response: first });
      return { stored: first, replayed: false };
    }
    // The earlier transaction may have committed since the claim was refused.
    const earlier = await findStored(tx, request);
    if (earlier === undefined) throw stillRunning();
    return { stored: earlier, replayed: true };
  });
  return replayed ? toReplayedAnswer(stored) : toFirstAnswer(stored);
}

/** Runs the work; a lasting refusal undoes the work and becomes the answer. */
async function attempt(tx: PoolClient, work: Work): Promise<Buffer> {
  await tx.query("savepoint work");
  try {
    return encodeAnswer(await work(tx));
  } catch (error) {
    if (!isLasting(error)) throw error;
    await tx.query("rollback to savepoint work");
    return encodeFailure(error);
  }
}
