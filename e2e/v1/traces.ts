// Everything that a run writes, as one list of places and their content, so that a test can search it.
import { randomUUID } from "node:crypto";
import { until } from "@pay/testing";
import { Kafka, logLevel } from "kafkajs";
import pg from "pg";

/** One text or bytes, and where it was found. */
export interface Trace {
  place: string;
  content: Buffer;
}

/** The text itself, and its usual encodings. */
function spellings(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  const texts = [
    secret,
    bytes.toString("hex"),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ];
  return [...new Set(texts)].map((text) => Buffer.from(text));
}

export function findPlaces(traces: readonly Trace[], secret: string): string[] {
  const wanted = spellings(secret);
  const found = traces.filter(({ content }) => wanted.some((text) => content.includes(text)));
  return [...new Set(found.map(({ place }) => place))].sort();
}

/** Every value of every column that can hold text, of all tables of a database. */
export async function columnTraces(name: string, url: string): Promise<Trace[]> {
  const client = new pg.Client({ connectionString: url, query_timeout: 30_000 });
  await client.connect();
  try {
    const { rows: columns } = await client.query<{
      table_name: string;
      column_name: string;
      data_type: string;
    }>(
      `select table_name, column_name, data_type from information_schema.columns
       where table_schema not in ('pg_catalog', 'information_schema')
         and data_type not in ('boolean', 'smallint', 'integer', 'bigint', 'date', 'interval',
           'timestamp with time zone', 'timestamp without time zone', 'double precision')
       order by table_name, ordinal_position`,
    );
    const traces: Trace[] = [];
    for (const { table_name: table, column_name: column, data_type: type } of columns) {
      const value = type === "bytea" ? `"${column}"` : `"${column}"::text`;
      const { rows } = await client.query<{ value: Buffer | string | null }>(
        `select ${value} as value from "${table}" where "${column}" is not null`,
      );
      const place = `database ${name}: ${table}.${column}`;
      for (const row of rows) {
        if (row.value !== null) traces.push({ place, content: Buffer.from(row.value) });
      }
    }
    return traces;
  } finally {
    await client.end();
  }
}

/** Every record of every topic from its beginning: keys, headers and payloads. */
export async function topicTraces(brokers: string[]): Promise<Trace[]> {
  const kafka = new Kafka({ brokers, clientId: "traces", logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => !topic.startsWith("__"));
  let left = 0;
  for (const topic of topics) {
    for (const { low, high } of await admin.fetchTopicOffsets(topic)) {
      left += Number(high) - Number(low);
    }
  }
  const traces: Trace[] = [];
  const groupId = `traces-${randomUUID()}`;
  const consumer = kafka.consumer({ groupId, sessionTimeout: 10_000 });
  try {
    await consumer.connect();
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ topic, message: { key, value, headers = {} } }) => {
        const place = `topic ${topic}`;
        for (const content of [key, value, ...Object.values(headers).flat()]) {
          if (content) traces.push({ place, content: Buffer.from(content) });
        }
        left--;
      },
    });
    await until(() => left <= 0, { what: "the last record of the topics" });
  } finally {
    await consumer.disconnect();
    await admin.deleteGroups([groupId]).catch(() => undefined);
    await admin.disconnect();
  }
  return traces;
}
