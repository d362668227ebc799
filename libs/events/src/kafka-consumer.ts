// One consumer group on Kafka. The library fetches, we decide: offsets are committed only after the handler is
// done, a handler that fails gets the same records again, and nothing is ever skipped here.
//
// What can go wrong, and what happens then:
// - brokers away, at the start or later: the library retries a little; when it gives up we begin anew, with pauses.
// - handler fails: the same list again with growing pauses, heartbeats going on, until it works or we stop.
// - rebalance under a running handler: it finishes; whoever owns the partition next sees repeats, not gaps.
// - the library stands still although the brokers answer: the process ends, so that the platform starts it anew.
import type { Runtime } from "@pay/process";
import type { Consumer, Kafka } from "kafkajs";
import type { Subscription } from "./bus.ts";
import { createBatchHandler } from "./kafka-batches.ts";
import { RETRY } from "./kafka-client.ts";
import { consumerRestarts, watchProgress } from "./kafka-progress.ts";
import { pause, settlesWithin } from "./pause.ts";

const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 2_000;
const REBALANCE_TIMEOUT_MS = 60_000;
/** How long a fetch waits for news at the broker. News ends the wait at once; a stop has to sit it out. */
const FETCH_WAIT_MS = 250;
const FETCH_BYTES_MAX = 4_194_304;
const PARTITION_BYTES_MAX = 1_048_576;
/** More partitions come or go at most this late to our notice. */
const METADATA_AGE_MAX_MS = 30_000;
/** So many partitions are handed in at once and travel as one list. */
const PARTITIONS_AT_ONCE = 256;
/** How long a stop waits for a step of joining that is under way. */
const LEAVE_WAIT_MS = 3_000;
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
  async function consumeUntilEnd({ signal, joined }: Life): Promise<void> {
    const consumer = createConsumer(options);
    const { GROUP_JOIN, CRASH, FETCH_START } = consumer.events;
    const ended = Promise.withResolvers<void>();
    const onStop = () => ended.resolve();
    let left = false;
    const leave = () => {
      left = true;
      return consumer.disconnect().catch(() => {});
    };
    consumer.on(GROUP_JOIN, joined);
    consumer.on(CRASH, ({ payload }) => ended.reject(payload.error));
    // One that was about to join when it was told to leave goes on regardless, so it is told again.
    consumer.on(FETCH_START, () => {
      if (left) void leave();
    });
    progress.watch(consumer);
    signal.addEventListener("abort", onStop);
    if (signal.aborted) onStop();
    // A stop must not wait for a broker that is away, hence the race from the first step on.
    const joining = join(consumer, signal);
    try {
      await Promise.race([joining.then(() => ended.promise), ended.promise]);
    } finally {
      signal.removeEventListener("abort", onStop);
      await leave();
      // What was on its way when we left sees the signal and comes back.
      if (await settlesWithin(joining, LEAVE_WAIT_MS).catch(() => true)) await leave();
    }
  }

  async function join(consumer: Consumer, signal: AbortSignal): Promise<void> {
    await options.prepare();
    if (signal.aborted) return;
    await consumer.connect();
    const topics = subscription.topics.map((topic) => options.topicPrefix + topic);
    if (signal.aborted) return;
    await consumer.subscribe({ topics, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch: createBatchHandler({ ...options, log, signal }),
    });
  }
};

interface Life {
  signal: AbortSignal;
  joined: () => void;
}

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
    // It would restart even after it was told to leave; beginning anew is our own loop's work.
    retry: { ...RETRY, restartOnFailure: async () => false },
  });
