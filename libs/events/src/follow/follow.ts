// Shows the events of topics as they are published, to whoever looks at an installation. The group is the command's own
// and is deleted at its end; it stores no position, so that nothing else notices it.
import { randomUUID } from "node:crypto";
import { toJsonString } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { CommandFault, type Log } from "@pay/process";
import { type Event, EventSchema, Mode } from "@pay/proto";
import type { KafkaMessage } from "kafkajs";
import { createKafka } from "../bus/kafka/client.ts";
import type { KafkaSettings } from "../bus/kafka/config.ts";
import { openPayload } from "../consumer/envelope.ts";
import { TOPICS } from "../event-types.ts";

const NAMES = Object.keys(TOPICS) as (keyof typeof TOPICS)[];
export const USAGE = `usage: npm run events -- follow ${NAMES.join("|")}|all [--from-beginning] [--json]`;

export interface Followed {
  topics: readonly string[];
  fromBeginning: boolean;
  /** The whole event, one line each. */
  json: boolean;
}

/** The topics of a name on the command line. */
export function findTopics(name: string | undefined): string[] {
  if (name === "all") return Object.values(TOPICS);
  const known = NAMES.find((one) => one === name);
  if (known === undefined) throw new CommandFault(USAGE);
  return [TOPICS[known]];
}

/** Prints until it is stopped; resolves to what stops it. */
export async function follow(
  settings: KafkaSettings,
  { topics, fromBeginning, json }: Followed,
  { print, log }: { print: (line: string) => void; log: Log },
): Promise<() => Promise<void>> {
  const { topicPrefix = "" } = settings;
  const kafka = createKafka(settings, "events-follow", log);
  const groupId = `${topicPrefix}follow-${randomUUID()}`;
  const consumer = kafka.consumer({ groupId, allowAutoTopicCreation: false });
  await consumer.connect();
  const names = topics.map((topic) => topicPrefix + topic);
  await consumer.subscribe({ topics: names, fromBeginning });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ topic, partition, message }) => {
      print(describe(message, `${topic}/${partition}@${message.offset}`, json));
    },
  });
  return async () => {
    await consumer.disconnect();
    const admin = kafka.admin();
    await admin.connect();
    // The broker forgets an empty group by itself where we may not delete it.
    await admin.deleteGroups([groupId]).catch(() => {});
    await admin.disconnect();
  };
}

function describe({ value }: KafkaMessage, place: string, json: boolean): string {
  const event = value === null ? "empty" : openPayload(value);
  if (typeof event === "string") return `${place} ${event}`;
  return json ? toJsonString(EventSchema, event) : toLine(event);
}

function toLine({ occurredAt, type, resourceId, projectId, mode, sequence, id }: Event): string {
  const time = occurredAt === undefined ? "-" : timestampDate(occurredAt).toISOString();
  const money = mode === Mode.TEST ? "test" : "live";
  return [time, type, resourceId, `${sequence}`, money, projectId, id].join("  ");
}
