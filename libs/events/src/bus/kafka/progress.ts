// Detects a consumer that stalls. A broker outage is not a stall: the process waits until it is over, because it may
// serve requests meanwhile. A stalled consumer neither fetches nor sends heartbeats while the brokers answer others.
import type { Runtime } from "@pay/process";
import type { Consumer, Kafka } from "kafkajs";
import { Counter, Gauge } from "prom-client";
import type { Subscription } from "../bus.ts";

const LOOK_EVERY_MS = 5_000;

const busySince = new Map<string, number>();

new Gauge({
  name: "kafka_consumer_busy_seconds",
  help: "How long the consumer has had its present list of records in hand; 0 between lists",
  labelNames: ["group"],
  collect() {
    for (const [group, since] of busySince) {
      this.set({ group }, since === 0 ? 0 : (performance.now() - since) / 1_000);
    }
  },
});

export function noteBusy(group: string, isBusy: boolean): void {
  busySince.set(group, isBusy ? performance.now() : 0);
}

export const consumerRestarts = new Counter({
  name: "kafka_consumer_restarts_total",
  help: "How often a consumer had to begin anew",
  labelNames: ["group"],
});

export function watchProgress(options: {
  kafka: Kafka;
  runtime: Runtime;
  topicPrefix: string;
  subscription: Subscription;
  stallMaxMs: number;
}): { watch(consumer: Consumer): void; stop(): void } {
  const { kafka, runtime, topicPrefix, subscription, stallMaxMs } = options;
  const { group, topics } = subscription;
  let movedAt = performance.now();
  let looking = false;
  let answeringSince: number | undefined;

  async function look() {
    const seenAt = movedAt;
    if (looking || performance.now() - seenAt < stallMaxMs) return;
    looking = true;
    const answered = await brokersAnswer(kafka, topicPrefix + topics[0]);
    looking = false;
    // The consumer may have moved meanwhile; and where the brokers answer no client, they are away. Once they are back,
    // a consumer has the full time again to make progress.
    answeringSince =
      answered && movedAt === seenAt ? (answeringSince ?? performance.now()) : undefined;
    if (answeringSince === undefined || runtime.stopping.aborted) return;
    if (performance.now() - answeringSince < stallMaxMs) return;
    runtime.fatal(new Error(`consumer ${group} stands still although the brokers answer`));
  }

  const timer = setInterval(() => void look(), Math.min(LOOK_EVERY_MS, stallMaxMs));
  timer.unref();

  return {
    watch: (consumer) => {
      const { FETCH, HEARTBEAT, GROUP_JOIN } = consumer.events;
      for (const event of [FETCH, HEARTBEAT, GROUP_JOIN] as const) {
        consumer.on(event, () => {
          movedAt = performance.now();
        });
      }
    },
    stop: () => clearInterval(timer),
  };
}

async function brokersAnswer(kafka: Kafka, topic: string): Promise<boolean> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.fetchTopicMetadata({ topics: [topic] });
    return true;
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
