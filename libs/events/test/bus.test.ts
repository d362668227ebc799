// What every bus guarantees; each bus runs the same tests.
import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { createTestRuntime } from "@pay/process";
import { describeWithKafka, testKafka, until } from "@pay/testing";
import { type Bus, type BusRecord, createKafkaBus, createLocalBus, TOPICS } from "../src/index.ts";
import { publishUntilSafe } from "./arrange.ts";

function record(key: string, n: number, topic: string = TOPICS.payments): BusRecord {
  return {
    topic,
    key,
    eventId: `evt_${key}_${n}`,
    type: "payment.created",
    requestId: `req_${n}`,
    payload: Buffer.from(`${key} ${n}`),
  };
}

function numbers(count: number) {
  return Array.from({ length: count }, (_, n) => n);
}

function promises(open: () => Promise<{ bus: Bus; close(): Promise<unknown> }>) {
  return () => {
    const closing: (() => Promise<unknown>)[] = [];

    afterEach(async () => {
      await Promise.all(closing.splice(0).map((close) => close()));
    });

    async function start(): Promise<Bus> {
      const { bus, close } = await open();
      closing.push(close);
      return bus;
    }

    async function collect(bus: Bus, group: string, topics: string[] = [TOPICS.payments]) {
      const lists: BusRecord[][] = [];
      await bus.subscribe({ group, topics, handle: async (records) => void lists.push(records) });
      return { lists, all: () => lists.flat(), ids: () => lists.flat().map((one) => one.eventId) };
    }

    test("a record arrives as it was published", async () => {
      const bus = await start();
      const seen = await collect(bus, "reader");
      const sent = record("proj_1", 7);
      await publishUntilSafe(bus, [sent]);
      const [got] = await until(() => seen.all().length >= 1 && seen.all());
      const { place: _, ...arrived } = got as BusRecord;
      expect({ ...arrived, payload: Buffer.from(arrived.payload).toString() }).toEqual({
        ...sent,
        payload: "proj_1 7",
      });
    });

    test("the records of one key arrive in the order they were published", async () => {
      const bus = await start();
      const seen = await collect(bus, "reader");
      const keys = ["proj_a", "proj_b", "proj_c"];
      // The topic is there, so that all lists are sent once and in their order.
      await publishUntilSafe(bus, [record("proj_first", 0)]);
      const lists = numbers(20).map((list) =>
        numbers(30).map((n) => record(keys[n % 3] as string, list * 30 + n)),
      );
      await Promise.all(lists.map((list) => bus.publish(list)));
      await until(() => seen.all().length >= 601);
      for (const key of keys) {
        const sent = lists.flat().filter((one) => one.key === key);
        const got = seen.all().filter((one) => one.key === key);
        expect(got.map((one) => one.eventId)).toEqual(sent.map((one) => one.eventId));
      }
    });

    test("records travel as lists", async () => {
      const bus = await start();
      const seen = await collect(bus, "reader");
      // The topic is there, so that the list is not sent a second time.
      await publishUntilSafe(bus, [record("proj_0", 400)]);
      await bus.publish(numbers(400).map((n) => record(`proj_${n % 50}`, n)));
      await until(() => seen.all().length >= 401);
      expect(seen.lists.length).toBeLessThan(40);
    });

    test("every group gets everything of its topics and nothing else", async () => {
      const bus = await start();
      const payments = await collect(bus, "one");
      const both = await collect(bus, "two", [TOPICS.payments, TOPICS.refunds]);
      await publishUntilSafe(bus, [
        record("proj_1", 1),
        record("proj_1", 2, TOPICS.refunds),
        record("proj_1", 3, TOPICS.customers),
        record("proj_1", 4),
      ]);
      // A list that the bus took only in part came a second time.
      await until(() => new Set(payments.ids()).size >= 2 && new Set(both.ids()).size >= 3);
      expect([...new Set(payments.ids())]).toEqual(["evt_proj_1_1", "evt_proj_1_4"]);
      expect([...new Set(both.ids())].sort()).toEqual([
        "evt_proj_1_1",
        "evt_proj_1_2",
        "evt_proj_1_4",
      ]);
    });

    test("what a handler fails on comes again, before what follows it", async () => {
      const bus = await start();
      const done: string[] = [];
      let faults = 3;
      await bus.subscribe({
        group: "stumbling",
        topics: [TOPICS.payments],
        handle: async (records) => {
          if (faults-- > 0) throw new Error("not now");
          done.push(...records.map((one) => one.eventId));
        },
      });
      await publishUntilSafe(bus, [record("proj_1", 1)]);
      await publishUntilSafe(bus, [record("proj_1", 2)]);
      await until(() => done.includes("evt_proj_1_2"));
      expect([...new Set(done)]).toEqual(["evt_proj_1_1", "evt_proj_1_2"]);
    });

    test("a stumbling group holds up no other group", async () => {
      const bus = await start();
      const seen = await collect(bus, "steady");
      await publishUntilSafe(bus, [record("proj_1", 0)]);
      let given = 0;
      await bus.subscribe({
        group: "stumbling",
        topics: [TOPICS.payments],
        handle: async () => {
          given++;
          throw new Error("never");
        },
      });
      bus.publish([record("proj_1", 1)]).catch(() => {});
      await until(() => given > 0 && seen.ids().includes("evt_proj_1_1"));
    });

    test("a group subscribes once", async () => {
      const bus = await start();
      await collect(bus, "reader");
      await expect(collect(bus, "reader")).rejects.toThrow("group reader has subscribed already");
    });

    test("a closed bus takes nothing", async () => {
      const bus = await start();
      await bus.close();
      await expect(bus.publish([record("proj_1", 1)])).rejects.toThrow("the bus is closed");
    });

    test("publishing nothing is safe at once", async () => {
      const bus = await start();
      await bus.publish([]);
    });
  };
}

describe(
  "the local bus",
  promises(async () => {
    const bus = createLocalBus();
    return { bus, close: bus.close };
  }),
);

describeWithKafka("the bus on Kafka", () => {
  beforeAll(() => testKafka());
  promises(async () => {
    const kafka = await testKafka();
    const runtime = createTestRuntime("bus-test");
    const clientId = `bus-${randomUUID()}`;
    const bus = await createKafkaBus({ ...kafka, clientId, runtime, topicPartitions: 3 });
    return { bus, close: () => runtime.stop() };
  })();

  test("a broadcast reaches every process, and begins with what is published from then on", async () => {
    const kafka = await testKafka();
    const topic = TOPICS.payments;
    const [one, two] = [[], []] as [string[], string[]];
    const lives = await Promise.all(
      [one, two].map(async (seen) => {
        const runtime = createTestRuntime("bus-test");
        const bus = await createKafkaBus({ ...kafka, clientId: "page", runtime });
        return { runtime, bus, seen };
      }),
    );
    const sender = lives[0]?.bus as Bus;
    await publishUntilSafe(sender, [record("proj_b", 0)]);
    for (const { bus, seen } of lives) {
      await bus.subscribe({
        group: "pages",
        topics: [topic],
        isBroadcast: true,
        handle: async (records) => void seen.push(...records.map(({ eventId }) => eventId)),
      });
    }
    let sent = 0;
    await until(async () => {
      await publishUntilSafe(sender, [record("proj_b", ++sent)]);
      return one.some((id) => id.startsWith("evt_proj_b") && two.includes(id));
    });
    for (const seen of [one, two]) expect(seen).not.toContain("evt_proj_b_0");
    for (const { runtime } of lives) await runtime.stop();
  });

  test("what a group has handled does not come again after an orderly stop", async () => {
    const kafka = await testKafka();
    async function oneLife(sent: BusRecord) {
      const runtime = createTestRuntime("bus-test");
      const bus = await createKafkaBus({ ...kafka, clientId: "life", runtime, topicPartitions: 1 });
      const seen: string[] = [];
      async function handle(records: BusRecord[]) {
        return void seen.push(...records.map((one) => one.eventId));
      }

      await bus.subscribe({ group: "steady", topics: [TOPICS.payments], handle });
      await publishUntilSafe(bus, [sent]);
      await until(() => seen.includes(sent.eventId));
      await runtime.stop();
      return [...new Set(seen)];
    }

    expect(await oneLife(record("proj_1", 1))).toEqual(["evt_proj_1_1"]);
    expect(await oneLife(record("proj_1", 2))).toEqual(["evt_proj_1_2"]);
    expect(await oneLife(record("proj_1", 3))).toEqual(["evt_proj_1_3"]);
  });
});
