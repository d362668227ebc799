// Applies a service's migrations. However many runners start at once, one works and the others wait and find
// nothing to do: the session that runs the scripts holds the lock, so the lock cannot be lost before they end.
// A script and the record of its end are one transaction. So a migration that is recorded as begun but not as
// ended has left nothing behind, whatever interrupted it, and is simply run again. The exception are scripts that
// cannot run in a transaction (create index concurrently): after a crash a person has to look at those. A released script
// whose first statement holds up the writers of a large table has parts instead of it, each of which may run twice.
import type { Log } from "@pay/process";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";
import { readAddress } from "./address.ts";
import { dueMigrations } from "./due-migrations.ts";
import { guardPool } from "./guard.ts";
import { runInTurn } from "./lock-turns.ts";
import { appliedChecksums, readMigrationRecords } from "./migration-records.ts";
import {
  asMigrationList,
  type Migration,
  type MigrationFiles,
  readMigrations,
} from "./migrations-folder.ts";
import { createPartitions } from "./partitions/partitions.ts";
import { withSchemaEngine } from "./schema-engine.ts";

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

/** Answers the names of the migrations this call applied. */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { url, migrationsPath, log } = options;
  if (readAddress(url).isPooled) {
    throw new Error("migrations need the database's direct address, without a pooler");
  }
  const migrations = await readMigrations(migrationsPath);
  const database = new URL(url).pathname.slice(1);
  const pool = singleSession(url);
  try {
    await takeTurn(pool, log.child({ database }));
    const due = dueMigrations(migrations, await readMigrationRecords(pool));
    const applied = await applyAll(pool, migrationsPath, due, log.child({ database }));
    await requireAll(pool, due);
    // A new table has its partitions before any service writes to it.
    await createPartitions(pool);
    log.info(
      {
        database,
        applied: applied.length,
        migrations: migrations.length,
        held: migrations.length - due.length,
      },
      "database is up to date",
    );
    return applied;
  } finally {
    await pool.end();
  }
}

/** One connection for everything; when it breaks, nothing may continue without the lock that it held. */
function singleSession(url: string): pg.Pool {
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

async function applyAll(
  pool: pg.Pool,
  migrationsPath: string,
  migrations: Migration[],
  log: Log,
): Promise<string[]> {
  const byScript = new Map(migrations.map((migration) => [migration.script, migration]));
  let refused: Error | undefined;
  async function runScript(script: string) {
    const migration = byScript.get(script);
    if (migration === undefined) return pool.query(script);
    log.info({ migration: migration.name }, "applying a migration");
    try {
      return await runParts(pool, migration, log);
    } catch (error) {
      refused = new Error(`migration ${migration.name} failed: ${getReason(error)}`, {
        cause: error,
      });
      throw error;
    }
  }

  async function apply(engine: SchemaEngine): Promise<string[]> {
    await forgetInterrupted(pool, engine, migrations, log);
    try {
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList: asMigrationList(migrationsPath, migrations),
        filters: NO_FILTERS,
      });
      return appliedMigrationNames;
    } catch (error) {
      // Whatever the reason, the next run shall be able to try again.
      await forgetInterrupted(pool, engine, migrations, log).catch(() => {});
      throw refused ?? error;
    }
  }

  return withSchemaEngine(pool, apply, runScript);
}

/** The end of the last part is recorded with it. Each part finds what an interrupted run has left, see migrations-folder.ts. */
async function runParts(pool: pg.Pool, { name, parts }: Migration, log: Log): Promise<void> {
  for (const [at, part] of parts.entries()) {
    const isWhole = isAtomic(part);
    const text = isWhole && at === parts.length - 1 ? part + RECORD_END : part;
    await runInTurn(pool, { name, text, isAtomic: isWhole }, log);
  }
}

/** The server's own words rather than the public ones of a Failure around them. */
function getReason(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

const NO_FILTERS = { externalTables: [], externalEnums: [] };

function isAtomic(script: string): boolean {
  return !/\b(concurrently|commit|vacuum)\b/i.test(script);
}

const RECORD_END = `
;update _prisma_migrations set finished_at = now() where finished_at is null and rolled_back_at is null;`;

/** Marks what was begun and undone by the server, so that it counts as not yet applied. */
async function forgetInterrupted(
  pool: pg.Pool,
  engine: SchemaEngine,
  migrations: Migration[],
  log: Log,
): Promise<void> {
  for (const { name, state } of await readMigrationRecords(pool)) {
    const script = migrations.find((migration) => migration.name === name)?.script;
    if (state !== "begun" || script === undefined || !isAtomic(script)) continue;
    log.warn(
      { migration: name },
      "a migration did not end; it left nothing behind and can run again",
    );
    await engine.markMigrationRolledBack({ migrationName: name });
  }
}

/** Reads what the database has recorded, because a run without an error is no proof. */
async function requireAll(pool: pg.Pool, migrations: Migration[]): Promise<void> {
  const applied = await appliedChecksums(pool);
  const missing = migrations.filter(({ name }) => !applied.has(name));
  const changed = migrations.filter(
    ({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum,
  );
  if (missing.length > 0) {
    throw new Error(`migrations are not applied: ${missing.map(({ name }) => name).join(", ")}`);
  }
  if (changed.length > 0) {
    const names = changed.map(({ name }) => name).join(", ");
    throw new Error(`migrations were changed after they had been applied: ${names}`);
  }
}

/** Names of the migrations that this build needs and the database does not have yet; a newer database lacks none. */
export async function pendingMigrations(pool: pg.Pool, migrationsPath: string): Promise<string[]> {
  const applied = await appliedChecksums(pool);
  const migrations = await readMigrations(migrationsPath);
  return migrations.flatMap(({ name, isHeld }) => (isHeld || applied.has(name) ? [] : [name]));
}
