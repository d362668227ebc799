// Records that left their topic before a group had handled them: it was away for longer than the topic keeps records.
// The library goes on at the oldest record and says nothing, so the gap is looked for before the group begins.
import type { Log } from "@pay/process";
import type { Admin, Kafka } from "kafkajs";

interface ExpiredRecords {
  topic: string;
  partition: number;
  records: string;
}

/** By partition; nothing of a group without offsets, which begins at the oldest record anyway. */
async function findExpiredRecords(
  admin: Admin,
  groupId: string,
  topics: readonly string[],
): Promise<ExpiredRecords[]> {
  const handled = await admin.fetchOffsets({ groupId, topics: [...topics] });
  const missed: ExpiredRecords[] = [];
  for (const { topic, partitions } of handled) {
    const next = new Map(partitions.map((one) => [one.partition, BigInt(one.offset)]));
    for (const { partition, low } of await admin.fetchTopicOffsets(topic)) {
      const from = next.get(partition) ?? -1n;
      const records = BigInt(low) - from;
      if (from >= 0n && records > 0n) missed.push({ topic, partition, records: `${records}` });
    }
  }
  return missed;
}

/** Names them in the log. A look that fails keeps no consumer from its work. */
export async function reportExpiredRecords(
  kafka: Kafka,
  log: Log,
  { groupId, topics }: { groupId: string; topics: readonly string[] },
): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    for (const missed of await findExpiredRecords(admin, groupId, topics)) {
      log.error(missed, "records left the topic before this group had handled them");
    }
  } catch (error) {
    log.debug({ err: error }, "missed records were not looked for");
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
