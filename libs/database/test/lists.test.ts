import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { createTestRuntime } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";
import { listCost, openListedDatabase } from "../src/index.ts";

const LATER = new Date(Date.now() + 3_600_000);

describeWithPostgres("lists of merchants", () => {
  let database: TestDatabase;
  const runtimes: ReturnType<typeof createTestRuntime>[] = [];
  beforeAll(async () => {
    database = await testDatabase("services/customers");
  });
  afterEach(async () => {
    for (const runtime of runtimes.splice(0)) await runtime.stop();
  });
  afterAll(() => database.drop());

  function open(poolMax: number) {
    const runtime = createTestRuntime("customers");
    runtimes.push(runtime);
    return openListedDatabase({
      service: "customers",
      config: { CUSTOMERS_DATABASE_URL: database.url, CUSTOMERS_DATABASE_POOL_MAX: poolMax },
      home: new URL("../../../services/customers/", import.meta.url),
      runtime,
    });
  }

  test("that do not end leave their connections to the other statements", async () => {
    const { db, lists } = await open(5);
    expect([db.pool.options.max, lists.pool.options.max]).toEqual([4, 1]);
    const held = await lists.pool.connect();
    expect((await db.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    held.release();
    const answer = await lists.take("proj_1", { rows: 1, deadline: LATER }, () =>
      lists.pool.query("select 2 as two"),
    );
    expect(answer.rows).toEqual([{ two: 2 }]);
  });

  test("share the connections where there are too few to split", async () => {
    const { db, lists } = await open(3);
    expect(lists.pool).toBe(db.pool);
    expect(db.pool.options.max).toBe(3);
  });
});

test("a small page costs its rows, and a large or far one costs more", () => {
  expect(listCost({ page: 1, limit: 20, after: "" })).toBe(20);
  expect(listCost({ page: 1, limit: 100, after: "" })).toBe(180);
  expect(listCost({ page: 1_000, limit: 100, after: "" })).toBe(180 + 99_900 / 50);
  expect(listCost({ page: 1_000, limit: 100, after: "cus_1" })).toBe(180);
});
