import type { Runtime } from "@pay/process";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Gauge } from "prom-client";
import { isPlaintextUnsaid, readAddress } from "./address.ts";
import { guardPool, type PoolGuard } from "./guard.ts";

/** One service's database. Hot statements go to the pool; a Prisma client over the adapter shares that pool. */
export interface Database {
  readonly name: string;
  readonly pool: pg.Pool;
  readonly adapter: PrismaPg;
  /** Reached through a pooler of transactions, so the server's bounds are those of the role. */
  readonly isPooled: boolean;
}

export interface OpenOptions {
  url: string;
  poolMax: number;
  runtime: Runtime;
  /** How this process is called in pg_stat_activity; the service's name when absent. */
  applicationName?: string;
  /** Whether the process is not ready while the database does not answer; true when absent. */
  decidesReadiness?: boolean;
  /** Whether the process has opened this address before, and has reported what is wrong with it. */
  isFurther?: boolean;
  /** Bound on one statement, kept by the server; the client gives up half a second later. */
  statementTimeoutMs?: number;
  /** Bound on getting a connection, be it a new one or one that others use. */
  connectTimeoutMs?: number;
  /** Bound on waiting for a lock; shorter than the statement's, so that the message names the reason. */
  lockTimeoutMs?: number;
  /** Bound on a transaction in which nothing happens; its connection ends with it. */
  idleInTransactionTimeoutMs?: number;
  /** "auto" where statements read tables with many partitions: one plan for all values would visit every partition. */
  planCacheMode?: "force_generic_plan" | "auto";
}

const STATEMENT_TIMEOUT_MS = 5_000;
const QUERY_MARGIN_MS = 500;
// A process that freezes inside a transaction holds its locks for so long and no longer. The relay, which sends inside
// a transaction, sets its own bound.
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 3_000;
const WAITING_PER_CONNECTION = 100;
/** Where the address names none in `connect_timeout`; also the wait for a free connection. */
const CONNECT_TIMEOUT_MS = 3_000;
const PING_TIMEOUT_MS = 1_500;
const ANSWER_FRESH_MS = 2_000;
const END_TIMEOUT_MS = 5_000;
const STATEMENT_NAMES_MAX = 300;

export function openDatabase(options: OpenOptions): Database {
  const { url, poolMax, runtime } = options;
  const name = new URL(url).pathname.slice(1) || "postgres";
  if (!options.isFurther && isPlaintextUnsaid(url)) {
    const advice = "add sslmode=verify-full to its address, or sslmode=disable where this is meant";
    runtime.log.warn({ database: name }, `the database is reached without TLS: ${advice}`);
  }
  const { url: address, isPooled } = readAddress(url);
  const bounds = isPooled ? {} : buildBounds(options);
  const pool = new pg.Pool({ ...poolConfig(options, address), ...bounds });
  // A connection that breaks while it lies idle is replaced by the next query; the pool has dropped it already. An
  // ended pool does not wait until its connections have closed, so a server that stops next breaks them without harm.
  pool.on("error", (error) => {
    if (!openPools.has(pool)) return;
    runtime.log.warn({ err: error, database: name }, "an idle connection broke");
  });
  const guard = guardPool(pool, {
    waitingMax: poolMax * WAITING_PER_CONNECTION,
    answerTimeoutMs: (options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS) + QUERY_MARGIN_MS,
    prepares: !isPooled,
  });
  const adapter = new PrismaPg(pool, isPooled ? {} : { statementNameGenerator: statementNames() });

  openPools.set(pool, name);
  if (options.decidesReadiness !== false) {
    runtime.readyWhen(`database ${name}`, () => ping(pool, guard));
  }
  runtime.onStop(`database ${name}`, async () => {
    openPools.delete(pool);
    await endPool(pool);
  });
  return { name, pool, adapter, isPooled };
}

/** `connect_timeout` of the address: seconds, as for PostgreSQL's own clients. */
function connectTimeoutIn(url: string): number | undefined {
  const seconds = Number(new URL(url).searchParams.get("connect_timeout"));
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** Settings that the server keeps for a session, sent with each new connection. */
function buildBounds({
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  lockTimeoutMs = 3_000,
  idleInTransactionTimeoutMs = IDLE_IN_TRANSACTION_TIMEOUT_MS,
  planCacheMode = "force_generic_plan",
}: OpenOptions): pg.PoolConfig {
  return {
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
    // A prepared statement keeps one plan. By itself PostgreSQL would plan a list of one anew at every call, since it
    // takes an unknown list for ten: that was three quarters of the server's work for a read.
    options: `-c plan_cache_mode=${planCacheMode}`,
  };
}

function poolConfig(options: OpenOptions, address: string): pg.PoolConfig {
  const { connectTimeoutMs = connectTimeoutIn(options.url) ?? CONNECT_TIMEOUT_MS } = options;
  return {
    connectionString: address,
    application_name: options.applicationName ?? options.runtime.service,
    max: options.poolMax,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: 30_000,
    // Connections are renewed now and then, so that they follow a failover or a changed address.
    maxLifetimeSeconds: 1_800,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Ready while the server answers any query. A query of its own is sent only when the pool had no recent answer. */
async function ping(pool: pg.Pool, guard: PoolGuard): Promise<void> {
  if (Date.now() - guard.lastAnswerMs() < ANSWER_FRESH_MS) return;
  // query_timeout is a per-query setting of pg that its types do not list.
  const select: pg.QueryConfig & { query_timeout: number } = {
    text: "select 1",
    query_timeout: PING_TIMEOUT_MS,
  };
  await pool.query(select);
}

/** Waits for the connections in use, within a bound: a stuck one ends with the process. */
async function endPool(pool: pg.Pool): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("connections are still in use")), END_TIMEOUT_MS);
  });
  try {
    await Promise.race([pool.end(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Prisma's statements are prepared once per connection under a stable name. The number of names is bounded, since
 * every one is kept by every connection; statements beyond it are simply not prepared.
 */
function statementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= STATEMENT_NAMES_MAX) return known ?? "";
    const name = `prisma-${names.size}`;
    names.set(sql, name);
    return name;
  };
}

const openPools = new Map<pg.Pool, string>();

new Gauge({
  name: "db_pool_connections",
  help: "Connections of a pool in use and idle, and callers waiting for one",
  labelNames: ["database", "state"],
  collect() {
    this.reset();
    for (const [pool, database] of openPools) {
      this.inc({ database, state: "busy" }, pool.totalCount - pool.idleCount);
      this.inc({ database, state: "idle" }, pool.idleCount);
      this.inc({ database, state: "waiting" }, pool.waitingCount);
    }
  },
});
