// A record on the wire: CloudEvents in Kafka's binary mode, so that teams with other tools can read it too. Only what
// that asks for and the request id: a header costs kafkajs more than the whole rest of a record's encoding.
import type { IHeaders, KafkaMessage } from "kafkajs";
import type { BusRecord } from "./bus.ts";

export const headersOf = (record: BusRecord): IHeaders => ({
  ce_specversion: "1.0",
  ce_id: record.eventId,
  ce_type: record.type,
  ce_source: record.topic,
  ...(record.requestId === "" ? {} : { "request-id": record.requestId }),
});

/** Never fails: what anybody may have put on a topic is judged by the consumer, not here. */
export const recordOf = (topic: string, message: KafkaMessage): BusRecord => ({
  topic,
  key: message.key?.toString() ?? "",
  eventId: headerOf(message, "ce_id"),
  type: headerOf(message, "ce_type"),
  requestId: headerOf(message, "request-id"),
  payload: message.value ?? EMPTY,
});

const EMPTY = Buffer.alloc(0);

const headerOf = (message: KafkaMessage, name: string): string => {
  const value = message.headers?.[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first?.toString() ?? "";
};
