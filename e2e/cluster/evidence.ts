// What is true after all that: read from the interface, the databases, the bus and the merchant's receiver.
import { randomUUID } from "node:crypto";
import { TOPICS } from "@pay/events";
import { SERVICE_NAMES } from "@pay/standalone";
import { until } from "@pay/testing";
import { Kafka, logLevel } from "kafkajs";
import pg from "pg";
import type { Merchant } from "../harness/merchant.ts";
import type { Outside } from "../harness/outside.ts";

const READERS = 6;

/** Acknowledged payments that cannot be read back as they were acknowledged. */
export const lostPayments = async (
  shop: Merchant,
  acknowledged: ReadonlyMap<string, { amount: string }>,
): Promise<string[]> => {
  const lost: string[] = [];
  const queue = [...acknowledged];
  const read = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [id, { amount }] = next;
      // The last step's pods may still be leaving: what is asked is whether it is there, not how fast.
      const { body } = await until(
        async () => {
          const answer = await shop.api.get(`/v1/payments/${id}`);
          return answer.status !== 503 && answer;
        },
        { timeoutMs: 20_000, what: `payment ${id}` },
      );
      if (body.amount !== amount) lost.push(id);
    }
  };
  await Promise.all(Array.from({ length: READERS }, read));
  return lost;
};

/** Types by event id, of everything published about the merchant's payments since then. */
export const publishedEvents = async (
  { brokers }: Outside,
  { api }: Merchant,
  since: Date,
): Promise<Map<string, string>> => {
  const kafka = new Kafka({ brokers, clientId: "e2e", logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(TOPICS.payments);
  await admin.disconnect();
  const open = new Map(
    ends.flatMap(({ partition, low, high }) => (low === high ? [] : [[partition, BigInt(high)]])),
  );
  const events = new Map<string, string>();
  const consumer = kafka.consumer({ groupId: `e2e-${randomUUID()}` });
  await consumer.connect();
  await consumer.subscribe({ topic: TOPICS.payments, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      const isOurs = message.key?.toString() === api.credentials.projectId;
      if (isOurs && Number(message.timestamp) >= since.getTime()) {
        events.set(String(message.headers?.ce_id), String(message.headers?.ce_type));
      }
      if (BigInt(message.offset) + 1n >= (open.get(partition) ?? 0n)) open.delete(partition);
    },
  });
  await until(() => open.size === 0, { timeoutMs: 60_000, what: "the end of the topic" });
  await consumer.disconnect();
  return events;
};

/** Rows left in a table of every service's database. */
export const rowsLeft = async (
  outside: Outside,
  table: "outbox" | "dead_letters",
): Promise<Record<string, number>> => {
  const left: Record<string, number> = {};
  for (const name of SERVICE_NAMES) {
    const client = new pg.Client(outside.adminUrl(name));
    await client.connect();
    try {
      const { rows } = await client.query("select to_regclass($1) is not null as here", [table]);
      if (!rows[0].here) continue;
      const counted = await client.query(`select count(*)::int as n from ${table}`);
      if (counted.rows[0].n > 0) left[name] = counted.rows[0].n;
    } finally {
      await client.end();
    }
  }
  return left;
};

export const receivedEventIds = (shop: Merchant): Set<string> =>
  new Set(shop.receiver.all.map(({ headers }) => headers["x-service-event-id"] ?? ""));

/** Names of the columns of a table of the payments service. */
export const columnsOf = async (outside: Outside, table: string): Promise<string[]> => {
  const client = new pg.Client(outside.adminUrl("payments"));
  await client.connect();
  try {
    const { rows } = await client.query(
      "select column_name as name from information_schema.columns where table_name = $1",
      [table],
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
};
