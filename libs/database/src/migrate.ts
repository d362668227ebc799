// Applies a service's migrations, each once and in the order of their names. However many runners start at once, one
// works and the others wait and find nothing to do: the session that runs the scripts holds the lock. A script and its
// record are one transaction, so an interrupted migration has left nothing behind and is run again.
//
// A line `-- next part` divides a script into transactions of their own: an index that is built concurrently, and
// batches that commit, stand alone. The record is written with the last part, so every earlier part must bear being run
// twice.
//
// Pods of the previous release serve while the new ones start, and a roll back brings them back. So a migration takes
// away only what the previous release no longer uses.
import type { Log } from "@pay/process";
import pg from "pg";
import { readAddress } from "./address.ts";
import { guardPool } from "./guard.ts";
import { runInTurn } from "./lock-turns.ts";
import { type Migration, type MigrationFiles, readMigrations } from "./migrations-folder.ts";
import { definePartitionFunctions } from "./partitions/functions.ts";
import { createPartitions } from "./partitions/partitions.ts";

export interface MigrateOptions extends MigrationFiles {
  /** A direct address: through a pooler that shares sessions the lock would not hold. */
  url: string;
  log: Log;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Of the runner's own statements; a script waits as lock-turns.ts says. */
const LOCK_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30 * 60_000;
const TURN_TIMEOUT_MS = 30 * 60_000;
const MARGIN_MS = 5_000;

/** Returns the names of the migrations that this call applied. */
export async function migrate({ url, migrationsPath, log }: MigrateOptions): Promise<string[]> {
  if (readAddress(url).isPooled) {
    throw new Error("migrations need the database's direct address, without a pooler");
  }
  const migrations = await readMigrations(migrationsPath);
  const runLog = log.child({ database: new URL(url).pathname.slice(1) });
  const pool = openSingleSession(url);
  try {
    await takeTurn(pool, runLog);
    await pool.query(CREATE_RECORDS);
    const checksums = await findAppliedChecksums(pool);
    refuseChanged(migrations, checksums);
    const pending = migrations.filter(({ name }) => !checksums.has(name));
    for (const migration of pending) await apply(pool, migration, runLog);
    await definePartitionFunctions(pool);
    // A new table has its partitions before any service writes to it.
    await createPartitions(pool);
    const counts = { applied: pending.length, migrations: migrations.length };
    runLog.info(counts, "database is up to date");
    return pending.map(({ name }) => name);
  } finally {
    await pool.end();
  }
}

/** One connection for everything; when it breaks, nothing may continue without the lock that it held. */
function openSingleSession(url: string): pg.Pool {
  let connected = false;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: "migrate",
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    onConnect: async () => {
      if (connected) throw new Error("the connection was lost while migrations were applied");
      connected = true;
    },
  });
  pool.on("error", () => {});
  guardPool(pool, { waitingMax: 10, answerTimeoutMs: STATEMENT_TIMEOUT_MS + MARGIN_MS });
  return pool;
}

const LOCK = "hashtextextended('pay migrations', 0)";

async function takeTurn(pool: pg.Pool, log: Log): Promise<void> {
  const { rows } = await pool.query<{ mine: boolean }>(
    `select pg_try_advisory_lock(${LOCK}) as mine`,
  );
  if (rows[0]?.mine !== true) {
    log.info("another process is applying migrations; waiting for it");
    await pool.query(`set lock_timeout = ${TURN_TIMEOUT_MS}`);
    await pool.query(`select pg_advisory_lock(${LOCK})`);
  }
  await pool.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
}

/** Prisma's own table, so that its tools can read the records and leave the table alone. */
const CREATE_RECORDS = `
  create table if not exists _prisma_migrations (
    id                  varchar(36) primary key,
    checksum            varchar(64) not null,
    finished_at         timestamptz,
    migration_name      varchar(255) not null,
    logs                text,
    rolled_back_at      timestamptz,
    started_at          timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`;

function insertRecord({ name, checksum }: Migration): string {
  return `
;insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
values (gen_random_uuid(), '${checksum}', ${pg.escapeLiteral(name)}, clock_timestamp(), 1);`;
}

async function apply(pool: pg.Pool, migration: Migration, log: Log): Promise<void> {
  const { name, parts } = migration;
  log.info({ migration: name }, "applying a migration");
  try {
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1;
      const isAtomic = !/\b(concurrently|commit|vacuum)\b/i.test(part.replaceAll(/--.*/g, ""));
      const text = isLast && isAtomic ? part + insertRecord(migration) : part;
      await runInTurn(pool, { name, text, isAtomic }, log);
      if (isLast && !isAtomic) await pool.query(insertRecord(migration));
    }
  } catch (error) {
    throw new Error(`migration ${name} failed: ${getReason(error)}`, { cause: error });
  }
}

/** The server's own words rather than the public ones of a Failure around them. */
function getReason(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

function refuseChanged(migrations: Migration[], checksums: ReadonlyMap<string, string>): void {
  const changed = migrations.filter(
    ({ name, checksum }) => checksums.has(name) && checksums.get(name) !== checksum,
  );
  if (changed.length === 0) return;
  const names = changed.map(({ name }) => name).join(", ");
  throw new Error(`migrations were changed after they had been applied: ${names}`);
}

async function findAppliedChecksums(pool: pg.Pool): Promise<Map<string, string>> {
  const table = await pool.query("select where to_regclass('_prisma_migrations') is not null");
  if (table.rowCount === 0) return new Map();
  const { rows } = await pool.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from _prisma_migrations
     where finished_at is not null and rolled_back_at is null`,
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/** Names of the migrations that this build needs and the database does not have yet; a newer database lacks none. */
export async function findPendingMigrations(
  pool: pg.Pool,
  migrationsPath: string,
): Promise<string[]> {
  const checksums = await findAppliedChecksums(pool);
  const migrations = await readMigrations(migrationsPath);
  return migrations.flatMap(({ name }) => (checksums.has(name) ? [] : [name]));
}
