// First answers of work that another service does. Such work cannot share a transaction with the key's row, so it must
// do no harm when it is done twice; the row is committed before it, without an answer, and gets the answer after it.
// Failure modes:
// - two calls at once: the second finds a row without an answer and is refused;
// - a crash before the answer is stored: the row counts as abandoned after a while, and the next call does the work;
// - an owner so slow that it counted as crashed: it may only touch the claim it made, and where another call has
//   answered meanwhile, that answer is the one for both;
// - a fault of the moment: the row is taken back, and the next call is the first.
import type { Pool } from "pg";
import {
  find,
  type IdempotentAnswer,
  type IdempotentRequest,
  isLasting,
  open,
  outcomes,
  sealAnswer,
  sealFailure,
  stillRunning,
} from "./idempotency.ts";

/** Does the work once per key, and answers the same bytes (or throws the same Failure) ever after. */
export const idempotentCall = async (
  pool: Pool,
  request: IdempotentRequest,
  work: () => Promise<Uint8Array>,
): Promise<IdempotentAnswer> => {
  const claimedAt = await claim(pool, request);
  if (claimedAt !== undefined) return attempt(pool, request, claimedAt, work);
  const earlier = await find(pool, request);
  // Taken back since the claim: whoever had it was refused for the moment, and so is this one.
  if (earlier === undefined || earlier.length === 0) throw stillRunning();
  outcomes.inc({ outcome: "replayed" });
  return { response: open(earlier, true), replayed: true };
};

// No call takes as long as this; a row that old without an answer has lost its owner.
const CLAIM = {
  name: "idempotent-call-claim",
  text: `insert into idempotency (scope, key, fingerprint, response, created_at)
    values ($1, $2, $3::bytea, ''::bytea, clock_timestamp())
    on conflict (scope, key) do update set created_at = excluded.created_at
      where idempotency.response = ''::bytea and idempotency.fingerprint = excluded.fingerprint
        and idempotency.created_at < excluded.created_at - interval '1 minute'
    returning created_at`,
};

/** When the claim was made, which tells it from a later one of the same key; undefined: somebody else has it. */
const claim = async (
  pool: Pool,
  { scope, key, fingerprint }: IdempotentRequest,
): Promise<Date | undefined> => {
  const values = [scope, key, Buffer.from(fingerprint)];
  const { rows } = await pool.query<{ created_at: Date }>({ ...CLAIM, values });
  return rows[0]?.created_at;
};

const STORE = {
  name: "idempotent-call-store",
  text: `update idempotency set response = $3
    where scope = $1 and key = $2 and created_at = $4 and response = ''::bytea`,
};

const RELEASE = {
  name: "idempotent-call-release",
  text: `delete from idempotency
    where scope = $1 and key = $2 and created_at = $3 and response = ''::bytea`,
};

const attempt = async (
  pool: Pool,
  request: IdempotentRequest,
  claimedAt: Date,
  work: () => Promise<Uint8Array>,
): Promise<IdempotentAnswer> => {
  const { scope, key } = request;
  const sealed = await work().then(sealAnswer, async (error: unknown) => {
    if (isLasting(error)) return sealFailure(error);
    await pool.query({ ...RELEASE, values: [scope, key, claimedAt] });
    throw error;
  });
  const { rowCount } = await pool.query({ ...STORE, values: [scope, key, sealed, claimedAt] });
  if (rowCount === 1) {
    outcomes.inc({ outcome: "first" });
    return { response: open(sealed, false), replayed: false };
  }
  const answered = await find(pool, request);
  if (answered === undefined || answered.length === 0) throw stillRunning();
  outcomes.inc({ outcome: "replayed" });
  return { response: open(answered, true), replayed: true };
};
