// What is promised while the broker fails: it is killed, frozen, absent and stricter than expected.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createLifecycle, createLog } from "@pay/process";
import {
  describeWithBroker,
  describeWithPostgres,
  mendGroups,
  ONE_OFFSETS_LOG,
  spoilGroups,
  type TestBroker,
  type TestDatabase,
  testBroker,
  testDatabase,
  until,
} from "@pay/testing";
import { Kafka, logLevel } from "kafkajs";
import { register } from "prom-client";
import { RefusedRecords } from "../src/bus/bus.ts";
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
  publishUntilSafe,
  SAMPLE,
  sequences,
  untilEffects,
} from "./arrange.ts";
import { leaveEffects } from "./leave-effects.ts";

const topics = [TOPICS.payments];
const types = ["payment.processing"] as const;

const LARGEST_BYTES = 20_000;
/** A consumer on a busy machine goes on in less. */
const STALL_MAX_MS = 3_000;

describeWithPostgres("while the broker fails", () =>
  describeWithBroker("with Kafka", () => {
    let broker: TestBroker;
    let database: TestDatabase;
    let topicPrefix: string;
    let files = 0;
    const ends: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      database = await testDatabase(SAMPLE);
      broker = await testBroker({ "message.max.bytes": LARGEST_BYTES });
    });
    afterAll(async () => {
      await broker.drop();
      await database.drop();
    });
    beforeEach(async () => {
      await database.pool.query(
        "truncate outbox, inbox_ids, inbox_positions, effects, dead_letters",
      );
      topicPrefix = `t${files++}.`;
    });
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });

    async function live() {
      const runtime = aProcess(database.url);
      ends.push(() => runtime.stop());
      const { brokers } = broker;
      const at = { brokers, topicPrefix, topicPartitions: 3, clientId: "test" };
      return { runtime, db: runtime.db, bus: await createKafkaBus({ ...at, runtime }) };
    }

    async function relayAndConsume() {
      const { runtime, db, bus } = await live();
      const { wake } = startRelay({ db, bus, runtime });
      await consume({ bus, db, runtime, consumer: "sample", types, handle: leaveEffects });
      return { wake, runtime };
    }

    async function idleInTransactionSeconds(): Promise<number> {
      const { rows } = await database.pool.query(`
        select coalesce(max(extract(epoch from now() - state_change)), 0)::float8 as seconds
          from pg_stat_activity
          where datname = current_database() and state like 'idle in transaction%'`);
      return rows[0].seconds;
    }

    test("a service starts while the broker is away; its events flow once it is there", async () => {
      await broker.kill();
      const { wake } = await relayAndConsume();
      await appendOutbox(database.pool, [change("pay_1", 1), change("pay_1", 2)]);
      wake();
      await broker.restart();
      const found = await untilEffects(database.pool, 2);
      expect(sequences(found)).toEqual({ pay_1: [1, 2] });
    });

    test("a broker killed under load and started again loses, reorders and doubles nothing", async () => {
      const { wake } = await relayAndConsume();
      const payments = ["pay_a", "pay_b", "pay_c", "pay_d"];
      let sequence = 0;
      async function load(rounds: number) {
        for (let n = 0; n < rounds; n++) {
          sequence++;
          await appendOutbox(
            database.pool,
            payments.map((payment) => change(payment, sequence, `proj_${payment}`)),
          );
          wake();
        }
      }

      await load(200);
      await until(async () => (await count(database.pool, "effects")) > 100);
      await Promise.all([broker.kill(), load(200)]);
      await Promise.all([broker.restart(), load(200)]);
      const found = await untilEffects(database.pool, 2_400, 90_000);
      const expected = Array.from({ length: 600 }, (_, n) => n + 1);
      expect(sequences(found)).toEqual(
        Object.fromEntries(payments.map((payment) => [payment, expected])),
      );
      // The relay deletes its rows after the acknowledgement, which may be after the effects.
      await until(async () => (await count(database.pool, "outbox")) === 0);
      expect(await deadLetters(database.pool)).toEqual([]);
    });

    test("a frozen broker holds no transaction open; all arrives once it thaws", async () => {
      const { wake } = await relayAndConsume();
      await appendOutbox(database.pool, [change("pay_1", 1)]);
      wake();
      await untilEffects(database.pool, 1);
      // The first send has ended, else its transaction would be taken for the one of the second.
      await until(async () => (await count(database.pool, "outbox")) === 0);
      await broker.freeze();
      try {
        await appendOutbox(database.pool, [change("pay_1", 2)]);
        wake();
        await until(async () => (await idleInTransactionSeconds()) > 0.5, { what: "a send" });
        let longest = 0;
        await until(async () => {
          const seconds = await idleInTransactionSeconds();
          longest = Math.max(longest, seconds);
          return seconds === 0;
        });
        // A client's own patience would be half a minute.
        expect(longest).toBeLessThan(8);
        expect(await count(database.pool, "outbox")).toBe(1);
      } finally {
        await broker.thaw();
      }
      await appendOutbox(database.pool, [change("pay_1", 3)]);
      wake();
      const found = await untilEffects(database.pool, 3);
      expect(sequences(found)).toEqual({ pay_1: [1, 2, 3] });
    });

    test("a topic that is deleted is made again, and what follows is published and handled", async () => {
      const { wake } = await relayAndConsume();
      await appendOutbox(database.pool, [change("pay_1", 1)]);
      wake();
      await untilEffects(database.pool, 1);
      const kafka = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING });
      const admin = kafka.admin();
      await admin.connect();
      // Committed, and the row published before is gone: neither may reach the topic that is made anew.
      const [groupId, topic] = [`${topicPrefix}sample`, topicPrefix + TOPICS.payments];
      await until(async () => {
        const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
        const committed = offsets?.partitions.some(({ offset }) => offset === "1");
        return committed && (await count(database.pool, "outbox")) === 0;
      });
      await admin.deleteTopics({ topics: [topic] });
      await admin.disconnect();
      await appendOutbox(database.pool, [change("pay_1", 2), change("pay_1", 3)]);
      wake();
      const found = await untilEffects(database.pool, 3, 90_000);
      expect(sequences(found)).toEqual({ pay_1: [1, 2, 3] });
    });

    test("records the broker refuses are named, and the others of their list are safe", async () => {
      const { bus } = await live();
      const seen: string[] = [];
      async function handle(records: BusRecord[]) {
        return void seen.push(...records.map((record) => record.eventId));
      }

      await bus.subscribe({ group: "witness", topics, handle });
      const [hello, ...rows] = Array.from({ length: 10 }, (_, n) => change("pay_1", n + 1));
      // Right after its start a broker may refuse anything.
      await publishUntilSafe(bus, hello ? [hello] : []);
      const refused = [rows[2], rows[7]].map((row) => row?.eventId);
      for (const row of rows) {
        if (refused.includes(row.eventId)) row.payload = Buffer.alloc(LARGEST_BYTES + 5_000);
      }
      const error = await bus.publish(rows).catch((one: unknown) => one);
      expect(error).toBeInstanceOf(RefusedRecords);
      expect((error as RefusedRecords).eventIds).toEqual(refused);
      await until(() => new Set(seen).size >= 8);
      expect([...new Set(seen)].slice(1)).toEqual(
        rows.map((row) => row.eventId).filter((eventId) => !refused.includes(eventId)),
      );
    });

    describe("the watch over consumers", () => {
      async function watched(stallMaxMs: number) {
        const deaths: Error[] = [];
        const life = createLifecycle({ service: "watched", log: createLog("watched", "silent") });
        const runtime = { ...life, fatal: (error: Error) => void deaths.push(error) };
        ends.push(() => life.stop());
        const at = { brokers: broker.brokers, topicPrefix, topicPartitions: 3 };
        const bus = await createKafkaBus({ ...at, clientId: "test", runtime, stallMaxMs });
        const seen: BusRecord[] = [];
        async function handle(records: BusRecord[]) {
          return void seen.push(...records);
        }

        await bus.subscribe({ group: "watched", topics, handle });
        await publishUntilSafe(bus, [change("pay_1", 1)]);
        await until(() => seen.length > 0);
        return { deaths, seen };
      }

      async function silentSeconds() {
        const gauge = await register.getSingleMetric("kafka_consumer_silent_seconds")?.get();
        return gauge?.values.find(({ labels }) => labels.group === "watched")?.value ?? 0;
      }

      async function countRestarts(group: string) {
        const counter = await register.getSingleMetric("kafka_consumer_restarts_total")?.get();
        return counter?.values.find(({ labels }) => labels.group === group)?.value ?? 0;
      }

      test("ends the process when one stands still although the broker answers", async () => {
        // No consumer fetches every millisecond, so by this measure it does not work.
        const { deaths } = await watched(1);
        await until(() => deaths.length > 0);
        expect(deaths[0]?.message).toBe(
          "consumer watched stands still although the brokers answer",
        );
      });

      test("does not while the broker is away, for nothing would be better afterwards", async () => {
        const { deaths } = await watched(STALL_MAX_MS);
        const restarts = await countRestarts("watched");
        await broker.kill();
        const killedAt = performance.now();
        // The consumer has given up by then, several times the bound after its last progress.
        await until(async () => (await countRestarts("watched")) > restarts + 1);
        await until(() => performance.now() - killedAt > 3 * STALL_MAX_MS);
        expect(deaths).toEqual([]);
        await broker.restart();
      });

      test("does not while the broker has topics and no groups, and tells for how long", async () => {
        await broker.drop();
        broker = await testBroker(ONE_OFFSETS_LOG);
        const { deaths, seen } = await watched(STALL_MAX_MS);
        await spoilGroups(broker.brokers);
        await broker.kill();
        const restarted = broker.restart();
        // Twice the bound is how long one must stand still that ends the process.
        await until(async () => (await silentSeconds()) > (3 * STALL_MAX_MS) / 1_000);
        expect(deaths).toEqual([]);
        await mendGroups(broker.brokers);
        await restarted;
        await until(() => seen.length > 1, { what: "the records again" });
        expect(await silentSeconds()).toBeLessThan(STALL_MAX_MS / 1_000);
      });
    });
  }),
);
