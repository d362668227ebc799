import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Database, openDatabase, transaction } from "@pay/database";
import { createTestRuntime } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase } from "@pay/testing";

describeWithPostgres("a transaction", () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase("libs/database/test/sample");
  });
  afterAll(() => db?.drop());
  beforeEach(async () => {
    await db.pool.query("truncate notes, owners");
    await db.pool.query("insert into owners (id, email) values ('me', 'me@example.com')");
    await db.pool.query(
      "insert into notes (id, owner_id, amount, body) values (1, 'me', 1, ''), (2, 'me', 1, '')",
    );
  });

  async function amounts() {
    const { rows } = await db.pool.query<{ amount: string }>(
      "select amount from notes order by id",
    );
    return rows.map(({ amount }) => amount);
  }

  test("leaves nothing behind when its work fails", async () => {
    const work = transaction(db.pool, async (tx) => {
      await tx.query("update notes set amount = 9 where id = 1");
      throw new Error("changed my mind");
    });
    await expect(work).rejects.toThrow("changed my mind");
    expect(await amounts()).toEqual(["1", "1"]);
  });

  test("is not called a success when a swallowed error had ended it", async () => {
    const work = transaction(db.pool, async (tx) => {
      await tx.query("update notes set amount = 9 where id = 1");
      await tx.query("select 1/0").catch(() => {});
    });
    await expect(work).rejects.toThrow("failed before its commit");
    expect(await amounts()).toEqual(["1", "1"]);
  });

  test("that lost to a concurrent one is run again, so that no increment is lost", async () => {
    function increment() {
      return transaction(
        db.pool,
        async (tx) => {
          const { rows } = await tx.query("select amount from notes where id = 1");
          const more = BigInt(rows[0].amount) + 1n;
          await tx.query("update notes set amount = $1 where id = 1", [more]);
        },
        { isolation: "serializable" },
      );
    }

    await Promise.all([increment(), increment(), increment()]);
    expect(await amounts()).toEqual(["4", "1"]);
  });

  test("that met another one in a deadlock is run again", async () => {
    let waiting = 0;
    const both = Promise.withResolvers<void>();
    function meet() {
      waiting++;
      if (waiting === 2) both.resolve();
      return both.promise;
    }

    const add = "update notes set amount = amount + 1 where id = $1";
    function inOrder(ids: number[]) {
      return transaction(db.pool, async (tx) => {
        await tx.query(add, [ids[0]]);
        await meet();
        await tx.query(add, [ids[1]]);
      });
    }

    await Promise.all([inOrder([1, 2]), inOrder([2, 1])]);
    expect(await amounts()).toEqual(["3", "3"]);
  });

  test("gives up after a bounded number of lost races", async () => {
    let runs = 0;
    const lost = transaction(db.pool, async (tx) => {
      runs++;
      await tx.query("do $$ begin raise exception 'lost' using errcode = '40001'; end $$");
    });
    await expect(lost).rejects.toMatchObject({ errorCode: "service_unavailable" });
    expect(runs).toBe(5);
  });

  test("and a refused statement both keep the connection", async () => {
    async function pid() {
      return (await db.pool.query("select pg_backend_pid() as pid")).rows[0].pid;
    }

    const before = await pid();
    const again = db.pool.query("insert into owners (id, email) values ('me', 'x')");
    await expect(again).rejects.toThrow("owners_pkey");
    const work = transaction(db.pool, (tx) => tx.query("select 1/0"));
    await expect(work).rejects.toThrow("division by zero");
    expect(await pid()).toBe(before);
  });

  test("and a prepared statement go on while a migration changes what they answer", async () => {
    const all = { name: "all-owners", text: "select * from owners" };
    function inTransaction() {
      return transaction(db.pool, (tx) => tx.query(all));
    }

    function everyConnection() {
      return Promise.all(Array.from({ length: 5 }, () => db.pool.query(all)));
    }

    await everyConnection();
    await db.pool.query("alter table owners add column nickname text");
    for (const { rows } of await everyConnection()) expect(rows[0]).toHaveProperty("nickname");
    await db.pool.query("alter table owners drop column nickname");
    expect((await inTransaction()).rows[0]).not.toHaveProperty("nickname");
  });
});

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
