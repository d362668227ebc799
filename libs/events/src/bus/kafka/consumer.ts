// One consumer group on Kafka. The library fetches; this file decides: offsets are committed only after the handler is
// done, a handler that fails gets the same records again, and no record is skipped.
//
// Failure modes:
// - the brokers are away, at the start or later: the library retries a few times; when it gives up, the consumer starts
//   again, with pauses.
// - the handler fails: it gets the same list again with growing pauses, while heartbeats go on, until it succeeds or
//   the process stops.
// - a rebalance under a running handler: the handler finishes its list, and the consumer joins its group again without
//   the rest; the next owner of the partition sees repeats, not gaps.
// - the brokers are silent when the consumer stops: it waits for the list in hand, and for them a moment only, because
//   what the handler works with stops after it. They remove the member when its session is over.
// - the library stalls although the brokers answer: the process ends, so that the platform starts it again.
import { randomUUID } from "node:crypto";
import type { Log, Runtime } from "@pay/process";
import type { Consumer, Kafka } from "kafkajs";
import { pause, settlesWithin } from "../../pause.ts";
import type { Subscription } from "../bus.ts";
import { type BatchHandler, createBatchHandler } from "./batches.ts";
import { RETRY } from "./client.ts";
import { reportExpiredRecords } from "./expired-records.ts";
import { watchLag } from "./lag.ts";
import { consumerRestarts, watchProgress } from "./progress.ts";

const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 2_000;
const REBALANCE_TIMEOUT_MS = 60_000;
/** How long a fetch waits at the broker for records. A record ends the wait at once; a stop lasts until it is over. */
const FETCH_WAIT_MS = 250;
/**
 * About two lists, compressed as producers send them: the library decodes a whole fetch at once, and what waits for its
 * turn is copied by the collector.
 */
const FETCH_BYTES_MAX = 262_144;
/** About one list, so that two busy partitions share a fetch. */
const PARTITION_BYTES_MAX = 131_072;
/** Longest delay until the consumer notices that a topic has more partitions. */
const METADATA_AGE_MAX_MS = 30_000;
/** Most partitions that the library hands in at once; their records are one list. */
const PARTITIONS_AT_ONCE = 256;
/** How long a stop waits for brokers: for a fetch or a step of joining under way, and for leaving the group. */
const LEAVE_WAIT_MS = 3_000;
const STALL_MAX_MS = 60_000;
const RETRY_PAUSE_MAX_MS = 2_000;

export interface ConsumerOptions {
  kafka: Kafka;
  runtime: Runtime;
  topicPrefix: string;
  subscription: Subscription;
  prepare: (topics: readonly string[]) => Promise<void>;
  lagEveryMs?: number;
  stallMaxMs?: number;
}

export function startKafkaConsumer(options: ConsumerOptions): { stop(): Promise<void> } {
  const { runtime, subscription } = options;
  const log = runtime.log.child({ group: subscription.group });
  const stopping = new AbortController();
  // A broadcast has no place to return to, hence no lag; what it misses is no reason to end a process.
  const watchers = subscription.isBroadcast ? undefined : startWatchers(options, log);

  async function run() {
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
  }

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      watchers?.progress.stop();
      await Promise.all([running, watchers?.lag.stop()]);
    },
  };

  /** Resolves after a stop; rejects when the library gives up. */
  async function consumeUntilEnd({ signal, joined }: Session): Promise<void> {
    const consumer = createConsumer(options);
    const { GROUP_JOIN, CRASH, FETCH_START } = consumer.events;
    const ended = Promise.withResolvers<void>();
    function onStop() {
      return ended.resolve();
    }

    let left = false;
    function leave() {
      left = true;
      return consumer.disconnect().catch(() => {});
    }

    consumer.on(GROUP_JOIN, joined);
    consumer.on(CRASH, ({ payload }) => ended.reject(payload.error));
    // A consumer that was about to join when it was disconnected goes on, so it is disconnected again.
    consumer.on(FETCH_START, () => {
      if (left) void leave();
    });
    watchers?.progress.watch(consumer);
    watchers?.lag.watch(consumer);
    signal.addEventListener("abort", onStop);
    if (signal.aborted) onStop();
    const batches = createBatchHandler({ ...options, log, signal });
    // A stop must not wait for a broker that is away, hence the race from the first step on.
    const joining = join(consumer, batches, signal);
    async function leaveForGood() {
      await leave();
      // A join that was under way sees the signal and ends.
      await joining.catch(() => {});
      await leave();
    }

    try {
      await Promise.race([joining.then(() => ended.promise), ended.promise]);
    } finally {
      signal.removeEventListener("abort", onStop);
      const leaving = leaveForGood();
      await batches.listInHand();
      await settlesWithin(leaving, LEAVE_WAIT_MS);
    }
  }

  async function join(
    consumer: Consumer,
    { eachBatch }: BatchHandler,
    signal: AbortSignal,
  ): Promise<void> {
    await options.prepare(subscription.topics);
    if (signal.aborted) return;
    const topics = subscription.topics.map((topic) => options.topicPrefix + topic);
    const groupId = options.topicPrefix + subscription.group;
    if (!subscription.isBroadcast)
      await reportExpiredRecords(options.kafka, log, { groupId, topics });
    if (signal.aborted) return;
    await consumer.connect();
    if (signal.aborted) return;
    await consumer.subscribe({ topics, fromBeginning: !subscription.isBroadcast });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: PARTITIONS_AT_ONCE,
      eachBatch,
    });
  }
}

function startWatchers(options: ConsumerOptions, log: Log) {
  const { stallMaxMs = STALL_MAX_MS, lagEveryMs: everyMs } = options;
  return {
    progress: watchProgress({ ...options, stallMaxMs }),
    lag: watchLag({ ...options, log, ...(everyMs === undefined ? {} : { everyMs }) }),
  };
}

interface Session {
  signal: AbortSignal;
  joined: () => void;
}

function createConsumer({ kafka, topicPrefix, subscription }: ConsumerOptions): Consumer {
  return kafka.consumer({
    // A group with one member gets all records.
    groupId:
      topicPrefix + subscription.group + (subscription.isBroadcast ? `.${randomUUID()}` : ""),
    allowAutoTopicCreation: false,
    sessionTimeout: SESSION_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    rebalanceTimeout: REBALANCE_TIMEOUT_MS,
    minBytes: 1,
    maxWaitTimeInMs: FETCH_WAIT_MS,
    maxBytes: FETCH_BYTES_MAX,
    maxBytesPerPartition: PARTITION_BYTES_MAX,
    metadataMaxAge: METADATA_AGE_MAX_MS,
    // The library would restart even after a disconnect; the loop above restarts it instead.
    retry: { ...RETRY, restartOnFailure: async () => false },
  });
}
