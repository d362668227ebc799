import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createTestRuntime } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import { createPartitions, isFaultOfData, keepPartitions } from "../src/index.ts";
import { dropPartitions } from "../src/partitions/partitions.ts";

const HOUR_MS = 3_600_000;

describeWithPostgres("tables whose rows leave by time", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase("libs/database/test/sample");
  });
  afterAll(() => database.drop());

  /** A table with partitions of an hour: two ahead, three kept. */
  beforeEach(async () => {
    // A test that runs into the next hour would look for other names than the database makes.
    await until(() => Date.now() % HOUR_MS < HOUR_MS - 15_000, { what: "the next hour" });
    await database.pool.query(`
      drop table if exists things;
      create table things (
        name text not null, at timestamptz not null default now(),
        primary key (name, at)
      ) partition by range (at);
      create index things_name on things (name);
      insert into time_partitions (table_name, span_hours, ahead, kept, options)
        values ('things', 1, 2, 3, 'fillfactor = 70')
        on conflict (table_name) do update set used_kept = 0`);
  });

  function hour(hours: number): Date {
    return new Date(Math.floor(Date.now() / HOUR_MS + hours) * HOUR_MS);
  }

  function nameAt(hours: number): string {
    return `things_${hour(hours).toISOString().replaceAll(/[-T]/g, "").slice(0, 10)}`;
  }

  async function names(): Promise<string[]> {
    const { rows } = await database.pool.query<{ relname: string }>(
      `select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
       where inhparent = 'things'::regclass order by relname`,
    );
    return rows.map(({ relname }) => relname);
  }

  /** A partition of the past with a row, as an earlier run left it. */
  async function addPast(hours: number, options: { isEmpty?: boolean } = {}): Promise<string> {
    const name = nameAt(-hours);
    const [from, to] = [hour(-hours).toISOString(), hour(1 - hours).toISOString()];
    await database.pool.query(
      `create table ${name} partition of things for values from ('${from}') to ('${to}')`,
    );
    if (!options.isEmpty) await database.pool.query("insert into things values ('a', $1)", [from]);
    return name;
  }

  test("the partitions of the present and the near future exist, however many replicas create them", async () => {
    await Promise.all(Array.from({ length: 5 }, () => createPartitions(database.pool)));
    expect(await names()).toEqual([nameAt(0), nameAt(1), nameAt(2)]);
    await database.pool.query("insert into things values ('a'), ('b')");
    const { rows } = await database.pool.query(
      "select reloptions from pg_class where relname = $1",
      [nameAt(0)],
    );
    expect(rows).toEqual([{ reloptions: ["fillfactor=70"] }]);
  });

  test("a partition is dropped when it has been over for as long as it is kept, and not before", async () => {
    await createPartitions(database.pool);
    const [kept, over, old] = [await addPast(3), await addPast(4), await addPast(700)];
    expect(await dropPartitions(database.pool)).toEqual([]);
    expect(await names()).toContain(kept);
    expect(await names()).not.toContain(over);
    expect(await names()).not.toContain(old);
  });

  test("after a standstill the newest partitions with rows stay, however old they are", async () => {
    await database.pool.query(
      "update time_partitions set used_kept = 2 where table_name = 'things'",
    );
    const [third, second] = [await addPast(703), await addPast(702)];
    const [empty, newest] = [await addPast(701, { isEmpty: true }), await addPast(700)];
    await createPartitions(database.pool);
    await dropPartitions(database.pool);
    const [old = [], present = []] = [
      (await names()).filter((name) => name < nameAt(0)),
      (await names()).filter((name) => name >= nameAt(0)),
    ];
    expect(old).toEqual([second, newest]);
    expect(old).not.toContain(empty);
    expect(old).not.toContain(third);
    expect(present).toHaveLength(3);
  });

  test("a drop that has to wait for a reader gives up, and no writer waits for long", async () => {
    await createPartitions(database.pool);
    const old = await addPast(4);
    const [reader, writer] = [await database.pool.connect(), await database.pool.connect()];
    try {
      await reader.query("begin; select from things");
      const dropped = dropPartitions(database.pool);
      // A write that waits for longer is refused; the drop would wait for three seconds if it did not give up.
      await writer.query("set lock_timeout = 2000");
      for (let writes = 0; writes < 100; writes++) {
        await writer.query("insert into things values ($1)", [`w${writes}`]);
      }
      expect(await dropped).toEqual([old]);
      await reader.query("rollback");
    } finally {
      reader.release();
      writer.release(true);
    }
    expect(await dropPartitions(database.pool)).toEqual([]);
    expect(await names()).not.toContain(old);
  });

  test("partitions are created while a writer's transaction is open", async () => {
    await createPartitions(database.pool);
    const writer = await database.pool.connect();
    try {
      await writer.query("begin; insert into things values ('open')");
      await database.pool.query("update time_partitions set ahead = 4 where table_name = 'things'");
      await createPartitions(database.pool);
      expect(await names()).toHaveLength(5);
      await writer.query("commit");
    } finally {
      writer.release();
    }
  });

  test("a row without a partition fails as a fault of the service, not of its data", async () => {
    const insert = database.pool.query("insert into things values ('a')");
    const error: unknown = await insert.catch((fault: unknown) => fault);
    expect(error).toMatchObject({
      errorCode: "service_unavailable",
      cause: { message: expect.stringContaining('no partition of relation "things"') },
    });
    expect(isFaultOfData(error)).toBe(false);
  });

  test("a service that starts has its partitions before it goes on, and drops the old ones by itself", async () => {
    const old = await addPast(5);
    const runtime = createTestRuntime("partitions");
    await keepPartitions({ db: database.database, runtime });
    await database.pool.query("insert into things values ('a')");
    await until(async () => !(await names()).includes(old), { what: "a dropped partition" });
    await runtime.stop();
  });
});
