// What a stop of consumers waits for: the list in hand for as long as it takes, brokers that do not answer for a moment
// only.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { createTestRuntime, type Lifecycle } from "@pay/process";
import { describeWithBroker, type TestBroker, testBroker, until } from "@pay/testing";
import { Kafka, logLevel } from "kafkajs";
import { watchLag } from "../src/bus/kafka/lag.ts";
import { type BusRecord, createKafkaBus, TOPICS } from "../src/index.ts";
import { change, publishUntilSafe } from "./arrange.ts";

const topics = [TOPICS.payments];
/** More than a stop waits for brokers with both consumers. */
const LONG_MS = 10_000;

describeWithBroker("a stop of consumers", () => {
  let broker: TestBroker;
  let files = 0;
  const ends: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    broker = await testBroker();
  });
  afterAll(() => broker.drop());
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  /** Two consumers, as webhooks has them, above a part that a stop reaches after them. */
  async function consuming(
    handle: (records: BusRecord[], runtime: Lifecycle) => Promise<void> = async () => {},
  ) {
    const runtime = createTestRuntime("sample");
    ends.push(() => runtime.stop());
    const drained = Promise.withResolvers<void>();
    const at = { brokers: broker.brokers, topicPrefix: `t${files++}.`, topicPartitions: 3 };
    const bus = await createKafkaBus({ ...at, clientId: "test", runtime });
    runtime.onStop("what the consumers feed", drained.resolve);
    const seen = new Map<string, number>();
    for (const group of ["first", "second"]) {
      await bus.subscribe({
        group,
        topics,
        handle: async (records) => {
          seen.set(group, (seen.get(group) ?? 0) + records.length);
          if (group === "first") await handle(records, runtime);
        },
      });
    }
    await publishUntilSafe(bus, [change("pay_1", 1)]);
    await until(() => seen.size === 2 || runtime.stopping.aborted, { what: "both consumers" });
    return { runtime, drained: drained.promise, ...at };
  }

  test("is in order and in time while the brokers are frozen", async () => {
    const { runtime } = await consuming();
    await broker.freeze();
    try {
      expect(await runtime.stop()).toBe(true);
    } finally {
      await broker.thaw();
    }
  });

  test("waits for the list in hand, also while the brokers are frozen", async () => {
    const inHand = Promise.withResolvers<void>();
    const { runtime, drained } = await consuming(() => inHand.promise);
    await broker.freeze();
    try {
      let isDrained = false;
      void drained.then(() => {
        isDrained = true;
      });
      const stopped = runtime.stop();
      const beganAt = performance.now();
      await until(() => performance.now() - beganAt > LONG_MS);
      expect(isDrained).toBe(false);
      inHand.resolve();
      expect(await stopped).toBe(true);
    } finally {
      inHand.resolve();
      await broker.thaw();
    }
  });

  test("commits the list in hand before it leaves the group, so that nothing comes again", async () => {
    const stopped = Promise.withResolvers<boolean>();
    const { topicPrefix } = await consuming(async (_, runtime) => {
      void runtime.stop().then(stopped.resolve);
    });
    expect(await stopped.promise).toBe(true);
    const admin = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    ends.push(() => admin.disconnect());
    const topic = topicPrefix + TOPICS.payments;
    const [offsets] = await admin.fetchOffsets({ groupId: `${topicPrefix}first`, topics: [topic] });
    expect(offsets?.partitions.filter(({ offset }) => offset === "1")).toHaveLength(1);
  });

  test("leaves no connection behind where a consumer joins its group after it", async () => {
    const { topicPrefix, runtime } = await consuming();
    await runtime.stop();
    const kafka = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING });
    const before = openSockets();
    const subscription = { group: "late", topics, handle: async () => {} };
    const lag = watchLag({ kafka, log: runtime.log, topicPrefix, subscription });
    const consumer = kafka.consumer({ groupId: `${topicPrefix}late` });
    lag.watch(consumer);
    await lag.stop();
    const joined = Promise.withResolvers<void>();
    consumer.on(consumer.events.FETCH, () => joined.resolve());
    await consumer.connect();
    await consumer.subscribe({ topics: [topicPrefix + TOPICS.payments] });
    await consumer.run({ eachMessage: async () => {} });
    await joined.promise;
    await consumer.disconnect();
    await until(() => openSockets() <= before, { what: "the end of all connections" });
  });

  function openSockets(): number {
    return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  }
});
