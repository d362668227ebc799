import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  addPastPartitions,
  describeStatementPlans,
  describeWithPostgres,
  type TestDatabase,
  testDatabase,
  until,
} from "@pay/testing";
import * as statements from "../src/generated/sql.ts";
import { forwardOnce, writeOnce } from "../src/index.ts";

const SCOPE = "proj:1:POST /v1/things";

describeWithPostgres("idempotency keys in partitions", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase("libs/idempotency/test/sample");
    await addPastPartitions(database.pool, "idempotency_keys", 1);
  });
  afterAll(() => database.drop());

  function toRequest(key: string) {
    return { scope: SCOPE, key, fingerprint: Buffer.from("body") };
  }

  function says(text: string) {
    return async () => Buffer.from(text);
  }

  const moveToEarlier = `update idempotency_keys set period = period - interval '12 hours' where key = $1`;

  test.each([
    ["a write", writeOnce],
    ["a forwarded call", forwardOnce],
  ])("%s whose key is in the partition before is not done again", async (name, once) => {
    const request = toRequest(name);
    await once(database.pool, request, says("first"));
    const { rowCount } = await database.pool.query(moveToEarlier, [name]);
    expect(rowCount).toBe(1);
    const again = await once(database.pool, request, says("second"));
    expect(again).toEqual({ response: Buffer.from("first"), replayed: true });
  });

  test("a statement that began before another's commit sees that one's key, in whatever partition it is", async () => {
    const [first, second] = [await database.pool.connect(), await database.pool.connect()];
    try {
      await second.query("set lock_timeout = 0; set statement_timeout = 0");
      await first.query("begin; select pg_advisory_xact_lock(1)");
      await first.query(
        `insert into idempotency_keys (scope, key, fingerprint, response, period)
         values ($1, 'raced', '', '', date_bin('12 hours', now(), '2000-01-01 00:00+00') - interval '12 hours')`,
        [SCOPE],
      );
      const found = second.query(
        `with turn as materialized (select pg_advisory_xact_lock(1))
         select unused.* from (select count(*) from turn) mine, unused_keys($1, $2) unused`,
        [
          [SCOPE, SCOPE],
          ["raced", "free"],
        ],
      );
      await until(
        async () => {
          // The server has databases of other tests, which wait for locks of their own.
          const waiting = `select from pg_locks join pg_database on pg_database.oid = database
            where locktype = 'advisory' and not granted and datname = current_database()`;
          return (await database.pool.query(waiting)).rowCount === 1;
        },
        { what: "a statement that waits for the lock" },
      );
      await first.query("commit");
      expect((await found).rows).toEqual([{ scope: SCOPE, key: "free" }]);
    } finally {
      first.release();
      second.release();
    }
  });

  test("a key is looked up in the indexes, however many keys there are", async () => {
    const tx = await database.pool.connect();
    try {
      await tx.query("begin");
      await tx.query(
        `insert into idempotency_keys (scope, key, fingerprint, response)
         select $1, 'many ' || n, '', '' from generate_series(1, 20000) n`,
        [SCOPE],
      );
      await tx.query("analyze idempotency_keys");
      const keys = Array.from({ length: 64 }, (_, n) => `${n % 2 === 0 ? "many" : "few"} ${n + 1}`);
      const scopes = keys.map(() => SCOPE);
      // A function's plan no longer depends on its arguments after the first five calls.
      for (let call = 0; call < 7; call++) {
        const { rows } = await tx.query("select from unused_keys($1, $2)", [scopes, keys]);
        expect(rows).toHaveLength(32);
      }
      // Partitions of a few rows may be read whole; the one with many is not, in seven calls not once.
      const rowsRead = `select coalesce(sum(seq_tup_read), 0)::int as read
        from pg_stat_xact_user_tables where relid in (select relid from pg_partition_tree('idempotency_keys'))`;
      const { rows } = await tx.query<{ read: number }>(rowsRead);
      expect(rows[0]?.read).toBeLessThan(20_000);
    } finally {
      await tx.query("rollback");
      tx.release();
    }
  });
});

describeStatementPlans({ folder: "libs/idempotency/test/sample", statements });
