// One consumer group on Kafka. The library fetches, we decide: offsets are committed only after the handler is
// done, a handler that fails gets the same records again, and nothing is ever skipped here.
//
// What can go wrong, and what happens then:
// - brokers away, at the start or later: the library retries; when it gives up we begin anew, with pauses.
// - handler fails: the same list again with growing pauses, heartbeats going on, until it works or we stop.
// - rebalance under a running handler: it finishes; whoever owns the partition next sees repeats, not gaps.
// - the library stands still although the brokers answer: the process ends, so that the platform starts it anew.
import type { Runtime } from "@pay/process";
import type { Consumer, Kafka } from "kafkajs";
import type { Subscription } from "./bus.ts";
import { createBatchHandler } from "./kafka-batches.ts";
import { RETRY } from "./kafka-client.ts";
import { consumerRestarts, watchProgress } from "./kafka-progress.ts";
import { pause } from "./pause.ts";

const SESSION_TIMEOUT_MS = 15_000;
const HEARTBEAT_MS = 3_000;
const REBALANCE_TIMEOUT_MS = 60_000;
/** How long a fetch waits for news at the broker. News ends the wait at once; a stop has to sit it out. */
const FETCH_WAIT_MS = 250;
const FETCH_BYTES_MAX = 4_194_304;
const PARTITION_BYTES_MAX = 1_048_576;
/** More partitions come or go at most this late to our notice. */
const METADATA_AGE_MAX_MS = 30_000;
/** So many partitions are handed in at once and travel as one list. */
const PARTITIONS_AT_ONCE = 256;
const STALL_MAX_MS = 60_000;
const RETRY_PAUSE_MAX_MS = 2_000;

export interface ConsumerOptions {
  kafka: Kafka;
  runtime: Runtime;
  topicPrefix: string;
  subscription: Subscription;
  prepare: () => Promise<void>;
  stallMaxMs?: number;
}

export const startKafkaConsumer = (options: ConsumerOptions): { stop(): Promise<void> } => {
  const { runtime, subscription } = options;
  const log = runtime.log.child({ group: subscription.group });
  const stopping = new AbortController();
  const progress = watchProgress({ ...options, stallMaxMs: options.stallMaxMs ?? STALL_MAX_MS });

  const run = async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        await consumeUntilEnd({
          ...options,
          signal: stopping.signal,
          joined: () => (failures = 0),
        });
      } catch (error) {
        failures++;
        consumerRestarts.inc({ group: subscription.group });
        log.warn({ err: error, failures }, "the consumer begins anew");
        await pause(Math.min(100 * 2 ** failures, RETRY_PAUSE_MAX_MS), stopping.signal);
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      progress.stop();
      await running;
    },
  };

  /** Resolves after a stop, rejects when the library gives up. */
  async function consumeUntilEnd(life: { signal: AbortSignal; joined: () => void }): Promise<void> {
    await options.prepare();
    const consumer = createConsumer(options);
    progress.watch(consumer);
    const ended = Promise.withResolvers<void>();
    ended.promise.catch(() => {}); // It may be rejected before anybody waits for it.
    const { GROUP_JOIN, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, life.joined);
    consumer.on(CRASH, ({ payload }) => {
      if (!payload.restart) ended.reject(payload.error);
    });
    const onStop = () => ended.resolve();
    life.signal.addEventListener("abort", onStop);
    if (life.signal.aborted) onStop();
    try {
      await consumer.connect();
      const topics = subscription.topics.map((topic) => options.topicPrefix + topic);
      await consumer.subscribe({ topics, fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
        eachBatch: createBatchHandler({ ...options, log, signal: life.signal }),
      });
      await ended.promise;
    } finally {
      life.signal.removeEventListener("abort", onStop);
      await consumer.disconnect().catch(() => {});
    }
  }
};

const createConsumer = ({ kafka, topicPrefix, subscription }: ConsumerOptions): Consumer =>
  kafka.consumer({
    groupId: topicPrefix + subscription.group,
    allowAutoTopicCreation: false,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    rebalanceTimeout: REBALANCE_TIMEOUT_MS,
    minBytes: 1,
    maxWaitTimeInMs: FETCH_WAIT_MS,
    maxBytes: FETCH_BYTES_MAX,
    maxBytesPerPartition: PARTITION_BYTES_MAX,
    metadataMaxAge: METADATA_AGE_MAX_MS,
    retry: { ...RETRY, restartOnFailure: async () => true },
  });
