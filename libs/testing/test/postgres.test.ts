// A test database goes whatever else the server is doing: the role of tests is no superuser, as a service's is none.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Postgres, startPostgres } from "@pay/embedded";
import { describeWithPostgres, testDatabase, until } from "@pay/testing";
import pg from "pg";

/** So slow that autovacuum is at it for minutes. */
const SLOWLY = `autovacuum_vacuum_insert_threshold = 0, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1`;

describeWithPostgres("a test database", () => {
  let folder: string;
  let server: Postgres;
  let admin: pg.Client;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pay-vacuum-"));
    await chmod(folder, 0o755); // PostgreSQL runs as another account when we are root.
    const settings = { autovacuum_naptime: 1 };
    server = await startPostgres({ dataDir: join(folder, "data"), settings });
    process.env.TEST_POSTGRES_URL = await server.provide("tester");
    admin = new pg.Client({ connectionString: server.url() });
    admin.on("error", () => {});
    await admin.connect();
    await admin.query("alter role tester createdb");
  });
  afterAll(async () => {
    await admin?.end();
    await server?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  async function isThere(name: string) {
    return (await admin.query("select from pg_database where datname = $1", [name])).rowCount === 1;
  }

  test("goes although autovacuum is at work in it and a session of the test is still open", async () => {
    const { url, pool, drop } = await testDatabase("libs/database/test/sample");
    const name = new URL(url).pathname.slice(1);
    const forgotten = new pg.Client({ connectionString: url });
    forgotten.on("error", () => {});
    await forgotten.connect();
    await pool.query(`create table busy (n int, filler text) with (${SLOWLY})`);
    await pool.query(
      "insert into busy select n, repeat('x', 500) from generate_series(1, 50000) n",
    );
    async function atWork() {
      const { rowCount } = await admin.query(
        "select from pg_stat_activity where datname = $1 and query like 'autovacuum: %.busy'",
        [name],
      );
      return rowCount !== 0;
    }

    await until(atWork, { what: "autovacuum" });
    await drop();
    expect(await isThere(name)).toBe(false);
  });
});
