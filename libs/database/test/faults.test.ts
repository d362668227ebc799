import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createPartitions, type Database, openDatabase, transaction } from "@pay/database";
import { createTestRuntime } from "@pay/process";
import { describeWithPostgres, type TestPostgres, testPostgres, until } from "@pay/testing";
import pg from "pg";
import { dropPartitions } from "../src/partitions/partitions.ts";
import { PrismaClient } from "./sample/src/generated/prisma/client.ts";

const STATEMENT_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
// What the bounds above allow, with room for a busy machine.
const AT_MOST_MS = 10_000;

type Life = ReturnType<typeof createTestRuntime>;

describeWithPostgres("a database in trouble", () => {
  let server: TestPostgres;
  let life: Life;
  let db: Database;
  beforeAll(async () => {
    server = await testPostgres("libs/database/test/sample");
  });
  afterAll(() => server?.drop());
  beforeEach(() => {
    life = createTestRuntime("test");
    db = openDatabase({
      url: server.url,
      poolMax: 2,
      runtime: life,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
    });
  });
  afterEach(() => life.stop());

  const unavailable = { name: "Failure", errorCode: "service_unavailable" };
  async function works() {
    return expect((await db.pool.query("select 1 as n")).rows).toEqual([{ n: 1 }]);
  }

  function worksAgain() {
    return until(() => db.pool.query("select 1").catch(() => false), { what: "an answer" });
  }

  async function ready() {
    return (await life.readiness()).ready;
  }

  async function ownPid(client: pg.Pool | pg.PoolClient) {
    return (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
  }

  /** Ends the server's process behind a connection, from outside. */
  async function endBackend(pid: number | undefined) {
    const other = new pg.Client({ connectionString: server.url });
    await other.connect();
    await other.query("select pg_terminate_backend($1)", [pid]);
    const gone = "select where not exists (select from pg_stat_activity where pid = $1)";
    await until(async () => (await other.query(gone, [pid])).rowCount === 1);
    await other.end();
  }

  test("replaces a connection that broke while it lay idle", async () => {
    await endBackend(await ownPid(db.pool));
    await worksAgain();
  });

  test("says unavailable when the connection breaks under a query", async () => {
    const client = await db.pool.connect();
    const pid = await ownPid(client);
    const query = client.query("select pg_sleep(30)");
    await Promise.all([expect(query).rejects.toMatchObject(unavailable), endBackend(pid)]);
    client.release();
    await works();
  });

  test("survives a connection that breaks between two statements of a transaction", async () => {
    const work = transaction(db.pool, async (tx) => {
      await endBackend(await ownPid(tx));
      await tx.query("select 1");
    });
    await expect(work).rejects.toMatchObject(unavailable);
    await works();
  });

  test("survives a connection that breaks inside Prisma's transaction", async () => {
    const prisma = new PrismaClient({ adapter: db.adapter });
    const work = prisma.$transaction(async (tx) => {
      const [row] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await endBackend(row?.pid);
      await tx.owner.count();
    });
    await expect(work).rejects.toMatchObject(unavailable);
    expect(await prisma.owner.count()).toBe(0);
  });

  test("ends a statement that takes too long and keeps its connection", async () => {
    // The service gives up half a second after the server, and on a busy machine that is sometimes not enough.
    async function keepsIt() {
      const before = await ownPid(db.pool);
      await expect(db.pool.query("select pg_sleep(30)")).rejects.toMatchObject(unavailable);
      return (await ownPid(db.pool)) === before;
    }

    await until(keepsIt, { what: "the same connection" });
  });

  test("stops waiting for a server that knows no bound, and replaces the connection", async () => {
    const client = await db.pool.connect();
    const before = await ownPid(client);
    await client.query("set statement_timeout = 0");
    await expect(client.query("select pg_sleep(30)")).rejects.toMatchObject(unavailable);
    client.release();
    expect(await ownPid(db.pool)).not.toBe(before);
  });

  test("does not let a caller wait for a connection for ever", async () => {
    const held = await Promise.all([db.pool.connect(), db.pool.connect()]);
    await expect(db.pool.query("select 1")).rejects.toMatchObject(unavailable);
    for (const client of held) client.release();
    await works();
  });

  test("refuses callers beyond a bounded queue at once", async () => {
    // Those in the queue have the time that a busy machine needs.
    const connectTimeoutMs = 60_000;
    const { pool } = openDatabase({
      url: server.url,
      poolMax: 2,
      runtime: life,
      connectTimeoutMs,
    });
    const held = await Promise.all([pool.connect(), pool.connect()]);
    const callers = Array.from({ length: 201 }, () =>
      pool.query("select 1").then(() => "served", String),
    );
    expect(await callers[200]).toMatch(/overloaded/);
    for (const client of held) client.release();
    expect(new Set(await Promise.all(callers.slice(0, 200)))).toEqual(new Set(["served"]));
  });

  test("frozen, it fails in bounded time for pg and for Prisma, and recovers when it thaws", async () => {
    const prisma = new PrismaClient({ adapter: db.adapter });
    await works();
    await server.freeze();
    try {
      const startedMs = performance.now();
      const attempts = [
        db.pool.query("select 1"),
        prisma.owner.count(),
        transaction(db.pool, (tx) => tx.query("select 1")),
      ];
      const ends = await Promise.allSettled(attempts);
      expect(performance.now() - startedMs).toBeLessThan(AT_MOST_MS);
      for (const end of ends)
        expect(end).toMatchObject({ status: "rejected", reason: unavailable });
      expect(await ready()).toBe(false);
    } finally {
      await server.thaw();
    }
    await worksAgain();
    expect(await prisma.owner.count()).toBe(0);
    await until(ready, { what: "readiness" });
  });

  test("killed, it fails at once, and the same pool works when it is back with its data", async () => {
    await db.pool.query("insert into owners (id, email) values ('kept', 'kept@example.com')");
    await server.kill();
    await expect(db.pool.query("select 1")).rejects.toMatchObject(unavailable);
    await expect(db.pool.query("select 1")).rejects.toMatchObject(unavailable);
    await server.start();
    const { rows } = await until(() =>
      db.pool.query("select id from owners").catch(() => undefined),
    );
    expect(rows).toEqual([{ id: "kept" }]);
    await db.pool.query("delete from owners");
  });

  test("stopped in order, it fails at once, and the same pool works when it is back", async () => {
    await works();
    await server.stop();
    await expect(db.pool.query("select 1")).rejects.toMatchObject(unavailable);
    await server.start();
    await worksAgain();
  });

  test("a role that changes rows alone creates and drops partitions, and changes no table", async () => {
    const admin = new pg.Pool({ connectionString: server.superuserUrl, max: 1 });
    await admin.query("create role rows_alone login password 'rows alone'");
    await admin.query(
      "grant select, insert, update, delete on all tables in schema public to rows_alone",
    );
    await admin.query("grant connect on database sample to rows_alone");
    await db.pool.query(`
      create table things (at timestamptz not null) partition by range (at);
      create table things_2026010100 partition of things for values from ('2026-01-01 00:00+00') to ('2026-01-01 01:00+00');
      insert into time_partitions (table_name, span_hours, ahead, kept) values ('things', 1, 2, 3)`);
    const own = new URL(server.url);
    Object.assign(own, { username: "rows_alone", password: "rows alone" });
    const pool = new pg.Pool({ connectionString: own.href, max: 2 });
    async function count() {
      const { rows } = await pool.query(
        "select count(*)::int as n from pg_inherits where inhparent = 'things'::regclass",
      );
      return rows[0].n;
    }

    try {
      await createPartitions(pool);
      expect(await count()).toBe(4);
      expect(await dropPartitions(pool)).toEqual([]);
      expect(await count()).toBe(3);
      const options = "fillfactor = 70); drop table things; --";
      const next = "date_trunc('hour', now()) + interval '5 hours'";
      for (const refused of [
        "create table own (name text)",
        "drop table things",
        "alter table things disable trigger all",
        "select drop_partition('things')",
        "select drop_partition(inhrelid::regclass::text) from pg_inherits where inhparent = 'things'::regclass",
        "select create_partition('things', now())",
        "select create_partition('outbox', now())",
        `begin; update time_partitions set options = '${options}'; select create_partition('things', ${next})`,
      ]) {
        await expect(pool.query(refused)).rejects.toThrow();
        await pool.query("rollback");
      }
      expect(await count()).toBe(3);
    } finally {
      await pool.end();
      await admin.end();
    }
  });
});
