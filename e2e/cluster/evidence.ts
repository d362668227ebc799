// What is true after the run, read from the REST API, the databases, the bus and the merchant's receiver.
import { randomUUID } from "node:crypto";
import { isByName, isPublic, listTopics, PUBLIC_TYPES } from "@pay/events";
import { SERVICE_NAMES } from "@pay/standalone";
import { until } from "@pay/testing";
import { Kafka, logLevel } from "kafkajs";
import pg from "pg";
import type { Merchant } from "../harness/merchant.ts";
import type { Outside } from "../harness/outside.ts";
import type { Acknowledged } from "./load.ts";

const READERS = 6;
/** Topics whose events are sent to merchants by webhook. */
const WEBHOOK_TOPICS = listTopics(PUBLIC_TYPES);

/** Whether an endpoint that lists no types receives it. */
function isDelivered(type: string): boolean {
  return isPublic(type) && !isByName(type);
}

/** Records that were acknowledged and that differ, or are missing, when they are read back. */
export async function lostResources(
  shop: Merchant,
  { resources }: Acknowledged,
): Promise<string[]> {
  const lost: string[] = [];
  const queue = [...resources];
  async function read() {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [path, expected] = next;
      // Pods of the last step may still be stopping: this checks that the record exists, not how fast the answer is.
      const { body } = await until(
        async () => {
          const answer = await shop.api.get(path);
          return answer.status !== 503 && answer;
        },
        { timeoutMs: 20_000, what: path },
      );
      const isThere = Object.entries(expected).every(([name, value]) => body[name] === value);
      if (!isThere) lost.push(path);
    }
  }

  await Promise.all(Array.from({ length: READERS }, read));
  return lost;
}

/** Payments whose proof was acknowledged and that are not confirmed, and what they are instead. */
export async function unconfirmed(shop: Merchant, { proven }: Acknowledged): Promise<string[]> {
  const open = new Map([...proven].map((id) => [id, "not read"]));
  async function look() {
    for (const id of open.keys()) {
      const { status, body } = await shop.api.get(`/v1/payments/${id}`);
      open.set(id, status === 200 ? body.status : `answered with ${status}`);
      if (body.confirmedAt) open.delete(id);
    }
    return open.size === 0;
  }

  await until(look, { timeoutMs: 60_000, what: "every proven payment confirmed" }).catch(() => {});
  return [...open].map(([id, is]) => `${id} is ${is}`);
}

/** Types by event id, of everything published for the merchant since then. */
export async function publishedEvents(
  { brokers }: Pick<Outside, "brokers">,
  { api }: Merchant,
  since: Date,
): Promise<Map<string, string>> {
  const kafka = new Kafka({ brokers, clientId: "e2e", logLevel: logLevel.NOTHING });
  const open = await unreadPartitions(kafka);
  const events = new Map<string, string>();
  const consumer = kafka.consumer({ groupId: `e2e-${randomUUID()}` });
  await consumer.connect();
  await consumer.subscribe({ topics: WEBHOOK_TOPICS, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ topic, partition, message }) => {
      const isOurs = message.key?.toString().startsWith(`${api.credentials.projectId}/`);
      const type = String(message.headers?.ce_type);
      if (isOurs && isDelivered(type) && Number(message.timestamp) >= since.getTime()) {
        events.set(String(message.headers?.ce_id), type);
      }
      const place = `${topic} ${partition}`;
      if (BigInt(message.offset) + 1n >= (open.get(place) ?? 0n)) open.delete(place);
    },
  });
  await until(() => open.size === 0, { timeoutMs: 60_000, what: "the end of every topic" });
  await consumer.disconnect();
  return events;
}

/** Partitions that hold records, and where each ends. */
async function unreadPartitions(kafka: Kafka): Promise<Map<string, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  const open = new Map<string, bigint>();
  for (const topic of WEBHOOK_TOPICS) {
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
      if (low !== high) open.set(`${topic} ${partition}`, BigInt(high));
    }
  }
  await admin.disconnect();
  return open;
}

/** Rows left in a table of every service's database. */
export async function rowsLeft(
  outside: Pick<Outside, "adminUrl">,
  table: "outbox" | "dead_letters",
): Promise<Record<string, number>> {
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
}

export function receivedEventIds(shop: Merchant): Set<string> {
  return new Set(shop.receiver.all.map(({ headers }) => headers["x-service-event-id"] ?? ""));
}

/** Names of the columns of a table of the payments service. */
export async function listColumns(outside: Outside, table: string): Promise<string[]> {
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
}
