import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { CommandFault } from "@pay/process";
import { describeWithPostgres, type TestDatabase, testDatabase, until } from "@pay/testing";
import { register } from "prom-client";
import { runDeadLetters } from "../src/dead-letters/command.ts";
import { purgeDeadLetters } from "../src/generated/sql.ts";
import { type BusRecord, consume, createLocalBus, startRelay, TOPICS } from "../src/index.ts";
import { aProcess, change, count, deadLetters, effects, SAMPLE, sequences } from "./arrange.ts";
import { leaveEffects } from "./leave-effects.ts";

const COMMAND = fileURLToPath(new URL("../src/dead-letters/main.ts", import.meta.url));

describeWithPostgres("dead letters", () => {
  let database: TestDatabase;
  const processes: { stop(): Promise<boolean> }[] = [];

  beforeAll(async () => {
    database = await testDatabase(SAMPLE);
  });
  afterAll(() => database.drop());

  beforeEach(() =>
    database.pool.query(`
      truncate effects, outbox, inbox_ids, inbox_positions, dead_letters restart identity;
      drop function if exists refuse cascade`),
  );
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((one) => one.stop()));
  });

  /** What the operator's command shows. */
  async function command(...args: string[]): Promise<string> {
    try {
      return (await runDeadLetters(args, ["payments"], () => database.database)).join("\n");
    } catch (error) {
      if (error instanceof CommandFault) return error.message;
      throw error;
    }
  }

  async function consuming() {
    const bus = createLocalBus();
    const runtime = aProcess(database.url);
    processes.push(runtime);
    const types = ["payment.processing"] as const;
    await consume({
      bus,
      db: runtime.db,
      runtime,
      consumer: "sample",
      types,
      handle: leaveEffects,
    });
    return { bus, runtime };
  }

  /** An event that the table of effects refuses, until allow() is called. */
  async function aDeadLetter() {
    await database.pool.query(`
      create function refuse() returns trigger language plpgsql as $$
        begin raise exception 'not now' using errcode = '22000'; end $$;
      create trigger refuse before insert on effects for each row
        when (new.resource_id = 'pay_bad') execute function refuse()`);
    const { bus, runtime } = await consuming();
    const row = change("pay_bad", 7);
    await bus.publish([row]);
    expect(await deadLetters(database.pool)).toMatchObject([{ event_id: row.eventId }]);
    const allow = () => database.pool.query("drop function refuse cascade");
    return { row, runtime, allow };
  }

  test("the operator lists and reads them, also those that are no events", async () => {
    const { row } = await aDeadLetter();
    expect(await command("list")).toMatch(
      /^payments\/1 \S+Z sample payment.processing pay_bad: .*not now/,
    );
    const shown = await command("show", "payments/1");
    expect(shown).toContain(row.eventId);
    expect(shown).toContain('"resourceId": "pay_bad"');
    await database.pool.query("update dead_letters set payload = 'garbage'");
    expect(await command("list")).toContain("(not an event)");
    expect(await command("replay", "payments/1")).toContain("cannot be handled again");
  });

  test("the command works as a process beside the product", async () => {
    await aDeadLetter();
    const env = { PAYMENTS_DATABASE_URL: database.url };
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, "list"], { env });
    expect(stdout).toMatch(/^payments\/1 .*\n$/);
  });

  test("a replay makes the running consumer handle the event, and ends the dead letter", async () => {
    const { allow } = await aDeadLetter();
    await allow();
    expect(await command("replay", "payments/1")).toContain("handed to sample");
    await until(async () => (await count(database.pool, "dead_letters")) === 0);
    expect(sequences(await effects(database.pool))).toEqual({ pay_bad: [7] });
  });

  test("a replay that fails leaves the dead letter with its new error", async () => {
    await aDeadLetter();
    await database.pool.query("update dead_letters set error = 'an old error'");
    await command("replay", "payments/1");
    await until(async () => (await deadLetters(database.pool))[0]?.error.includes("not now"));
    const { rows } = await database.pool.query("select replay_at from dead_letters");
    expect(rows).toEqual([{ replay_at: null }]);
    expect(await count(database.pool, "effects")).toBe(0);
  });

  test("a replay that two replicas find is handled once", async () => {
    const { allow } = await aDeadLetter();
    await consuming();
    await consuming();
    await allow();
    await command("replay", "payments/1");
    await until(async () => (await count(database.pool, "dead_letters")) === 0);
    expect(await count(database.pool, "effects")).toBe(1);
  });

  test("an event that the bus had refused is published again", async () => {
    const row = change("pay_1", 1);
    await database.pool.query(
      "insert into dead_letters (consumer, topic, event_id, payload, error) values ('relay', $1, $2, $3, 'x')",
      [row.topic, row.eventId, row.payload],
    );
    const seen: BusRecord[] = [];
    const bus = createLocalBus();
    const handle = async (records: BusRecord[]) => void seen.push(...records);
    await bus.subscribe({ group: "witness", topics: [TOPICS.payments], handle });
    const runtime = aProcess(database.url);
    processes.push(runtime);
    startRelay({ db: runtime.db, bus, runtime, intervalMs: 50 });
    expect(await command("replay", "payments/1")).toContain("published again");
    await until(() => seen.length === 1);
    const { eventId, type, key, requestId } = row;
    expect(seen).toMatchObject([{ eventId, type, key, requestId }]);
    expect(await count(database.pool, "dead_letters")).toBe(0);
  });

  test("a dropped dead letter is gone, and the command refuses what it does not know", async () => {
    await aDeadLetter();
    expect(await command("drop", "payments/1")).toBe("payments/1 is deleted");
    expect(await command("drop", "payments/1")).toBe("there is no dead letter payments/1");
    expect(await command("list")).toBe("no dead letters");
    for (const args of [[], ["list", "all"], ["show"], ["show", "1"], ["show", "refunds/1"]]) {
      expect(await command(...args)).toContain("usage: npm run dead-letters");
    }
  });

  test("the gauge shows how many there are", async () => {
    await aDeadLetter();
    await until(async () => {
      const { values } = (await register.getSingleMetric("dead_letters")?.get()) ?? { values: [] };
      return values.some(({ labels, value }) => labels.service === "sample" && value === 1);
    });
  });

  test("they are deleted after 90 days, a bounded number at a time", async () => {
    await database.pool.query(`
      insert into dead_letters (consumer, topic, payload, error, created_at)
      select 'sample', 't', '', '', now() - make_interval(days => days)
      from unnest(array[89, 91, 92, 400]) as days`);
    expect(await purgeDeadLetters(database.pool, { days: 90, limit: 2 })).toBe(2);
    expect(await purgeDeadLetters(database.pool, { days: 90, limit: 2 })).toBe(1);
    expect(await count(database.pool, "dead_letters")).toBe(1);
  });
});
