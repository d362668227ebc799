// Detects a consumer that stalls. A broker outage is not a stall, nor is one of the group's coordinator alone: the
// process waits until it is over, because it may serve requests meanwhile. A stalled consumer neither fetches nor sends
// heartbeats while the brokers answer others, about its group, too.
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

const silentSince = new Map<string, number>();

new Gauge({
  name: "kafka_consumer_silent_seconds",
  help: "For how long the consumer has neither fetched nor sent its group a heartbeat",
  labelNames: ["group"],
  collect() {
    this.reset();
    for (const [group, since] of silentSince) {
      this.set({ group }, (performance.now() - since) / 1_000);
    }
  },
});

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
  let movedAt = 0;
  let looking = false;
  let answeringSince: number | undefined;
  function noteMove() {
    movedAt = performance.now();
    silentSince.set(group, movedAt);
  }

  noteMove();

  async function look() {
    const seenAt = movedAt;
    if (looking || performance.now() - seenAt < stallMaxMs) return;
    looking = true;
    const answered = await brokersAnswer(kafka, topicPrefix + group, topicPrefix + topics[0]);
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
        consumer.on(event, noteMove);
      }
    },
    stop: () => {
      clearInterval(timer);
      silentSince.delete(group);
    },
  };
}

/** A broker may have topics and no groups: then no consumer can join, and no process would be better than this one. */
async function brokersAnswer(kafka: Kafka, groupId: string, topic: string): Promise<boolean> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.fetchOffsets({ groupId, topics: [topic] });
    return true;
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => {});
  }
}
