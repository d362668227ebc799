// Where tests get a real PostgreSQL: the address in TEST_POSTGRES_URL (a role that may create databases), else a
// server of our own, one for the whole run. A service's migrations run once, into a template named by their
// content; every test file gets a copy of it.
import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@jest/globals";
import {
  createPartitions,
  type Database,
  findMigrationFiles,
  migrate,
  migrationDrift,
  openDatabase,
  readMigrations,
} from "@pay/database";
import { missingPostgres, startPostgres } from "@pay/embedded";
import { createLog, createTestRuntime } from "@pay/process";
import type { Pool } from "pg";
import pg from "pg";
import { PATIENCE_MS, patientUrl } from "./patience.ts";
import { RUN_ADDRESS } from "./run-parts.ts";
import { describeUnless } from "./unless.ts";

export interface TestDatabase {
  readonly url: string;
  /** The database as a service opens it. */
  readonly database: Database;
  readonly pool: pg.Pool;
  drop(): Promise<void>;
}

export interface TestPostgres {
  /** A database with the service's migrations; it stays the same through kills and starts. */
  readonly url: string;
  /** The same database for the superuser of its server. */
  readonly superuserUrl: string;
  /** Ends the server as a power cut would. */
  kill(): Promise<void>;
  /** Stops it in order. */
  stop(): Promise<void>;
  /** The same server again: same data, same port. */
  start(): Promise<void>;
  /** Stands still but looks alive. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  drop(): Promise<void>;
}

/** What PostgreSQL itself is given to make its data and start. */
const STARTS_WITHIN_MS = 240_000;
/** As long as a test may take. */
const TEST_TIME_MS = 300_000;
const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

/** A migrated database of its own for a process that opens it itself. */
export async function testDatabaseUrl(
  servicePath: string,
): Promise<Pick<TestDatabase, "url" | "drop">> {
  const adminUrl = await serverUrl();
  const folder = resolve(REPOSITORY, servicePath);
  const name = `test_${randomUUID().replaceAll("-", "").slice(0, 20)}`;
  await withClient(adminUrl, async (client) => {
    const template = await prepareTemplate(client, adminUrl, folder);
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: patientUrl(withDatabase(adminUrl, name)),
    drop: () => withClient(adminUrl, (client) => dropDatabase(client, name)),
  };
}

/** The same, opened; e.g. testDatabase("services/payments"). */
export async function testDatabase(servicePath: string): Promise<TestDatabase> {
  const { url, drop } = await testDatabaseUrl(servicePath);
  const runtime = createTestRuntime("test");
  // A busy machine fills a table slowly, and a test may hold a transaction open: what bounds both is the test's own
  // time.
  const bounds = { statementTimeoutMs: TEST_TIME_MS, idleInTransactionTimeoutMs: TEST_TIME_MS };
  const database = openDatabase({ url, poolMax: 5, runtime, ...bounds });
  // The template may be older than the partitions it has.
  await createPartitions(database.pool);
  return {
    url,
    database,
    pool: database.pool,
    drop: async () => {
      await runtime.stop();
      await drop();
    },
  };
}

/** Proves that a service's migrations yield its schema.prisma. */
export async function expectNoDrift(servicePath: string): Promise<void> {
  const { url, drop } = await testDatabase(servicePath);
  try {
    expect(await migrationDrift(resolve(REPOSITORY, servicePath), url)).toBe("");
  } finally {
    await drop();
  }
}

/** A server for one test file alone, to be killed, frozen and brought back. */
export async function testPostgres(servicePath: string): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "pay-postgres-"));
  await chmod(folder, 0o755); // PostgreSQL runs as another account when we are root.
  const dataDir = join(folder, "data");
  let server = await startPostgres({ dataDir });
  const { port } = server;
  const name = basename(servicePath);
  const url = await server.provide(name);
  await migrate({ url, ...findMigrationFiles(resolve(REPOSITORY, servicePath)), log: silent });
  return {
    url,
    superuserUrl: server.url(name),
    kill: () => server.kill(),
    stop: () => server.stop(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    start: async () => {
      server = await startPostgres({ dataDir, port });
    },
    drop: async () => {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function describeWithPostgres(name: string, body: () => void): void {
  const { TEST_POSTGRES_URL, TEST_PARTS } = process.env;
  const missing = (TEST_POSTGRES_URL ?? TEST_PARTS) ? undefined : missingPostgres();
  describeUnless(missing && `no TEST_POSTGRES_URL and no ${missing}`, name, body);
}

const silent = createLog("test", "silent");

async function serverUrl(): Promise<string> {
  const { TEST_POSTGRES_URL, TEST_PARTS: kind = "", [RUN_ADDRESS]: runAddress } = process.env;
  if (TEST_POSTGRES_URL !== undefined && kind === "") return TEST_POSTGRES_URL;
  if (runAddress === undefined)
    throw new Error("tests with a database run through jest.config.mjs");
  const response = await fetch(`${runAddress}/${kind}postgres`, {
    signal: AbortSignal.timeout(STARTS_WITHIN_MS),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}

/** Test files of several processes may want the same template at once; one makes it, the others wait. */
async function prepareTemplate(
  client: pg.Client,
  adminUrl: string,
  folder: string,
): Promise<string> {
  const files = findMigrationFiles(folder);
  const migrations = await readMigrations(files.migrationsPath);
  const content = migrations.map(({ name, script }) => `${name}\n${script}`).join("\n");
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 20);
  const template = `template_${hash}`;
  await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [template]);
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [
      template,
    ]);
    if (rowCount === 0) await makeTemplate(client, adminUrl, template, files);
  } finally {
    await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [template]);
  }
  return template;
}

const DROPS_MAX = 5;
const OBJECT_IN_USE = "55006";

/**
 * Without `force`, which is for superusers where autovacuum is at work in the database: a plain drop ends autovacuum by
 * itself, and sessions of our own role are ours to end. A session that was opened meanwhile is ended by another try.
 */
async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  for (let drops = 1; ; drops++) {
    await client.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1 and usename = current_user",
      [name],
    );
    try {
      await client.query(`drop database if exists ${name}`);
      return;
    } catch (error) {
      const inUse = (error as { code?: unknown }).code === OBJECT_IN_USE;
      if (!inUse || drops === DROPS_MAX) throw error;
    }
  }
}

type MigrationFiles = ReturnType<typeof findMigrationFiles>;

/** Only a complete template bears the name. */
async function makeTemplate(
  client: pg.Client,
  adminUrl: string,
  template: string,
  files: MigrationFiles,
): Promise<void> {
  const unfinished = `new_${template}`;
  await dropDatabase(client, unfinished);
  await client.query(`create database ${unfinished}`);
  await migrate({ url: withDatabase(adminUrl, unfinished), ...files, log: silent });
  await client.query(`alter database ${unfinished} rename to ${template}`);
}

function withDatabase(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

async function withClient(
  url: string,
  act: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on("error", () => {});
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
}

/**
 * The newest partitions of the past, as a service that has run for a while has them. One of them is there already where
 * the migrations ran before a partition's end and the test runs after it.
 */
export async function addPastPartitions(pool: Pool, table: string, count: number): Promise<void> {
  const { rows } = await pool.query<{ statement: string }>(
    `select format('create table if not exists %I partition of %I for values from (%L) to (%L)',
       table_name || '_' || to_char(start at time zone 'UTC', 'YYYYMMDDHH24'), table_name, start, start + span) as statement
     from time_partitions, make_interval(hours => span_hours) span, generate_series(1, $2::int) nth,
       lateral (select date_bin(span, now(), timestamptz '2000-01-01 00:00+00') - nth * span as start) starts
     where table_name = $1`,
    [table, count],
  );
  for (const { statement } of rows) await pool.query(statement);
}
