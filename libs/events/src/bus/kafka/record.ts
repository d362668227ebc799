// A record on the wire: CloudEvents in Kafka's binary mode, so that teams with other tools can read it too. Only what
// that asks for and the request id: a header costs kafkajs more than the whole rest of a record's encoding.
import type { IHeaders, KafkaMessage } from "kafkajs";
import type { BusRecord } from "../bus.ts";

export function headersOf(record: BusRecord): IHeaders {
  return {
    ce_specversion: "1.0",
    ce_id: record.eventId,
    ce_type: record.type,
    ce_source: record.topic,
    ...(record.requestId === "" ? {} : { "request-id": record.requestId }),
  };
}

/** Never fails: any client may have put any bytes on a topic, and the consumer decides what is an event. */
export function recordOf(topic: string, partition: number, message: KafkaMessage): BusRecord {
  return {
    topic,
    place: {
      partition,
      offset: message.offset,
      publishedAt: new Date(Number(message.timestamp)),
    },
    key: message.key?.toString() ?? "",
    eventId: headerOf(message, "ce_id"),
    type: headerOf(message, "ce_type"),
    requestId: headerOf(message, "request-id"),
    payload: message.value ?? EMPTY,
  };
}

const EMPTY = Buffer.alloc(0);

function headerOf(message: KafkaMessage, name: string): string {
  const value = message.headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first?.toString() ?? "";
}
