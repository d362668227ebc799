// How far a group is behind, read from the brokers at intervals. Their figures are right when a handler fails and when
// nothing is fetched; a partition that has left this consumer is reported by its next owner alone.
import type { Log } from "@pay/process";
import type { Admin, Consumer, Kafka } from "kafkajs";
import { Gauge } from "prom-client";
import { settlesWithin } from "../../pause.ts";
import type { Subscription } from "../bus.ts";

const EVERY_MS = 10_000;
/** How long a stop waits for a question under way. */
const STOP_WAIT_MS = 3_000;

const lag = new Gauge({
  name: "kafka_consumer_lag",
  help: "Records of the partition that the group has not handled, for partitions of this consumer; from the brokers",
  labelNames: ["group", "topic", "partition"],
});

/** The partitions of a consumer, by the full name of the topic. */
type Assignment = Readonly<Record<string, readonly number[]>>;

export interface LagWatch {
  watch(consumer: Consumer): void;
  stop(): Promise<void>;
}

export function watchLag(options: {
  kafka: Kafka;
  log: Log;
  topicPrefix: string;
  subscription: Subscription;
  everyMs?: number;
}): LagWatch {
  const { kafka, log, topicPrefix, subscription, everyMs = EVERY_MS } = options;
  const { group } = subscription;
  const reported = new Map<string, Record<string, string | number>>();
  let assignment: Assignment = {};
  let admin: Admin | undefined;
  let measuring = Promise.resolve();
  let isBusy = false;
  let stopped = false;

  function forget() {
    for (const labels of reported.values()) lag.remove(labels);
    reported.clear();
  }

  async function close() {
    const old = admin;
    admin = undefined;
    await old?.disconnect().catch(() => {});
  }

  async function measure() {
    const current = assignment;
    const topics = Object.keys(current);
    if (topics.length === 0) return;
    admin ??= kafka.admin();
    await admin.connect();
    if (stopped) return;
    const found = await readLags(admin, topicPrefix + group, current);
    // Partitions have moved in between, or none is left, so these figures are of another consumer.
    if (current !== assignment) return;
    forget();
    for (const { topic, partition, records } of found) {
      const labels = { group, topic: topic.slice(topicPrefix.length), partition };
      reported.set(`${topic} ${partition}`, labels);
      lag.set(labels, records);
    }
  }

  function look() {
    // A consumer that was joining its group when it was stopped gets partitions all the same.
    if (isBusy || stopped) return;
    isBusy = true;
    measuring = measure()
      .catch(async (error: unknown) => {
        // An old figure would mislead, so none is reported.
        forget();
        log.debug({ err: error }, "the lag was not read");
        await close();
      })
      .finally(() => {
        isBusy = false;
      });
  }

  const timer = setInterval(look, everyMs);
  timer.unref();

  return {
    watch: (consumer) => {
      consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
        assignment = payload.memberAssignment;
        forget();
        look();
      });
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      assignment = {};
      forget();
      await settlesWithin(measuring.then(close), STOP_WAIT_MS);
    },
  };
}

interface Lag {
  topic: string;
  partition: number;
  records: number;
}

async function readLags(admin: Admin, groupId: string, assignment: Assignment): Promise<Lag[]> {
  const topics = Object.keys(assignment);
  const handled = await admin.fetchOffsets({ groupId, topics });
  const found: Lag[] = [];
  for (const topic of topics) {
    const own = new Set(assignment[topic]);
    const offsets = handled.find((one) => one.topic === topic)?.partitions ?? [];
    const next = new Map(offsets.map(({ partition, offset }) => [partition, BigInt(offset)]));
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
      if (!own.has(partition)) continue;
      // A group that has handled nothing yet begins at the oldest record; older offsets count from there as well.
      const from = [next.get(partition) ?? -1n, BigInt(low)].reduce((a, b) => (a > b ? a : b));
      found.push({ topic, partition, records: Number(BigInt(high) - from) });
    }
  }
  return found;
}
