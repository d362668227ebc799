// What the bus promises on a cluster of three brokers.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { createLifecycle, createLog, createTestRuntime, type Runtime } from "@pay/process";
import { describeWithBroker, until } from "@pay/testing";
import { type Admin, ConfigResourceTypes, Kafka, logLevel } from "kafkajs";
import { register } from "prom-client";
import { type Bus, type BusRecord, createKafkaBus, TOPICS } from "../src/index.ts";
import { publishUntilSafe } from "./arrange.ts";
import { startThreeBrokers, type ThreeBrokers } from "./three-brokers.ts";

const TOPIC = TOPICS.payments;
const PARTITIONS = 6;
const GROUP = "sample";
const LAG_EVERY_MS = 200;

function record(n: number): BusRecord {
  return {
    topic: TOPIC,
    key: `proj_${n}`,
    eventId: `evt_${n}`,
    type: "payment.created",
    requestId: "",
    payload: Buffer.from(`${n}`),
  };
}

function eventually<T>(what: string, check: () => T | Promise<T>) {
  return until(check, { what });
}

describeWithBroker("on three brokers", () => {
  let cluster: ThreeBrokers;
  let kafka: Kafka;
  let admin: Admin;
  let topicPrefix = "";
  let files = 0;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    cluster = await startThreeBrokers();
    kafka = new Kafka({ brokers: cluster.brokers, logLevel: logLevel.NOTHING });
    admin = kafka.admin();
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.disconnect();
    await cluster?.drop();
  });
  beforeEach(() => {
    topicPrefix = `t${files++}.`;
  });
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function start(given: { runtime?: Runtime; topicReplication?: number } = {}): Promise<Bus> {
    const own = createTestRuntime("three-brokers");
    ends.push(() => own.stop());
    return createKafkaBus({
      brokers: cluster.brokers,
      clientId: "test",
      topicPrefix,
      topicPartitions: PARTITIONS,
      topicReplication: 3,
      publishes: [TOPIC],
      lagEveryMs: LAG_EVERY_MS,
      runtime: own,
      ...given,
    });
  }

  /** What the process logs of severity warning and above. */
  function createWarnings() {
    const lines: string[] = [];
    const log = createLog("three-brokers", "warn", { write: (line) => void lines.push(line) });
    const life = createLifecycle({ service: "three-brokers", log });
    ends.push(() => life.stop());
    return { lines, runtime: life };
  }

  async function readConfig(topic: string) {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }],
    });
    const entries = resources.flatMap(({ configEntries }) => configEntries);
    return Object.fromEntries(entries.map((entry) => [entry.configName, entry.configValue]));
  }

  /** Lag by partition, as the process reports it. */
  async function lags(): Promise<Map<number, number>> {
    const metric = await register.getSingleMetric("kafka_consumer_lag")?.get();
    const own = (metric?.values ?? []).filter(({ labels }) => labels.group === GROUP);
    return new Map(own.map(({ labels, value }) => [Number(labels.partition), value]));
  }

  async function lagInAll() {
    return [...(await lags()).values()].reduce((sum, one) => sum + one, 0);
  }

  test("an acknowledged event is on two brokers, and topics end their segments daily", async () => {
    await publishUntilSafe(await start(), [record(1)]);
    const { topics } = await admin.fetchTopicMetadata({ topics: [topicPrefix + TOPIC] });
    expect(topics[0]?.partitions.map(({ replicas }) => replicas.length)).toEqual(
      Array(PARTITIONS).fill(3),
    );
    expect(await readConfig(topicPrefix + TOPIC)).toMatchObject({
      "min.insync.replicas": "2",
      "segment.ms": "86400000",
      "retention.ms": "2592000000",
    });
  });

  test("a process creates and reads no topics but its own", async () => {
    const bus = await start();
    await bus.subscribe({ group: GROUP, topics: [TOPICS.refunds], handle: async () => {} });
    await publishUntilSafe(bus, [record(1)]);
    await eventually("the topics of both", async () => {
      const all = await admin.listTopics();
      const own = all.filter((topic) => topic.startsWith(topicPrefix)).sort();
      return own.length >= 2 && own;
    }).then((own) => expect(own).toEqual([topicPrefix + TOPIC, topicPrefix + TOPICS.refunds]));
  });

  test.each([
    ["has one replica", { replicationFactor: 1 }, /a topic has one replica/],
    [
      "acknowledges with one replica",
      { replicationFactor: 3, configEntries: [{ name: "min.insync.replicas", value: "1" }] },
      /a topic acknowledges events with one replica/,
    ],
    [
      "keeps records for less than a week",
      {
        replicationFactor: 3,
        configEntries: [
          { name: "min.insync.replicas", value: "2" },
          { name: "retention.ms", value: "86400000" },
        ],
      },
      /a topic keeps records for less than 7 days/,
    ],
  ])("a topic that %s is named in a warning at the start", async (_, topic, message) => {
    const name = topicPrefix + TOPIC;
    // The library's own wait for leaders takes it for a failure that a broker does not know the new topic at once.
    await admin.createTopics({
      waitForLeaders: false,
      topics: [{ topic: name, numPartitions: 1, ...topic }],
    });
    const { lines, runtime } = createWarnings();
    await start({ runtime });
    const line = await eventually("the warning", () => lines.find((one) => message.test(one)));
    expect(JSON.parse(line)).toMatchObject({ topic: name });
  });

  test("the lag is right while a handler fails, and afterwards", async () => {
    const bus = await start();
    let fails = true;
    async function handle() {
      if (fails) throw new Error("not now");
    }

    await publishUntilSafe(bus, [record(0)]);
    await bus.publish(Array.from({ length: 11 }, (_, n) => record(n + 1)));
    await bus.subscribe({ group: GROUP, topics: [TOPIC], handle });
    await eventually("a lag of all records", async () => (await lagInAll()) === 12);
    await eventually("a list in hand", async () => {
      const busy = await register.getSingleMetric("kafka_consumer_busy_seconds")?.get();
      return (busy?.values.find(({ labels }) => labels.group === GROUP)?.value ?? 0) > 0;
    });
    fails = false;
    await eventually("no lag", async () => (await lags()).size > 0 && (await lagInAll()) === 0);
  });

  test("a rebalance is obeyed while a list is handled, and partitions that left are not reported", async () => {
    const bus = await start();
    await publishUntilSafe(
      bus,
      Array.from({ length: 12 }, (_, n) => record(n)),
    );
    async function handle() {
      throw new Error("never");
    }

    await bus.subscribe({ group: GROUP, topics: [TOPIC], handle });
    await eventually("all partitions", async () => (await lags()).size === PARTITIONS);

    const other = kafka.consumer({ groupId: topicPrefix + GROUP });
    ends.push(() => other.disconnect());
    const joined = Promise.withResolvers<number>();
    other.on(other.events.GROUP_JOIN, ({ payload }) => {
      joined.resolve(payload.memberAssignment[topicPrefix + TOPIC]?.length ?? 0);
    });
    await other.connect();
    await other.subscribe({ topics: [topicPrefix + TOPIC] });
    const began = performance.now();
    await other.run({ autoCommit: false, eachBatch: async () => {} });
    expect(await joined.promise).toBe(PARTITIONS / 2);
    // Without the first member's consent the brokers wait for a minute.
    expect(performance.now() - began).toBeLessThan(40_000);
    await eventually("half of the partitions", async () => (await lags()).size === PARTITIONS / 2);
  });
});
