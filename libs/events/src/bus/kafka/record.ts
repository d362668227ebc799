// A record on the wire: CloudEvents in Kafka's binary mode, so that teams with other tools can choose records by their
// headers and read them with the schema that a header names. docs/events.md is their contract.
import { splitTrace, withTrace } from "@pay/process";
import type { IHeaders, KafkaMessage } from "kafkajs";
import type { BusRecord } from "../bus.ts";
import { readEnvelope } from "./envelope.ts";

const CONTENT_TYPE = "application/protobuf";
/** The message of every record's value, in proto/events/v1/events.proto; CloudEvents wants a URI. */
const SCHEMA = "urn:proto:events.v1.Event";

/** Those that a record may have. */
export const HEADER_NAMES = [
  "content-type",
  "ce_specversion",
  "ce_id",
  "ce_type",
  "ce_source",
  "ce_dataschema",
  "ce_subject",
  "ce_time",
  "ce_mode",
  "request-id",
  "traceparent",
] as const;

export function toHeaders(record: BusRecord): IHeaders {
  const { mode, resourceId, occurredAt } = readEnvelope(record.payload);
  const { requestId, traceparent } = splitTrace(record.requestId);
  return {
    "content-type": CONTENT_TYPE,
    ce_specversion: "1.0",
    ce_id: record.eventId,
    ce_type: record.type,
    ce_source: record.topic,
    ce_dataschema: SCHEMA,
    ...(resourceId === "" ? {} : { ce_subject: resourceId }),
    ...(occurredAt === undefined ? {} : { ce_time: occurredAt }),
    ...(mode === undefined ? {} : { ce_mode: mode }),
    ...(requestId === "" ? {} : { "request-id": requestId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Its client may have given a record any time, also one that no Date or column of a database holds. */
const TIME_MAX_MS = Date.UTC(9999, 11, 31);

/** Never fails: any client may have put any bytes on a topic, and the consumer decides what is an event. */
export function toRecord(topic: string, partition: number, message: KafkaMessage): BusRecord {
  return {
    topic,
    place: {
      partition,
      offset: message.offset,
      publishedAt: new Date(Math.min(Math.max(Number(message.timestamp), 0), TIME_MAX_MS)),
    },
    key: message.key?.toString() ?? "",
    eventId: getHeader(message, "ce_id"),
    type: getHeader(message, "ce_type"),
    requestId: withTrace(getHeader(message, "request-id"), getHeader(message, "traceparent")),
    payload: message.value ?? EMPTY,
  };
}

const EMPTY = Buffer.alloc(0);

function getHeader(message: KafkaMessage, name: string): string {
  const value = message.headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first?.toString() ?? "";
}
