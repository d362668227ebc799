// First answers by idempotency key. The key's row is written by the transaction that does the work, so there is
// never an answer without its effect nor an effect without its answer. Failure modes:
// - two calls at once: the second finds the first one's lock taken and is refused, it does not wait;
// - a crash before the commit: nothing is kept, the next call is the first;
// - a refusal that would be the same tomorrow is kept like an answer, a fault of the moment is not.
import { every, type Runtime } from "@pay/process";
import { Failure, type FailureKind } from "@pay/rpc";
import type { ClientBase, Pool, PoolClient } from "pg";
import { Counter } from "prom-client";
import { transaction } from "./transaction.ts";

export interface IdempotentRequest {
  /** Who may use the key for what, see idempotencyScope. */
  scope: string;
  key: string;
  /** Tells one request body from another. */
  fingerprint: Uint8Array;
}

export interface IdempotentAnswer {
  response: Uint8Array;
  /** True when an earlier call did the work. */
  replayed: boolean;
}

export const outcomes = new Counter({
  name: "idempotency_total",
  help: "Requests with an idempotency key, by what became of them",
  labelNames: ["outcome"],
});

/** One key may be used once per project, mode and route. */
export const idempotencyScope = (
  tenant: { projectId: string; mode: number },
  route: string,
): string => `${tenant.projectId}:${tenant.mode}:${route}`;

/** What a message says about its repeatability; undefined when the merchant sent no key. */
export const idempotentRequest = (
  tenant: { projectId: string; mode: number },
  idempotency: { route: string; key: string; fingerprint: Uint8Array } | undefined,
): IdempotentRequest | undefined => {
  if (!idempotency?.key) return undefined;
  const { route, key, fingerprint } = idempotency;
  return { scope: idempotencyScope(tenant, route), key, fingerprint };
};

/** Refuses a key that comes back with another body. */
export const sameRequest = (stored: Uint8Array, fingerprint: Uint8Array): void => {
  if (Buffer.compare(stored, fingerprint) === 0) return;
  outcomes.inc({ outcome: "other_body" });
  throw new Failure("unprocessable", "Idempotency-Key was already used with another request body");
};

/** Does the work once per key, and answers the same bytes (or throws the same Failure) ever after. */
export const idempotently = async (
  pool: Pool,
  request: IdempotentRequest,
  work: (tx: PoolClient) => Promise<Uint8Array>,
): Promise<IdempotentAnswer> => {
  const { sealed, replayed } = await transaction(pool, async (tx) => {
    if (!(await claim(tx, request))) {
      // Committed by now, although its turn may have been over only after the claim was refused.
      const earlier = await find(tx, request);
      if (earlier === undefined) throw stillRunning();
      return { sealed: earlier, replayed: true };
    }
    const first = await attempt(tx, work);
    await tx.query({ ...STORE, values: [request.scope, request.key, first] });
    return { sealed: first, replayed: false };
  });
  outcomes.inc({ outcome: replayed ? "replayed" : "first" });
  return { response: open(sealed, replayed), replayed };
};

/**
 * The first answer, if there is one yet. For work that must ask other services before its transaction: what was
 * answered once is answered again without asking anybody.
 */
export const findAnswer = async (
  pool: Pool,
  request: IdempotentRequest,
): Promise<Uint8Array | undefined> => {
  const earlier = await find(pool, request);
  if (earlier === undefined) return undefined;
  outcomes.inc({ outcome: "replayed" });
  return open(earlier, true);
};

const KEPT_MS = 24 * 60 * 60_000;
const PURGE_INTERVAL_MS = 60_000;
const PURGE_ROWS = 1_000;

/** One bounded round of forgetting: how many keys older than a day went. */
export const purgeIdempotency = async (
  db: Pool | ClientBase,
  now: Date,
  rowsMax = PURGE_ROWS,
): Promise<number> => {
  const before = new Date(now.getTime() - KEPT_MS);
  const { rowCount } = await db.query({ ...PURGE, values: [before, rowsMax] });
  return rowCount ?? 0;
};

/** Forgets in small rounds, so that a day of heavy use is no single long statement. */
export const startIdempotencyPurge = (db: { pool: Pool }, runtime: Runtime): void => {
  const job = every({
    name: "purge of idempotency keys",
    intervalMs: PURGE_INTERVAL_MS,
    runtime,
    act: async () => {
      if ((await purgeIdempotency(db.pool, runtime.clock.now())) === PURGE_ROWS) job.wake();
    },
  });
};

/**
 * True in SQL for the one transaction that works under the key; it stays so until that transaction's end, whatever
 * the end. It is asked for, not waited for; a row that an insert meets afterwards is therefore always a committed one.
 */
export const keyTurn = (scope: string, key: string): string =>
  `pg_try_advisory_xact_lock(hashtextextended(${scope} || ' ' || ${key}, 0))`;

const CLAIM = {
  name: "idempotency-claim",
  text: `with turn as materialized (
      select ${keyTurn("$1::text", "$2::text")} as mine
    ), claimed as (
      insert into idempotency (scope, key, fingerprint, response)
      select $1, $2, $3::bytea, ''::bytea from turn where mine
      on conflict do nothing
      returning 1
    )
    select exists (select from claimed) as claimed`,
};

const claim = async (tx: PoolClient, request: IdempotentRequest): Promise<boolean> => {
  const { scope, key, fingerprint } = request;
  const values = [scope, key, Buffer.from(fingerprint)];
  const { rows } = await tx.query<{ claimed: boolean }>({ ...CLAIM, values });
  return rows[0]?.claimed ?? false;
};

/** What a request gets while an earlier one under its key has not ended. */
export const stillRunning = (): Failure => {
  outcomes.inc({ outcome: "running" });
  return new Failure("already_exists", "A request with this Idempotency-Key is still running");
};

const FIND = {
  name: "idempotency-find",
  text: "select fingerprint, response from idempotency where scope = $1 and key = $2",
};

export const find = async (
  db: Pool | PoolClient,
  request: IdempotentRequest,
): Promise<Uint8Array | undefined> => {
  const { rows } = await db.query<{ fingerprint: Buffer; response: Buffer }>({
    ...FIND,
    values: [request.scope, request.key],
  });
  const [row] = rows;
  if (row !== undefined) sameRequest(row.fingerprint, request.fingerprint);
  return row?.response;
};

const STORE = {
  name: "idempotency-store",
  text: "update idempotency set response = $3 where scope = $1 and key = $2",
};

const PURGE = {
  name: "idempotency-purge",
  text: `delete from idempotency where (scope, key) in (
      select scope, key from idempotency where created_at < $1
      order by created_at limit $2 for update skip locked
    )`,
};

// Faults of the moment: the same request may go well a second later, so they are not kept.
const PASSING: ReadonlySet<FailureKind> = new Set([
  "internal",
  "unavailable",
  "deadline_exceeded",
  "resource_exhausted",
  "request_timeout",
]);

export const isLasting = (error: unknown): error is Failure =>
  error instanceof Failure && !PASSING.has(error.kind);

/** Runs the work; a lasting refusal undoes the work and becomes the answer. */
const attempt = async (
  tx: PoolClient,
  work: (tx: PoolClient) => Promise<Uint8Array>,
): Promise<Buffer> => {
  await tx.query("savepoint work");
  try {
    return sealAnswer(await work(tx));
  } catch (error) {
    if (!isLasting(error)) throw error;
    await tx.query("rollback to savepoint work");
    return sealFailure(error);
  }
};

// The first stored byte says what follows.
const ANSWER = 0;
const FAILURE = 1;

/** An answer as it is stored; it begins with the beginning of what it answers. */
export const sealAnswer = (response: Uint8Array): Buffer =>
  Buffer.concat([Buffer.of(ANSWER), response]);

/** A refusal as it is stored. */
export const sealFailure = ({ kind, message }: Failure): Buffer =>
  Buffer.concat([Buffer.of(FAILURE), Buffer.from(JSON.stringify({ kind, message }))]);

/** The answer; a refusal is thrown, and says whether it is given again. */
export const open = (sealed: Uint8Array, replayed: boolean): Uint8Array => {
  const content = sealed.subarray(1);
  if (sealed[0] === ANSWER) return content;
  const { kind, message } = JSON.parse(Buffer.from(content).toString()) as Failure;
  throw new Failure(kind, message, { replayed });
};
