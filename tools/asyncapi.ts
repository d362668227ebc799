// Writes docs/events.asyncapi.json: the topics and their records as AsyncAPI 3, for teams that generate clients or
// catalogs from it. Made from the table of events and the code that writes headers, so it describes what is sent. `npm
// run asyncapi` writes it; with --compare it writes nothing and fails where the file differs.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { create } from "@bufbuild/protobuf";
import { type EventType, type NewEvent, outboxRow, TOPICS } from "@pay/events";
import { EventSchema, PaymentSnapshotSchema } from "@pay/proto";
import { RETENTION_DAYS } from "../libs/events/src/bus/bus.ts";
import { toHeaders } from "../libs/events/src/bus/kafka/record.ts";
import { EVENT_TYPES } from "../libs/events/src/event-types.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const DAY_MS = 86_400_000;
const BINDING_VERSION = "0.5.0";
const PROTO = "../proto/events/v1/events.proto";

export const FILE = join(ROOT, "docs", "events.asyncapi.json");

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "How the value is encoded.",
  ce_dataschema: "The message of the value.",
  ce_specversion: "Of CloudEvents.",
  ce_id: "Id of the event: the same however often the record comes. Drop repetitions by it.",
  ce_type: "Type of the event.",
  ce_source: "The topic.",
  ce_subject: "Id of the resource.",
  ce_time: "When it happened, in RFC 3339.",
  ce_mode: "live or test: the money of a test is not real.",
  "request-id": "The merchant's request that caused it, where there was one.",
  traceparent: "Of W3C Trace Context, where the request is traced: the span that published it.",
};
const TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const TYPES = Object.keys(EVENT_TYPES) as EventType[];

export function asyncApiDocument() {
  const topics = Object.entries(TOPICS);
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Events of the payment service",
      version: "1.0.0",
      description:
        "Every change of a resource is one record on a Kafka topic. The records of a resource are in one partition and in the " +
        "order of their changes; a record may come more than once; unknown types are to be ignored. docs/events.md has the rules.",
    },
    defaultContentType: "application/protobuf",
    channels: Object.fromEntries(topics.map(([name, topic]) => [name, channel(topic)])),
    operations: Object.fromEntries(
      topics.map(([name]) => [`send-${name}`, { action: "send", channel: channelRef(name) }]),
    ),
    components: {
      messages: Object.fromEntries(TYPES.map((type) => [type, message(type)])),
      schemas: { headers: headers() },
    },
  };
}

function channelRef(name: string) {
  return { $ref: `#/channels/${name}` };
}

function channel(topic: string) {
  const types = TYPES.filter((type) => EVENT_TYPES[type].topic === topic);
  return {
    address: topic,
    messages: Object.fromEntries(
      types.map((type) => [type, { $ref: `#/components/messages/${type}` }]),
    ),
    bindings: {
      kafka: {
        topic,
        topicConfiguration: {
          "cleanup.policy": ["delete"],
          "retention.ms": RETENTION_DAYS * DAY_MS,
        },
        bindingVersion: BINDING_VERSION,
      },
    },
  };
}

/** The value is always an Event; what differs is the resource that it carries. */
function message(type: EventType) {
  const { resource, isPublic } = EVENT_TYPES[type];
  const carried = EventSchema.fields.find(({ localName }) => localName === resource)?.message;
  if (carried === undefined) throw new Error(`an event carries no ${resource}`);
  const also = isPublic ? " Merchants receive it as a webhook, too." : "";
  return {
    name: type,
    title: type,
    summary: `The value carries the ${resource} as it was right after the change.${also}`,
    contentType: "application/protobuf",
    headers: { $ref: "#/components/schemas/headers" },
    payload: {
      schemaFormat: "application/vnd.google.protobuf;version=3",
      schema: { $ref: PROTO },
    },
    "x-message": EventSchema.typeName,
    "x-resource": carried.typeName,
    bindings: {
      kafka: {
        key: {
          type: "string",
          description: "The project id and a bucket of the resource, for a refund of its payment.",
        },
        bindingVersion: BINDING_VERSION,
      },
    },
  };
}

/** As the bus writes them; required are those that every record has. */
function headers() {
  const bare: NewEvent = {
    id: "evt_4mYb1fJtQv8sN2xKcW7hRz9L",
    type: "payment.confirmed",
    projectId: "proj_1",
    mode: 1,
    resourceId: "pay_4mYb1fJtQv8sN2xKcW7hRz9L",
    occurredAt: { seconds: 1_769_860_800n, nanos: 0 },
    resource: { case: "payment", value: create(PaymentSnapshotSchema) },
  };
  const always = toHeaders(outboxRow(bare));
  const all = toHeaders(outboxRow({ ...bare, requestId: `req_1 ${TRACEPARENT}` }));
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(all).map(([name, example]) => {
        const description = HEADERS[name];
        if (description === undefined) throw new Error(`the header ${name} is not described`);
        return [name, { type: "string", description, examples: [String(example)] }];
      }),
    ),
    required: Object.keys(always),
  };
}

/** Whether the file says what the code does, however it is formatted. */
export function isCurrent(): boolean {
  if (!existsSync(FILE)) return false;
  return isDeepStrictEqual(JSON.parse(readFileSync(FILE, "utf8")), asyncApiDocument());
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  if (argv[2] === "--compare") compare();
  else write();
}

function compare(): void {
  if (isCurrent()) return;
  console.error("the document of the topics is not that of the events: npm run asyncapi writes it");
  process.exitCode = 1;
}

function write(): void {
  writeFileSync(FILE, `${JSON.stringify(asyncApiDocument(), null, 2)}\n`);
  execFileSync(join(ROOT, "node_modules", ".bin", "biome"), ["format", "--write", FILE]);
}
