import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createLog, type Log } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import { register } from "prom-client";
import {
  appendOutbox,
  type Bus,
  type BusRecord,
  createLocalBus,
  startRelay,
  TOPICS,
} from "../src/index.ts";
import { aProcess, change, count, deadLetters, SAMPLE } from "./arrange.ts";

const MINUTE_MS = 60_000;

describeWithPostgres("the relay", () => {
  let database: TestDatabase;
  let bus: Bus;
  const processes: ReturnType<typeof aProcess>[] = [];

  beforeAll(async () => {
    database = await testDatabase(SAMPLE);
  });
  afterAll(() => database.drop());

  beforeEach(async () => {
    await database.pool.query("truncate outbox, dead_letters");
    bus = createLocalBus();
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((one) => one.stop()));
  });

  function start({ log, ...options }: { intervalMs?: number; holdMs?: number; log?: Log } = {}) {
    const runtime = aProcess(database.url, log && { log });
    processes.push(runtime);
    return startRelay({ db: runtime.db, bus, runtime, ...options });
  }

  async function listen(handle: (records: BusRecord[]) => Promise<void> = async () => {}) {
    const seen: string[] = [];
    await bus.subscribe({
      group: "listener",
      topics: [TOPICS.payments],
      handle: async (records) => {
        await handle(records);
        seen.push(...records.map((record) => record.eventId));
      },
    });
    return seen;
  }

  function drained() {
    return until(async () => (await count(database.pool, "outbox")) === 0);
  }

  async function openTransactions() {
    return Number(
      (
        await database.pool.query(
          `select count(*) from pg_stat_activity
            where datname = current_database() and state like 'idle in transaction%'`,
        )
      ).rows[0].count,
    );
  }

  test("every committed event is published, oldest first, and leaves the outbox", async () => {
    const seen = await listen();
    const rows = Array.from({ length: 4_500 }, (_, n) => change(`pay_${n % 7}`, n + 1));
    await appendOutbox(database.pool, rows);
    start();
    await drained();
    expect(seen).toEqual(rows.map((row) => row.eventId));
  });

  test("each published event has a line with its ids, and nothing else of it", async () => {
    const lines: string[] = [];
    const rows = [change("pay_1", 1), { ...change("pay_2", 1), requestId: "req_2" }];
    await appendOutbox(database.pool, rows);
    start({ log: createLog("sample", "info", { write: (line) => void lines.push(line) }) });
    await until(() => lines.length === rows.length, { what: "a line for each event" });
    const common = { level: "info", service: "sample", time: expect.any(String) };
    const about = { type: rows[0]?.type, projectId: "proj_1" };
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      rows.map(({ eventId, requestId }, place) => ({
        ...common,
        ...about,
        resourceId: `pay_${place + 1}`,
        ...(requestId !== "" && { requestId }),
        eventId,
        msg: "event published",
      })),
    );
  });

  test("while a snapshot is held, a round does not read the rows that were published before", async () => {
    const [seen, snapshot] = [await listen(), await database.pool.connect()];
    try {
      await snapshot.query("begin isolation level repeatable read; select from outbox");
      start({ intervalMs: 20 });
      for (let lists = 0; lists < 10; lists++) {
        const rows = Array.from({ length: 2_000 }, (_, n) => change("pay_1", n + 1));
        await appendOutbox(database.pool, rows);
        await until(() => seen.length === 2_000 * (lists + 1));
      }
      await drained();
      async function reads() {
        const { rows } = await database.pool.query<{ scans: number; entries: number }>(
          `select idx_scan::int as scans, idx_tup_read::int as entries
           from pg_stat_user_indexes where indexrelname = 'outbox_pkey'`,
        );
        return rows[0] ?? { scans: 0, entries: 0 };
      }

      // Each connection publishes its counts late and on its own, up to ten seconds after it last worked, so reads
      // of the first rounds can still arrive in a later window. A round that reads published rows does so every time:
      // one window without such reads shows that rounds do not.
      let first = await reads();
      await until(async () => {
        const now = await reads();
        if (now.scans <= first.scans + 30) return false;
        const each = (now.entries - first.entries) / (now.scans - first.scans);
        first = now;
        return each < 100;
      });
    } finally {
      await snapshot.query("rollback");
      snapshot.release();
    }
  });

  test("a wake publishes at once, without waiting for the interval", async () => {
    const seen = await listen();
    const { wake } = start({ intervalMs: MINUTE_MS });
    for (const sequence of [1, 2, 3]) {
      await appendOutbox(database.pool, [change("pay_1", sequence)]);
      wake();
      await until(() => seen.length === sequence);
    }
  });

  test("an event without a wake is published after the interval", async () => {
    const seen = await listen();
    start({ intervalMs: 50 });
    await appendOutbox(database.pool, [change("pay_1", 1)]);
    await until(() => seen.length === 1);
  });

  test("an event that is not committed is not published", async () => {
    const seen = await listen();
    const { wake } = start({ intervalMs: MINUTE_MS });
    const client = await database.pool.connect();
    await client.query("begin");
    await appendOutbox(client, [change("pay_1", 1)]);
    await appendOutbox(database.pool, [change("pay_2", 1)]);
    wake();
    await until(() => seen.length === 1);
    await client.query("rollback");
    client.release();
    await drained();
    expect(seen).toHaveLength(1);
  });

  test("an event whose transaction commits late is published although later ones already were", async () => {
    const seen = await listen();
    const { wake } = start({ intervalMs: MINUTE_MS });
    const [early, late] = [change("pay_1", 1), change("pay_2", 1)];
    const client = await database.pool.connect();
    await client.query("begin");
    await appendOutbox(client, [early]);
    await appendOutbox(database.pool, [late]);
    wake();
    await until(() => seen.length === 1);
    await client.query("commit");
    client.release();
    wake();
    await until(() => seen.length === 2);
    expect(seen).toEqual([late.eventId, early.eventId]);
  });

  test("two relays publish every event once, in order", async () => {
    const seen = await listen();
    const relays = [start(), start()];
    const rows = Array.from({ length: 600 }, (_, n) => change(`pay_${n % 5}`, n + 1));
    for (let n = 0; n < rows.length; n += 3) {
      await appendOutbox(database.pool, rows.slice(n, n + 3));
      relays[n % 2]?.wake();
    }
    await drained();
    expect(seen).toEqual(rows.map((row) => row.eventId));
  });

  test("events stay in the outbox while the bus fails, and follow in order afterwards", async () => {
    let faults = 4;
    const seen = await listen(async () => {
      if (faults-- > 0) throw new Error("not now");
    });
    const rows = [1, 2, 3].map((sequence) => change("pay_1", sequence));
    await appendOutbox(database.pool, rows);
    const { wake } = start();
    await until(() => {
      wake();
      return faults <= 0;
    });
    await drained();
    expect(seen).toEqual(rows.map((row) => row.eventId));
  });

  test("a slow bus holds no transaction open, and its events leave when it is done", async () => {
    const gate = Promise.withResolvers<void>();
    let begun = false;
    const seen = await listen(() => {
      begun = true;
      return gate.promise;
    });
    await appendOutbox(database.pool, [change("pay_1", 1)]);
    start({ holdMs: 50 });
    await until(() => begun);
    await until(async () => (await openTransactions()) === 0);
    expect(await count(database.pool, "outbox")).toBe(1);
    gate.resolve();
    await drained();
    expect(new Set(seen).size).toBe(1);
  });

  test("a stop does not wait for a bus that hangs, and loses nothing", async () => {
    let begun = false;
    await listen(() => {
      begun = true;
      return new Promise(() => {});
    });
    await appendOutbox(database.pool, [change("pay_1", 1)]);
    start({ holdMs: 50 });
    await until(() => begun);
    expect(await processes.pop()?.stop()).toBe(true);
    expect(await count(database.pool, "outbox")).toBe(1);
  });

  test("the gauges tell how much waits and for how long", async () => {
    await listen(async () => {
      throw new Error("never");
    });
    await appendOutbox(database.pool, [change("pay_1", 1), change("pay_1", 2)]);
    await database.pool.query("update outbox set created_at = now() - interval '90 seconds'");
    start();
    async function value(name: string) {
      const metric = await register.getSingleMetric(name)?.get();
      return metric?.values.find(({ labels }) => labels.service === "sample")?.value ?? 0;
    }

    await until(async () => (await value("outbox_unpublished")) === 2);
    expect(await value("outbox_oldest_age_seconds")).toBeGreaterThan(89);
    expect(await deadLetters(database.pool)).toEqual([]);
  });
});
