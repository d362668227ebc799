// Work that another service does, forwarded once per key. Such work cannot share a transaction with the key's row, so it
// must do no harm when it is done twice. The row is committed without an answer before the work and gets the answer after
// it. Failure modes:
// - two requests at once: the second finds a row without an answer and is refused;
// - a crash before the answer is stored: the claim counts as abandoned after a minute, and the next request does the work;
// - an owner so slow that its claim counted as abandoned: it may only change the claim it made, and where another request
//   has been answered meanwhile, that answer is the one for both;
// - a fault of the moment: the claim is deleted, and the next request is the first. So is a refusal that is not to be kept,
//   because anyone may cause it.
import type { Pool } from "pg";
import { type IdempotentRequest, keyTurn, stillRunning } from "./key.ts";
import { findStored, type IdempotentAnswer, toFirstAnswer, toReplayedAnswer } from "./replay.ts";
import { encodeAnswer, encodeFailure, isLasting } from "./stored-answer.ts";

type Work = () => Promise<Uint8Array>;

/**
 * Does the work once per key, and answers the same bytes ever after. A Failure is thrown again, too, unless refusals are not
 * kept.
 */
export async function forwardOnce(
  pool: Pool,
  request: IdempotentRequest,
  work: Work,
  { keepsRefusals = true }: { keepsRefusals?: boolean | undefined } = {},
): Promise<IdempotentAnswer> {
  const claimedAt = await claim(pool, request);
  if (claimedAt === undefined) return replay(pool, request);
  const stored = await attempt({ pool, request, claimedAt, work, keepsRefusals });
  const values = [request.scope, request.key, stored, claimedAt];
  const { rowCount } = await pool.query({ ...STORE, values });
  return rowCount === 1 ? toFirstAnswer(stored) : replay(pool, request);
}

/** A claim that is gone again had a fault of the moment; this request is refused for the moment as well. */
async function replay(pool: Pool, request: IdempotentRequest): Promise<IdempotentAnswer> {
  const earlier = await findStored(pool, request);
  if (earlier === undefined) throw stillRunning();
  return toReplayedAnswer(earlier);
}

// No call takes as long as a minute, so the owner of an older row without an answer is gone.
const CLAIM = {
  name: "idempotent-call-claim",
  text: `with turn as materialized (
      select array[$1::text] as scopes, array[$2::text] as keys where ${keyTurn("$1::text", "$2::text")}
    ), renewed as (
      update idempotency_keys set created_at = clock_timestamp()
      from turn where scope = $1 and key = $2 and response = ''::bytea and fingerprint = $3::bytea
        and created_at < clock_timestamp() - interval '1 minute'
      returning created_at
    ), claimed as (
      insert into idempotency_keys (scope, key, fingerprint, response, created_at)
      select unused.scope, unused.key, $3::bytea, ''::bytea, clock_timestamp()
      from turn, unused_keys(scopes, keys) unused
      on conflict do nothing
      returning created_at
    )
    select created_at from renewed union all select created_at from claimed`,
};

/** The time of the claim, which tells it from a later one of the same key; undefined when another request has it. */
async function claim(
  pool: Pool,
  { scope, key, fingerprint }: IdempotentRequest,
): Promise<Date | undefined> {
  const values = [scope, key, Buffer.from(fingerprint)];
  const { rows } = await pool.query<{ created_at: Date }>({ ...CLAIM, values });
  return rows[0]?.created_at;
}

const STORE = {
  name: "idempotent-call-store",
  text: `update idempotency_keys set response = $3
    where scope = $1 and key = $2 and created_at = $4 and response = ''::bytea`,
};

const RELEASE = {
  name: "idempotent-call-release",
  text: `delete from idempotency_keys
    where scope = $1 and key = $2 and created_at = $3 and response = ''::bytea`,
};

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
    await pool.query({ ...RELEASE, values: [request.scope, request.key, claimedAt] });
    throw error;
  }
}
