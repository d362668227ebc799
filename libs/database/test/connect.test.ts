import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Database, openDatabase } from "@pay/database";
import { createTestRuntime } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import { register } from "prom-client";
import { PrismaClient } from "./sample/src/generated/prisma/client.ts";

describeWithPostgres("an open database", () => {
  let own: TestDatabase;
  let life: ReturnType<typeof createTestRuntime>;
  let db: Database;
  beforeAll(async () => {
    own = await testDatabase("libs/database/test/sample");
  });
  afterAll(() => own?.drop());
  beforeEach(() => {
    life = createTestRuntime("shop");
    db = openDatabase({ url: own.url, poolMax: 2, runtime: life });
  });
  afterEach(() => life.stop());

  async function connections() {
    const { values } = (await register.getSingleMetric("db_pool_connections")?.get()) ?? {
      values: [],
    };
    const ours = values.filter(({ labels }) => labels.database === db.name);
    // The test's own pool on the same database is idle.
    return Object.fromEntries(ours.map(({ labels, value }) => [labels.state, value]));
  }

  test("has a bound on every wait", async () => {
    const names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"];
    for (const name of names) {
      const { rows } = await db.pool.query<{ setting: string }>(
        "select current_setting($1) as setting",
        [name],
      );
      expect([name, rows[0]?.setting]).not.toEqual([name, "0"]);
    }
    expect(db.pool.options.connectionTimeoutMillis).toBeGreaterThan(0);
  });

  test("keeps one plan of a prepared statement, also of a list of one", async () => {
    const statement = {
      name: "find-owners",
      text: "select owner.* from unnest($1::text[]) as wanted (id) join owners owner using (id)",
    };
    const client = await db.pool.connect();
    for (let calls = 0; calls < 10; calls++) await client.query({ ...statement, values: [["a"]] });
    const { rows } = await client.query(
      "select generic_plans::int, custom_plans::int from pg_prepared_statements where name = $1",
      [statement.name],
    );
    client.release();
    expect(rows).toEqual([{ generic_plans: 10, custom_plans: 0 }]);
  });

  test("connects within the time that its address names", async () => {
    const address = new URL(own.url);
    address.searchParams.set("connect_timeout", "7");
    const { pool } = openDatabase({ url: address.href, poolMax: 1, runtime: life });
    expect(pool.options.connectionTimeoutMillis).toBe(7_000);
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("is known to the server by the service's name", async () => {
    const { rows } = await db.pool.query("select current_setting('application_name') as name");
    expect(rows).toEqual([{ name: "shop" }]);
  });

  test("serves Prisma and statements from one pool", async () => {
    const prisma = new PrismaClient({ adapter: db.adapter });
    await Promise.all(Array.from({ length: 8 }, () => prisma.owner.count()));
    await Promise.all(Array.from({ length: 8 }, () => db.pool.query("select 1")));
    const count =
      "select from pg_stat_activity where application_name = 'shop' and datname = current_database()";
    expect((await own.pool.query(count)).rowCount).toBe(2);
  });

  test("shows who is busy and who waits", async () => {
    const before = await connections();
    const held = await Promise.all([db.pool.connect(), db.pool.connect()]);
    const waiting = db.pool.query("select 1");
    await until(async () => (await connections()).waiting === 1);
    expect((await connections()).busy).toBe(Number(before.busy ?? 0) + 2);
    for (const client of held) client.release();
    await waiting;
    expect((await connections()).waiting).toBe(0);
  });

  test("ends with its process and waits for the work under way", async () => {
    const work = db.pool.query("select pg_sleep(0.2), 'done' as word");
    await until(() => db.pool.totalCount > db.pool.idleCount);
    expect(await life.stop()).toBe(true);
    expect((await work).rows[0].word).toBe("done");
    await expect(db.pool.query("select 1")).rejects.toMatchObject({
      errorCode: "service_unavailable",
    });
  });
});
