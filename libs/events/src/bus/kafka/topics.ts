// The topics of a process, and no other: a cluster may hold those of many programs. An acknowledged record must survive
// a broker, so topics are created for that where the brokers are enough, and a topic that cannot do it is named in the
// log.
import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "@pay/process";
import type { Admin, ITopicConfig, Kafka } from "kafkajs";
import { RETENTION_DAYS } from "../bus.ts";
import type { KafkaSettings } from "./config.ts";

const LEADERS_TIMEOUT_MS = 5_000;
const LEADERS_PAUSE_MS = 50;
const DAY_MS = 86_400_000;
/** The broker itself keeps the offsets of a group that is away for so long. */
const RETENTION_MIN_DAYS = 7;
/** ConfigResourceTypes.TOPIC, which Node cannot import by name. */
const TOPIC_RESOURCE = 2;
/** From so many replicas on, one may be away and an acknowledgement still means two copies. */
const REPLICAS_SAFE = 3;

const EVENTS = /\.events\.(v\d+)$/;
const STATE = /\.state\.v\d+$/;

/** Where the last event of each resource stays; undefined where the events of a topic have no resource of their own. */
export function toStateTopic(topic: string): string | undefined {
  return EVENTS.test(topic) ? topic.replace(EVENTS, ".state.$1") : undefined;
}

/** Creates topics that are missing. Never changes one that exists: more partitions would break the order of keys. */
export type EnsureTopics = (topics: readonly string[]) => Promise<void>;

export function createEnsureTopics(kafka: Kafka, settings: KafkaSettings, log: Log): EnsureTopics {
  const { topicPrefix = "", topicCreate = true } = settings;
  const judged = new Set<string>();

  async function create(admin: Admin, missing: string[]) {
    if (!topicCreate) throw new Error(`topics are missing: ${missing.join(", ")}`);
    const topics = missing.map((topic) => toTopicConfig(topic, settings));
    await admin.createTopics({ timeout: LEADERS_TIMEOUT_MS, waitForLeaders: false, topics });
    await untilLed(admin, missing);
    log.info({ topics: missing, partitions: topics[0]?.numPartitions }, "created topics");
  }

  /** Each topic is judged once in a process. */
  async function judge(admin: Admin, topics: string[]) {
    const fresh = topics.filter((topic) => !judged.has(topic));
    for (const topic of fresh) {
      const weakness = await findWeakness(admin, topic, settings);
      if (weakness !== undefined) log.warn({ topic, ...weakness.found }, weakness.message);
      judged.add(topic);
    }
  }

  return async (topics) => {
    if (topics.length === 0) return;
    const names = topics.map((topic) => topicPrefix + topic);
    const admin = kafka.admin();
    try {
      await admin.connect();
      const missing: string[] = [];
      for (const name of names)
        if ((await readReplicas(admin, name)) === undefined) missing.push(name);
      if (missing.length > 0) await create(admin, missing);
      await judge(admin, names);
    } finally {
      await admin.disconnect().catch(() => {});
    }
  };
}

function toTopicConfig(topic: string, settings: KafkaSettings): ITopicConfig {
  const { topicPartitions = 12, topicReplication = 0 } = settings;
  const kept = STATE.test(topic)
    ? // What was erased leaves after a day, also from a quiet topic.
      { "cleanup.policy": "compact", "max.compaction.lag.ms": DAY_MS }
    : { "cleanup.policy": "delete", "retention.ms": RETENTION_DAYS * DAY_MS };
  const entries = {
    ...kept,
    // Records leave by segment, so a segment must end soon enough.
    "segment.ms": DAY_MS,
    ...(topicReplication >= REPLICAS_SAFE ? { "min.insync.replicas": 2 } : {}),
  };
  return {
    topic,
    numPartitions: topicPartitions,
    replicationFactor: topicReplication || -1,
    configEntries: Object.entries(entries).map(([name, value]) => ({ name, value: `${value}` })),
  };
}

/** The fewest replicas of a partition; undefined where the topic does not exist. */
async function readReplicas(admin: Admin, topic: string): Promise<number | undefined> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const counts = topics.flatMap(({ partitions }) => partitions.map((one) => one.replicas.length));
    return Math.min(...counts);
  } catch (error) {
    if ((error as { type?: string }).type === "UNKNOWN_TOPIC_OR_PARTITION") return undefined;
    throw error;
  }
}

interface Weakness {
  message: string;
  found: object;
}

/**
 * Why an acknowledged event on this topic may be lost. That records stay for longer is no fault: no consumer takes them
 * twice.
 */
async function findWeakness(
  admin: Admin,
  topic: string,
  { topicReplication = 0 }: KafkaSettings,
): Promise<Weakness | undefined> {
  const replicas = await readReplicas(admin, topic);
  if (replicas === 1) {
    // An operator who asks for one replica knows it.
    if (topicReplication === 1) return undefined;
    return {
      found: { replicas },
      message: "a topic has one replica: its events are lost with that broker",
    };
  }
  const config = await readConfig(admin, topic);
  const inSync = Number(config["min.insync.replicas"] ?? 2);
  if (inSync < 2) {
    const message =
      "a topic acknowledges events with one replica: set its min.insync.replicas to 2";
    return { found: { replicas, inSync }, message };
  }
  const retentionMs = Number(config["retention.ms"] ?? -1);
  if (retentionMs >= 0 && retentionMs < RETENTION_MIN_DAYS * DAY_MS) {
    const message = `a topic keeps records for less than ${RETENTION_MIN_DAYS} days: a service that is away for longer misses events`;
    return { found: { retentionMs }, message };
  }
  return undefined;
}

/** Empty where we may not read it: that is the operator's decision. */
async function readConfig(admin: Admin, topic: string): Promise<Record<string, string>> {
  const configNames = ["min.insync.replicas", "retention.ms"];
  const resources = [{ type: TOPIC_RESOURCE, name: topic, configNames }];
  try {
    const found = await admin.describeConfigs({ resources, includeSynonyms: false });
    const entries = found.resources.flatMap(({ configEntries }) => configEntries);
    return Object.fromEntries(entries.map((entry) => [entry.configName, entry.configValue]));
  } catch (error) {
    if ((error as { type?: string }).type === "TOPIC_AUTHORIZATION_FAILED") return {};
    throw error;
  }
}

/** A topic just created is unknown to the brokers for a moment, which the library's own wait takes for a failure. */
async function untilLed(admin: Admin, topics: string[]): Promise<void> {
  const deadline = performance.now() + LEADERS_TIMEOUT_MS;
  for (;;) {
    const found = await admin.fetchTopicMetadata({ topics }).catch((error: unknown) => {
      if (performance.now() > deadline) throw error;
    });
    if (found?.topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0)))
      return;
    if (performance.now() > deadline) throw new Error("new topics have no leaders yet");
    await wait(LEADERS_PAUSE_MS);
  }
}
