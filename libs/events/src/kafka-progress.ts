// Whether a consumer still moves. A broker outage is not a stall: the process waits it out, since it may well serve
// requests meanwhile. A stall is a consumer that neither fetches nor beats while the brokers answer somebody else.
import type { Runtime } from "@pay/process";
import type { Batch, Consumer, Kafka } from "kafkajs";
import { Counter, Gauge } from "prom-client";
import type { Subscription } from "./bus.ts";

const LOOK_EVERY_MS = 5_000;

const lag = new Gauge({
  name: "kafka_consumer_lag",
  help: "Records behind the end of the partition after the last handled list",
  labelNames: ["group", "topic", "partition"],
});

const lastProgress = new Gauge({
  name: "kafka_consumer_last_progress_seconds",
  help: "Seconds since the consumer last had everything handled that it had fetched",
  labelNames: ["group"],
});

export const consumerRestarts = new Counter({
  name: "kafka_consumer_restarts_total",
  help: "How often a consumer had to begin anew",
  labelNames: ["group"],
});

export const noteLag = (group: string, topic: string, batch: Batch): void =>
  lag.set({ group, topic, partition: batch.partition }, Number(batch.offsetLag()));

export const watchProgress = (options: {
  kafka: Kafka;
  runtime: Runtime;
  subscription: Subscription;
  stallMaxMs: number;
}): { watch(consumer: Consumer): void; stop(): void } => {
  const { kafka, runtime, subscription, stallMaxMs } = options;
  const { group } = subscription;
  let fetchedAt = performance.now();
  let movedAt = fetchedAt;
  let looking = false;
  let answeringSince: number | undefined;

  const look = async () => {
    lastProgress.set({ group }, (performance.now() - fetchedAt) / 1_000);
    const seenAt = movedAt;
    if (looking || performance.now() - seenAt < stallMaxMs) return;
    looking = true;
    const answered = await brokersAnswer(kafka);
    looking = false;
    // It may have moved while we asked; and when nobody gets an answer, it is the brokers that are away. Once they
    // are back, a consumer gets as long to find its way as it would have had without them gone.
    answeringSince =
      answered && movedAt === seenAt ? (answeringSince ?? performance.now()) : undefined;
    if (answeringSince === undefined || runtime.stopping.aborted) return;
    if (performance.now() - answeringSince < stallMaxMs) return;
    runtime.fatal(new Error(`consumer ${group} stands still although the brokers answer`));
  };
  const timer = setInterval(() => void look(), Math.min(LOOK_EVERY_MS, stallMaxMs));
  timer.unref();

  return {
    watch: (consumer) => {
      const { FETCH, HEARTBEAT, GROUP_JOIN } = consumer.events;
      consumer.on(FETCH, () => {
        fetchedAt = movedAt = performance.now();
      });
      for (const event of [HEARTBEAT, GROUP_JOIN] as const) {
        consumer.on(event, () => {
          movedAt = performance.now();
        });
      }
    },
    stop: () => clearInterval(timer),
  };
};

const brokersAnswer = async (kafka: Kafka): Promise<boolean> => {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.listTopics();
    return true;
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => {});
  }
};
