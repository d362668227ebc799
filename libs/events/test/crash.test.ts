// What is promised across crashes: processes are killed and frozen where it hurts most.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import {
  describeWithKafka,
  describeWithPostgres,
  freezeProcess,
  type TestDatabase,
  type TestKafka,
  testDatabase,
  testKafka,
  until,
} from "@pay/testing";
import {
  appendOutbox,
  type BusRecord,
  consume,
  createKafkaBus,
  startRelay,
  TOPICS,
} from "../src/index.ts";
import {
  aProcess,
  change,
  count,
  deadLetters,
  effects,
  publishUntilSafe,
  SAMPLE,
  sequences,
  untilEffects,
} from "./arrange.ts";
import { leaveEffects } from "./leave-effects.ts";

const PART_MAIN = join(import.meta.dirname, "part-main.ts");
const topics = [TOPICS.payments];
const types = ["payment.processing"] as const;

describeWithPostgres("across crashes", () =>
  describeWithKafka("with Kafka", () => {
    let database: TestDatabase;
    let kafka: TestKafka;
    const ends: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      database = await testDatabase(SAMPLE);
      await testKafka();
    });
    afterAll(() => database.drop());

    beforeEach(async () => {
      await database.pool.query(
        "truncate outbox, inbox_ids, inbox_positions, effects, dead_letters",
      );
      kafka = await testKafka();
    });
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });

    function aPart(part: "relay" | "consumer" | "writing consumer") {
      const parameters = [part, database.url, kafka.brokers.join(), kafka.topicPrefix];
      const child = spawn(process.execPath, [PART_MAIN, ...parameters]);
      let said = "";
      let complaints = "";
      child.stdout.on("data", (chunk) => {
        said += chunk;
      });
      child.stderr.on("data", (chunk) => {
        complaints += chunk;
      });
      const exited = new Promise((resolve) => child.once("exit", resolve));
      async function kill() {
        child.kill("SIGKILL");
        await exited;
      }

      ends.push(kill);
      return {
        child,
        kill,
        complaints: () => complaints,
        there: () =>
          until(() => said.includes("there")).catch((error) => {
            throw new Error(`${error.message} ${complaints}`);
          }),
      };
    }

    async function live() {
      const runtime = aProcess(database.url);
      ends.push(() => runtime.stop());
      const bus = await createKafkaBus({ ...kafka, clientId: "test", topicPartitions: 3, runtime });
      return { bus, runtime, db: runtime.db };
    }

    async function collect() {
      const { bus } = await live();
      const records: BusRecord[] = [];
      async function handle(list: BusRecord[]) {
        return void records.push(...list);
      }

      await bus.subscribe({ group: "witness", topics, handle });
      return records;
    }

    function firstAppearances(records: BusRecord[]) {
      return [...new Set(records.map((one) => one.eventId))];
    }

    test("a relay killed after Kafka's acknowledgement repeats its events and loses none", async () => {
      const rows = [1, 2, 3].map((sequence) => change("pay_1", sequence));
      await appendOutbox(database.pool, rows);
      const doomed = aPart("relay");
      await doomed.there();
      await doomed.kill();
      expect(await count(database.pool, "outbox")).toBe(3);

      const { bus, runtime, db } = await live();
      startRelay({ db, bus, runtime });
      await until(async () => (await count(database.pool, "outbox")) === 0);
      const records = await collect();
      // At least: a relay whose own send had to be repeated sends more.
      await until(() => records.length >= 6);
      expect(firstAppearances(records)).toEqual(rows.map((row) => row.eventId));

      await consume({ bus, db, runtime, consumer: "sample", types, handle: leaveEffects });
      const found = await untilEffects(database.pool, 3);
      expect(sequences(found)).toEqual({ pay_1: [1, 2, 3] });
    });

    test("a frozen relay holds up another one for seconds only, and does no harm when it thaws", async () => {
      const rows = [1, 2, 3].map((sequence) => change("pay_1", sequence));
      await appendOutbox(database.pool, rows);
      const frozen = aPart("relay");
      await frozen.there();
      await freezeProcess(Number(frozen.child.pid));

      const { bus, runtime, db } = await live();
      const { wake } = startRelay({ db, bus, runtime });
      await until(async () => (await count(database.pool, "outbox")) === 0);
      const later = [4, 5].map((sequence) => change("pay_1", sequence));
      await appendOutbox(database.pool, later);
      wake();
      await until(async () => (await count(database.pool, "outbox")) === 0);

      frozen.child.kill("SIGCONT");
      frozen.child.stdin.write("go on\n");
      const last = change("pay_1", 6);
      await appendOutbox(database.pool, [last]);
      wake();
      await until(async () => (await count(database.pool, "outbox")) === 0);
      const records = await collect();
      await until(() => records.some((one) => one.eventId === last.eventId));
      const all = [...rows, ...later, last].map((row) => row.eventId);
      expect(firstAppearances(records)).toEqual(all);
    });

    test("a consumer killed after its commit, before Kafka knows, repeats nothing", async () => {
      const { bus, runtime, db } = await live();
      // The topic is there, so that each record is sent once and has the offset that is expected below.
      await publishUntilSafe(bus, [change("pay_1", 1)]);
      await bus.publish([2, 3].map((sequence) => change("pay_1", sequence)));
      const doomed = aPart("consumer");
      await doomed.there();
      await doomed.kill();
      expect(await count(database.pool, "effects")).toBeGreaterThan(0);

      await bus.publish([change("pay_1", 4)]);
      await consume({ bus, db, runtime, consumer: "sample", types, handle: leaveEffects });
      // The dead member's session has to run out before its partitions go to the new one.
      const found = await untilEffects(database.pool, 4);
      expect(sequences(found)).toEqual({ pay_1: [1, 2, 3, 4] });
      expect(await deadLetters(database.pool)).toEqual([]);
      const { rows } = await database.pool.query(
        "select consumer, topic, record_offset::int from inbox_positions",
      );
      const position = { consumer: "sample", topic: TOPICS.payments, record_offset: 3 };
      expect(rows).toEqual([position]);
    });

    test("a consumer frozen in its transaction holds its locks for seconds, and does no harm when it thaws", async () => {
      const { bus, runtime, db } = await live();
      await publishUntilSafe(bus, [change("pay_1", 1)]);
      const frozen = aPart("writing consumer");
      await frozen.there();
      await freezeProcess(Number(frozen.child.pid));
      const holding =
        "select from pg_stat_activity where application_name = 'part' and xact_start is not null";
      expect(await database.pool.query(holding)).toMatchObject({ rowCount: 1 });
      await until(async () => (await database.pool.query(holding)).rowCount === 0, {
        what: "the end of the frozen transaction",
      });
      expect(await count(database.pool, "effects")).toBe(0);

      await bus.publish([change("pay_1", 2)]);
      await consume({ bus, db, runtime, consumer: "sample", types, handle: leaveEffects });
      await untilEffects(database.pool, 2);
      frozen.child.kill("SIGCONT");
      frozen.child.stdin.write("go on\n");
      await bus.publish([change("pay_1", 3)]);
      const found = await untilEffects(database.pool, 3);
      expect(sequences(found)).toEqual({ pay_1: [1, 2, 3] });
      expect(await deadLetters(database.pool)).toEqual([]);
    });

    test("a process on Kafka has nothing to warn about", async () => {
      await appendOutbox(database.pool, [change("pay_1", 1)]);
      const part = aPart("relay");
      await part.there();
      expect(part.complaints()).toBe("");
    });

    test("garbage on a topic becomes a dead letter, and what follows it is handled", async () => {
      const { bus, runtime, db } = await live();
      const good = change("pay_1", 1);
      const garbage = { ...good, eventId: "evt_claimed", payload: Buffer.from("{garbage}") };
      await publishUntilSafe(bus, [change("pay_0", 1)]);
      await bus.publish([garbage, good]);
      await consume({ bus, db, runtime, consumer: "sample", types, handle: leaveEffects });
      await untilEffects(database.pool, 2);
      expect(await deadLetters(database.pool)).toMatchObject([
        {
          consumer: "sample",
          topic: TOPICS.payments,
          event_id: "evt_claimed",
          error: "not an event",
        },
      ]);
      expect(sequences(await effects(database.pool))).toEqual({ pay_0: [1], pay_1: [1] });
    });

    test("an event too large for the bus is put aside, and the others are published", async () => {
      const { runtime, db } = await live();
      const narrow = { ...kafka, recordBytesMax: 20_000, clientId: "narrow", topicPartitions: 3 };
      const bus = await createKafkaBus({ ...narrow, runtime });
      const rows = [1, 2, 3].map((sequence) => change("pay_1", sequence));
      const [, large] = rows;
      if (large !== undefined) large.payload = Buffer.alloc(30_000);
      await appendOutbox(database.pool, rows);
      startRelay({ db, bus, runtime });
      await until(async () => (await count(database.pool, "outbox")) === 0);
      expect(await deadLetters(database.pool)).toMatchObject([
        { consumer: "relay", event_id: large?.eventId, error: "refused by the bus" },
      ]);
      const records = await collect();
      await until(() => firstAppearances(records).length === 2);
    });
  }),
);
