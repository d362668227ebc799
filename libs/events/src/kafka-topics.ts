import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "@pay/process";
import type { Admin, Kafka } from "kafkajs";
import type { KafkaSettings } from "./kafka-config.ts";
import { TOPICS } from "./topics.ts";

/** How long records stay; the inbox remembers a little longer, so that no replay finds it forgetful. */
export const RETENTION_DAYS = 30;

const LEADERS_TIMEOUT_MS = 5_000;
const LEADERS_PAUSE_MS = 50;

/** Creates what is missing. Never changes a topic that exists: more partitions would break the order of keys. */
export const ensureTopics = async (
  kafka: Kafka,
  settings: KafkaSettings,
  log: Log,
): Promise<void> => {
  const { topicPrefix = "", topicCreate = true, topicPartitions = 12 } = settings;
  const names = Object.values(TOPICS).map((topic) => topicPrefix + topic);
  const admin = kafka.admin();
  try {
    await admin.connect();
    const present = new Set(await admin.listTopics());
    const missing = names.filter((name) => !present.has(name));
    if (missing.length === 0) return;
    if (!topicCreate) throw new Error(`topics are missing: ${missing.join(", ")}`);
    await admin.createTopics({
      timeout: LEADERS_TIMEOUT_MS,
      waitForLeaders: false,
      topics: missing.map((topic) => ({
        topic,
        numPartitions: topicPartitions,
        replicationFactor: settings.topicReplication || -1,
        configEntries: [
          { name: "retention.ms", value: String(RETENTION_DAYS * 86_400_000) },
          { name: "cleanup.policy", value: "delete" },
        ],
      })),
    });
    await untilLed(admin, missing);
    log.info({ topics: missing, partitions: topicPartitions }, "created topics");
  } finally {
    await admin.disconnect().catch(() => {});
  }
};

/** A topic just created is unknown to the brokers for a moment, which the library's own wait takes for a failure. */
const untilLed = async (admin: Admin, topics: string[]): Promise<void> => {
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
};
