// The sending side. One list at a time, each acknowledged by all in-sync replicas before the next one leaves.
//
// A producer never outlives a failed send. Kafka tells a repeated batch from a new one by its sequence number alone:
// after a send whose outcome is unknown, other records under the same numbers would be taken for the repetition,
// acknowledged and dropped. A fresh producer has fresh numbers, so the worst case is a record sent twice.
import type { Log } from "@pay/process";
import { CompressionTypes, type Kafka, type Message, type Producer } from "kafkajs";
import { settlesWithin } from "../../pause.ts";
import { type BusRecord, RefusedRecords } from "../bus.ts";
import { RETRY } from "./client.ts";
import { fastPartitioner } from "./partitioner.ts";
import { toHeaders } from "./record.ts";
import { toStateTopic } from "./topics.ts";

/**
 * How long a close waits for a send under way, and for its connections; beyond it the send fails, and its records come
 * again.
 */
const CLOSE_WAIT_MS = 3_000;
const ACK_TIMEOUT_MS = 8_000;
/** The limit of one request, so that no partition's share of it can pass the brokers' own limit. */
const RECORDS_MAX = 2_000;
const RECORD_OVERHEAD_BYTES = 300;
/** A record alone shrinks by a quarter and costs its readers as much time again; one of eight shrinks to a third. */
const COMPRESSED_RECORDS_MIN = 8;
/**
 * Lists with a larger record stay as they are: a reader decodes a whole fetch at once, and text that a merchant has
 * chosen could grow a thousandfold. Of smaller records the ids and times alone keep it below some twenty times.
 */
const COMPRESSED_RECORD_BYTES_MAX = 2_048;

export interface KafkaProducer {
  publish(records: readonly BusRecord[]): Promise<void>;
  close(): Promise<void>;
}

export function createKafkaProducer(options: {
  kafka: Kafka;
  topicPrefix: string;
  recordBytesMax: number;
  /** Whether the last event of each resource is also on a compacted topic. */
  topicState: boolean;
  /** Run before a producer first sends to these topics; rejects while the brokers are away. */
  prepare: (topics: readonly string[]) => Promise<void>;
  log: Log;
}): KafkaProducer {
  const { kafka, topicPrefix, recordBytesMax, topicState, prepare, log } = options;
  let producer: Promise<Producer> | undefined;
  const prepared = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  async function open(): Promise<Producer> {
    const fresh = kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: fastPartitioner,
      retry: RETRY,
    });
    try {
      await fresh.connect();
      return fresh;
    } catch (error) {
      await fresh.disconnect().catch(() => {});
      throw error;
    }
  }

  async function discard(): Promise<void> {
    const old = producer;
    producer = undefined;
    prepared.clear();
    await old?.then((one) => one.disconnect()).catch(() => {});
  }

  async function prepareFor(all: Iterable<string>): Promise<void> {
    const topics = [...all].filter((topic) => !prepared.has(topic));
    if (topics.length === 0) return;
    await prepare(topics);
    for (const topic of topics) prepared.add(topic);
  }

  async function send(records: readonly BusRecord[]): Promise<void> {
    try {
      const messages = byTopic(records, topicState);
      await prepareFor(messages.keys());
      const topicMessages = [...messages].map(([topic, list]) => ({
        topic: topicPrefix + topic,
        messages: list,
      }));
      producer ??= open();
      await (await producer).sendBatch({
        acks: -1,
        timeout: ACK_TIMEOUT_MS,
        compression: isCompressed(records) ? CompressionTypes.GZIP : CompressionTypes.None,
        topicMessages,
      });
    } catch (error) {
      await discard();
      throw error;
    }
  }

  /** Answers the ids of the records the brokers refuse; halves the list until only those are left. */
  async function sendSorted(records: readonly BusRecord[]): Promise<string[]> {
    try {
      await send(records);
      return [];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [only] = records;
      if (records.length === 1 && only !== undefined) return [only.eventId];
      const middle = Math.ceil(records.length / 2);
      const first = await sendSorted(records.slice(0, middle));
      return [...first, ...(await sendSorted(records.slice(middle)))];
    }
  }

  async function sendAll(records: readonly BusRecord[]): Promise<void> {
    if (closed) throw new Error("the bus is closed");
    function fits(record: BusRecord) {
      return toBytes(record) <= recordBytesMax;
    }

    const refused = records.filter((record) => !fits(record)).map((record) => record.eventId);
    for (const list of splitBatches(records.filter(fits), recordBytesMax)) {
      refused.push(...(await sendSorted(list)));
    }
    if (refused.length > 0) throw new RefusedRecords(refused, "too large for the bus");
  }

  return {
    publish: (records) => {
      const sent = last.then(() => sendAll(records));
      last = sent.catch(() => {});
      return sent;
    },
    close: async () => {
      closed = true;
      await settlesWithin(last, CLOSE_WAIT_MS);
      await settlesWithin(discard(), CLOSE_WAIT_MS);
      log.debug("the producer is closed");
    },
  };
}

function isCompressed(records: readonly BusRecord[]): boolean {
  return (
    records.length >= COMPRESSED_RECORDS_MIN &&
    records.every((record) => toBytes(record) <= COMPRESSED_RECORD_BYTES_MAX)
  );
}

function toBytes(record: BusRecord) {
  return record.payload.length + RECORD_OVERHEAD_BYTES;
}

/** Consecutive lists that each fit into one request. */
function splitBatches(records: readonly BusRecord[], bytesMax: number): BusRecord[][] {
  const lists: BusRecord[][] = [];
  let list: BusRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (list.length === RECORDS_MAX || bytes + toBytes(record) > bytesMax) {
      if (list.length > 0) lists.push(list);
      list = [];
      bytes = 0;
    }
    list.push(record);
    bytes += toBytes(record);
  }
  if (list.length > 0) lists.push(list);
  return lists;
}

function byTopic(records: readonly BusRecord[], topicState: boolean): Map<string, Message[]> {
  const messages = new Map<string, Message[]>();
  function add(topic: string, message: Message) {
    const list = messages.get(topic);
    if (list === undefined) messages.set(topic, [message]);
    else list.push(message);
  }

  for (const record of records) {
    const { topic, key, payload } = record;
    const value = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
    const headers = toHeaders(record);
    add(topic, { key, value, headers });
    const stateTopic = topicState ? toStateTopic(topic) : undefined;
    const { ce_subject: resourceId } = headers;
    if (stateTopic !== undefined && typeof resourceId === "string")
      add(stateTopic, { key: resourceId, value, headers });
  }
  return messages;
}

const REFUSALS = new Set(["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE", "INVALID_RECORD"]);

function isRefusal(error: unknown): boolean {
  const { type, cause } = error as { type?: string; cause?: unknown };
  return (type !== undefined && REFUSALS.has(type)) || (cause != null && isRefusal(cause));
}
