// What happens to a group of consumers from outside: its topic gets more partitions, its offsets are deleted, and its
// members come and go.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createLog, type Log } from "@pay/process";
import {
  describeWithKafka,
  describeWithPostgres,
  type TestDatabase,
  type TestKafka,
  testDatabase,
  testKafka,
  until,
} from "@pay/testing";
import { type Admin, Kafka, logLevel } from "kafkajs";
import { type Bus, consume, createKafkaBus, type OutboxRow, TOPICS } from "../src/index.ts";
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

const types = ["payment.processing"] as const;
const GROUP = "sample";
const WAIT_MS = 90_000;

describeWithPostgres("a group of consumers", () =>
  describeWithKafka("on Kafka", () => {
    let database: TestDatabase;
    let kafka: TestKafka;
    let admin: Admin;
    const ends: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      database = await testDatabase(SAMPLE);
    });
    afterAll(() => database.drop());
    beforeEach(async () => {
      await database.pool.query(
        "truncate outbox, inbox_ids, inbox_positions, effects, dead_letters",
      );
      kafka = await testKafka();
      admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin();
      await admin.connect();
      ends.push(() => admin.disconnect());
    });
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });

    /** A process that publishes and, as a member of the group, handles. */
    async function start({
      consumes = true,
      log = undefined as Log | undefined,
    } = {}): Promise<{ bus: Bus; stop(): Promise<unknown> }> {
      const test = aProcess(database.url);
      const runtime = log === undefined ? test : { ...test, log };
      let stopped: Promise<unknown> | undefined;
      function stop() {
        stopped ??= runtime.stop();
        return stopped;
      }

      ends.push(stop);
      const bus = await createKafkaBus({ ...kafka, clientId: "test", topicPartitions: 2, runtime });
      const { db } = runtime;
      if (consumes)
        await consume({ bus, db, runtime, consumer: GROUP, types, handle: leaveEffects });
      return { bus, stop };
    }

    /** The nth event of each of these projects. */
    function readEvents(projects: number, n: number): OutboxRow[] {
      return Array.from({ length: projects }, (_, at) => change(`pay_${at}`, n, `proj_${at}`));
    }

    function publish(bus: Bus, rows: OutboxRow[]) {
      return publishUntilSafe(bus, rows, WAIT_MS);
    }

    async function expectOnce(wanted: number) {
      await untilEffects(database.pool, wanted, WAIT_MS);
      expect(await count(database.pool, "effects")).toBe(wanted);
      expect(await deadLetters(database.pool)).toEqual([]);
    }

    test("partitions raised under it: events of old and new partitions take effect once", async () => {
      const { bus } = await start();
      await publish(bus, readEvents(20, 1));
      await untilEffects(database.pool, 20, WAIT_MS);
      const topic = kafka.topicPrefix + TOPICS.payments;
      await admin.createPartitions({ topicPartitions: [{ topic, count: 8 }] });
      const later = await start({ consumes: false });
      await publish(later.bus, readEvents(40, 2));
      const ends = await admin.fetchTopicOffsets(topic);
      const used = ends.filter(({ low, high }) => low !== high);
      expect(used.some(({ partition }) => partition >= 2)).toBe(true);
      await expectOnce(60);
    });

    test("its offsets deleted: everything comes again and takes no second effect", async () => {
      const first = await start();
      await publish(first.bus, readEvents(10, 1));
      await untilEffects(database.pool, 10, WAIT_MS);
      await first.stop();
      const groupId = kafka.topicPrefix + GROUP;
      await until(
        () =>
          admin
            .deleteGroups([groupId])
            .then(() => true)
            .catch(() => false),
        {
          timeoutMs: WAIT_MS,
          what: "a group without members",
        },
      );

      const second = await start();
      await publish(second.bus, readEvents(10, 2));
      await expectOnce(20);
      const topic = kafka.topicPrefix + TOPICS.payments;
      await until(
        async () => {
          const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
          const handled =
            offsets?.partitions.map(({ offset }) => Math.max(0, Number(offset))) ?? [];
          // Twice ten records, the first ten of them for the second time.
          return handled.reduce((sum, one) => sum + one, 0) === 20;
        },
        { timeoutMs: WAIT_MS, what: "all records handled again" },
      );
      await expectOnce(20);
    });

    test("its database restored and its offsets set back: missing events take effect again, once", async () => {
      const TABLES = ["effects", "inbox_ids", "inbox_positions"];
      const before = Date.now();
      const first = await start();
      await publish(first.bus, readEvents(10, 1));
      await untilEffects(database.pool, 10, WAIT_MS);
      for (const table of TABLES) {
        await database.pool.query(`create table backup_${table} as table ${table}`);
      }
      await publish(first.bus, readEvents(10, 2));
      await untilEffects(database.pool, 20, WAIT_MS);
      await first.stop();

      for (const table of TABLES) {
        await database.pool.query(`delete from ${table}`);
        await database.pool.query(`insert into ${table} select * from backup_${table}`);
        await database.pool.query(`drop table backup_${table}`);
      }
      const topic = kafka.topicPrefix + TOPICS.payments;
      const partitions = await admin.fetchTopicOffsetsByTimestamp(topic, before);
      const groupId = kafka.topicPrefix + GROUP;
      function setBack() {
        return admin.setOffsets({ groupId, topic, partitions }).then(
          () => true,
          () => false,
        );
      }
      await until(setBack, { timeoutMs: WAIT_MS, what: "a group without members" });
      await start();
      await expectOnce(20);
      for (const sequence of Object.values(sequences(await effects(database.pool)))) {
        expect(sequence).toEqual([1, 2]);
      }
    });

    test("records left its topic while it was away: they are named, and it goes on behind them", async () => {
      const first = await start();
      await publish(first.bus, readEvents(10, 1));
      await untilEffects(database.pool, 10, WAIT_MS);
      const topic = kafka.topicPrefix + TOPICS.payments;
      const handled = await admin.fetchTopicOffsets(topic);
      await until(
        async () => {
          const [found] = await admin.fetchOffsets({
            groupId: kafka.topicPrefix + GROUP,
            topics: [topic],
          });
          const places = new Map(found?.partitions.map((one) => [one.partition, one.offset]));
          return handled.every(({ partition, high }) => places.get(partition) === high);
        },
        { what: "the place of the group", timeoutMs: WAIT_MS },
      );
      await first.stop();
      const publisher = await start({ consumes: false });
      await publish(publisher.bus, readEvents(10, 2));
      const ends = await admin.fetchTopicOffsets(topic);
      const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
      await admin.deleteTopicRecords({ topic, partitions });
      const lines: string[] = [];
      const log = createLog("test", "error", { write: (line) => void lines.push(line) });
      await start({ log });
      await publish(publisher.bus, readEvents(10, 3));
      await expectOnce(20);
      const missed = lines.map((line) => JSON.parse(line)).filter(({ topic: of }) => of === topic);
      // A consumer that begins anew names them once more.
      const byPartition = new Map(missed.map((one) => [one.partition, Number(one.records)]));
      expect([...byPartition.values()].reduce((sum, records) => sum + records, 0)).toBe(10);
    });

    test("its members come and go under load: one project's events reach several, each once, those of a resource in order", async () => {
      const publisher = await start({ consumes: false });
      const rounds = 6;
      const payments = 12;
      const members = [await start()];
      for (let round = 1; round <= rounds; round++) {
        members.push(await start());
        const ids = Array.from({ length: payments }, (_, at) => `pay_${at}`);
        await publish(
          publisher.bus,
          ids.map((id) => change(id, round)),
        );
        if (round % 2 === 0) await members.shift()?.stop();
      }
      await expectOnce(rounds * payments);
      const inOrder = Array.from({ length: rounds }, (_, at) => at + 1);
      const found = sequences(await effects(database.pool));
      expect(new Set(Object.values(found).map(String))).toEqual(new Set([String(inOrder)]));
      const places = await database.pool.query("select distinct partition from inbox_positions");
      expect(places.rowCount).toBeGreaterThan(1);
    });
  }),
);
