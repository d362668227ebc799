import type { Runtime } from "@pay/process";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Gauge } from "prom-client";
import { guardPool, type PoolGuard } from "./guard.ts";

/** One service's database. Hot statements go to the pool; a Prisma client over the adapter shares that pool. */
export interface Database {
  readonly name: string;
  readonly pool: pg.Pool;
  readonly adapter: PrismaPg;
}

export interface OpenOptions {
  url: string;
  poolMax: number;
  runtime: Runtime;
  /** How this process is called in pg_stat_activity; the service's name when absent. */
  applicationName?: string;
  /** Bound on one statement, kept by the server; the client gives up half a second later. */
  statementTimeoutMs?: number;
  /** Bound on getting a connection, be it a new one or one that others use. */
  connectTimeoutMs?: number;
  /** Bound on waiting for a lock; shorter than the statement's, so that the message names the reason. */
  lockTimeoutMs?: number;
}

const STATEMENT_TIMEOUT_MS = 5_000;
const QUERY_MARGIN_MS = 500;
// Longer than the relay's send to the bus, which is the one thing that happens inside an open transaction.
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 60_000;
const WAITING_PER_CONNECTION = 100;
const PING_TIMEOUT_MS = 1_500;
const ANSWER_FRESH_MS = 2_000;
const END_TIMEOUT_MS = 5_000;
const STATEMENT_NAMES_MAX = 300;

export const openDatabase = (options: OpenOptions): Database => {
  const { url, poolMax, runtime } = options;
  const name = new URL(url).pathname.slice(1) || "postgres";
  const pool = new pg.Pool(poolConfig(options));
  // A connection that breaks while it lies idle is replaced by the next query; the pool has dropped it already.
  pool.on("error", (error) =>
    runtime.log.warn({ err: error, database: name }, "an idle connection broke"),
  );
  const guard = guardPool(pool, {
    waitingMax: poolMax * WAITING_PER_CONNECTION,
    answerTimeoutMs: (options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS) + QUERY_MARGIN_MS,
  });
  const adapter = new PrismaPg(pool, { statementNameGenerator: statementNames() });

  openPools.set(pool, name);
  runtime.readyWhen(`database ${name}`, () => ping(pool, guard));
  runtime.onStop(`database ${name}`, async () => {
    openPools.delete(pool);
    await endPool(pool);
  });
  return { name, pool, adapter };
};

const poolConfig = (options: OpenOptions): pg.PoolConfig => {
  const {
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    connectTimeoutMs = 3_000,
    lockTimeoutMs = 3_000,
  } = options;
  return {
    connectionString: options.url,
    application_name: options.applicationName ?? options.runtime.service,
    max: options.poolMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    // Connections are renewed now and then, so that they follow a failover or a changed address.
    maxLifetimeSeconds: 1_800,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
};

/** Ready while the server answers somebody; only a silent pool is asked on purpose. */
const ping = async (pool: pg.Pool, guard: PoolGuard): Promise<void> => {
  if (Date.now() - guard.lastAnswerMs() < ANSWER_FRESH_MS) return;
  // query_timeout is a per-query setting of pg that its types do not list.
  const select: pg.QueryConfig & { query_timeout: number } = {
    text: "select 1",
    query_timeout: PING_TIMEOUT_MS,
  };
  await pool.query(select);
};

/** Waits for the connections in use, but not for ever: a stuck one ends with the process. */
const endPool = async (pool: pg.Pool): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("connections are still in use")), END_TIMEOUT_MS);
  });
  try {
    await Promise.race([pool.end(), late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Prisma's statements are prepared once per connection under a stable name. The number of names is bounded, since
 * every one is kept by every connection; statements beyond it are simply not prepared.
 */
const statementNames = (): ((query: { sql: string }) => string) => {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= STATEMENT_NAMES_MAX) return known ?? "";
    const name = `prisma-${names.size}`;
    names.set(sql, name);
    return name;
  };
};

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
