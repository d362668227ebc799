// First answers of work that another service does. Such work cannot share a transaction with the key's row, so it must
// do no harm when it is done twice; the row is committed before it, without an answer, and gets the answer after it.
// Failure modes:
// - two calls at once: the second finds a row without an answer and is refused;
// - a crash before the answer is stored: the row counts as abandoned after a while, and the next call does the work;
// - a fault of the moment: the row is taken back, and the next call is the first.
import type { Pool } from "pg";
import {
  find,
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
  /** Called when an earlier call did the work, before its answer is given or thrown. */
  onReplay: () => void,
): Promise<Uint8Array> => {
  if (await claim(pool, request)) {
    const first = await attempt(pool, request, work);
    outcomes.inc({ outcome: "first" });
    return open(first);
  }
  const earlier = await find(pool, request);
  // Taken back since the claim: whoever had it was refused for the moment, and so is this one.
  if (earlier === undefined || earlier.length === 0) throw stillRunning();
  outcomes.inc({ outcome: "replayed" });
  onReplay();
  return open(earlier);
};

// No call takes as long as this; a row that old without an answer has lost its owner.
const CLAIM = {
  name: "idempotent-call-claim",
  text: `insert into idempotency (scope, key, fingerprint, response)
    values ($1, $2, $3::bytea, ''::bytea)
    on conflict (scope, key) do update set created_at = excluded.created_at
      where idempotency.response = ''::bytea and idempotency.fingerprint = excluded.fingerprint
        and idempotency.created_at < excluded.created_at - interval '1 minute'
    returning 1`,
};

const claim = async (pool: Pool, { scope, key, fingerprint }: IdempotentRequest) => {
  const values = [scope, key, Buffer.from(fingerprint)];
  const { rowCount } = await pool.query({ ...CLAIM, values });
  return rowCount === 1;
};

const STORE = {
  name: "idempotent-call-store",
  text: "update idempotency set response = $3 where scope = $1 and key = $2",
};

const RELEASE = {
  name: "idempotent-call-release",
  text: "delete from idempotency where scope = $1 and key = $2 and response = ''::bytea",
};

const attempt = async (
  pool: Pool,
  { scope, key }: IdempotentRequest,
  work: () => Promise<Uint8Array>,
): Promise<Buffer> => {
  const sealed = await work().then(sealAnswer, async (error: unknown) => {
    if (isLasting(error)) return sealFailure(error);
    await pool.query({ ...RELEASE, values: [scope, key] });
    throw error;
  });
  await pool.query({ ...STORE, values: [scope, key, sealed] });
  return sealed;
};
