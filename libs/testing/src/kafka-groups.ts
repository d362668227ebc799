// A broker that serves topics and no groups: it cannot read what it keeps of them.
import type { Admin, Kafka } from "kafkajs";
import { until } from "./until.ts";

const OFFSETS = "__consumer_offsets";

/** For a broker of a test alone, so that all groups are in one partition, and what is deleted is gone soon. */
export const ONE_OFFSETS_LOG = {
  "offsets.topic.num.partitions": 1,
  "log.initial.task.delay.ms": 100,
  "log.retention.check.interval.ms": 100,
} as const;

/** From its next start on the broker has no groups. */
export async function spoilGroups(brokers: string[]): Promise<void> {
  // Brokers take records for this topic from their own tools alone.
  const client = await createClient(brokers, "__admin_client");
  const producer = client.producer();
  await producer.connect();
  const unreadable = { key: Buffer.from([0, 1]), value: Buffer.from([0]) };
  await producer.send({ topic: OFFSETS, messages: [unreadable] });
  await producer.disconnect();
}

/** Deletes all that the broker keeps of groups; it has groups again from its next start on. */
export async function mendGroups(brokers: string[]): Promise<void> {
  const client = await createClient(brokers, "test");
  const admin = client.admin();
  await admin.connect();
  try {
    await deleteAll(admin);
  } finally {
    await admin.disconnect();
  }
}

async function deleteAll(admin: Admin): Promise<void> {
  const configEntries = [
    { name: "cleanup.policy", value: "delete" },
    { name: "retention.ms", value: "1" },
  ];
  const { ConfigResourceTypes } = await import("kafkajs");
  const topic = { type: ConfigResourceTypes.TOPIC, name: OFFSETS, configEntries };
  await admin.alterConfigs({ validateOnly: false, resources: [topic] });
  await until(
    async () => (await admin.fetchTopicOffsets(OFFSETS)).every(({ low, high }) => low === high),
    { what: "an empty log of offsets" },
  );
}

/** The library is loaded here, for the few files that use it, and not with this package. */
async function createClient(brokers: string[], clientId: string): Promise<Kafka> {
  const { Kafka, logLevel } = await import("kafkajs");
  return new Kafka({ clientId, brokers, logLevel: logLevel.NOTHING });
}
