import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Database, openDatabase, transaction } from "@pay/database";
import { createTestRuntime } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";

describeWithPostgres("statements that lose against others", () => {
  let own: TestDatabase;
  let life: ReturnType<typeof createTestRuntime>;
  let db: Database;
  beforeAll(async () => {
    own = await testDatabase("libs/database/test/sample");
    // A sequence keeps its value through a rollback, so it counts the runs of a statement that fails.
    await own.pool.query(`
      create sequence runs;
      create function lose(times bigint, state text) returns bigint language plpgsql as $$
      declare run bigint := nextval('runs');
      begin
        if run <= times then raise exception using errcode = state, message = 'lost'; end if;
        return run;
      end $$`);
  });
  afterAll(() => own.drop());
  beforeEach(async () => {
    await own.pool.query("alter sequence runs restart");
    life = createTestRuntime("races");
    db = openDatabase({ url: own.url, poolMax: 3, runtime: life });
  });
  afterEach(() => life.stop());

  const LOSE = "select lose($1, $2)::int as run";

  describe.each(["40001", "40P01"])("%s", (state) => {
    test("a statement outside a transaction is run again", async () => {
      expect((await db.pool.query(LOSE, [1, state])).rows).toEqual([{ run: 2 }]);
    });

    test("a statement that loses for good is run a bounded number of times and fails as unavailable", async () => {
      const lost = db.pool.query(LOSE, [9, state]);
      await expect(lost).rejects.toMatchObject({ errorCode: "service_unavailable" });
      const { rows } = await own.pool.query("select last_value::int as runs from runs");
      expect(rows).toEqual([{ runs: 5 }]);
    });

    test("a statement inside a transaction is not run again alone", async () => {
      const runs: number[] = [];
      await transaction(db.pool, async (tx) => {
        runs.push(1);
        await tx.query(LOSE, [1, state]);
      });
      expect(runs).toEqual([1, 1]);
    });
  });

  test("a transaction in which nothing happens gives its locks back after three seconds", async () => {
    await own.pool.query("create table held (id int primary key); insert into held values (1)");
    const frozen = await db.pool.connect();
    const begun = performance.now();
    await frozen.query("begin; select from held for update");
    await own.pool.query({ text: "set lock_timeout = 20000; update held set id = 2" });
    expect(performance.now() - begun).toBeGreaterThan(1_000);
    await expect(frozen.query("select 1")).rejects.toMatchObject({
      errorCode: "service_unavailable",
    });
    frozen.release(true);
  });
});
