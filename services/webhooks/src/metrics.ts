import { Counter, Gauge, Histogram } from "prom-client";
import type { BufferUsage } from "./delivery/buffer-quota.ts";
import type { Delivery, Result } from "./delivery/delivery.ts";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts since the last scrape: prom-client creates objects at each call, so it receives sums. */
const ended = new Map<string, Map<string, number>>();
const attempted = new Map<string, number>();

new Counter({
  name: "webhook_delivery_total",
  help: "Finished deliveries, by event type and result",
  labelNames: ["event", "result"],
  collect() {
    for (const [event, results] of ended) {
      for (const [result, count] of results) this.inc({ event, result }, count);
    }
    ended.clear();
  },
});

new Counter({
  name: "webhook_attempt_total",
  help: "Attempts by result: ok, bad_status or the class of the fault",
  labelNames: ["result"],
  collect() {
    for (const [result, count] of attempted) this.inc({ result }, count);
    attempted.clear();
  },
});

const attemptDuration = new Histogram({
  name: "webhook_delivery_duration_seconds",
  help: "Duration of an attempt, from the DNS look-up to the end of the response",
  buckets: SECONDS,
});

const addedLatency = new Histogram({
  name: "webhook_added_latency_seconds",
  help: "Time from an event's arrival to the start of its first attempt",
  buckets: SECONDS,
});

const lateness = new Histogram({
  name: "webhook_attempt_lateness_seconds",
  help: "Delay of retries after their due time",
  buckets: SECONDS,
});

const eventDuration = new Histogram({
  name: "webhook_event_delivery_seconds",
  help: "Time from an event to its delivery, of deliveries that their first attempt ended",
  labelNames: ["event"],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
});

export const oldestWait = new Gauge({
  name: "webhook_queue_oldest_age_seconds",
  help: "Age of the oldest due delivery in the table, of all workers",
});

export const endpointsDisabled = new Counter({
  name: "webhook_endpoint_disabled_total",
  help: "Endpoints that were disabled after three days of failures",
});

export const secretsUnreadable = new Gauge({
  name: "webhook_secrets_unreadable",
  help: "Secrets that no configured key decrypts",
});

export const invalidEvents = new Counter({
  name: "webhook_event_invalid_total",
  help: "Events that cannot become a webhook and became dead letters",
});

/** At the start of an attempt, with the monotonic time. */
export function countStart({ attempts: before, dueAt }: Delivery, now: number): void {
  const histogram = before === 0 ? addedLatency : lateness;
  histogram.observe(Math.max(0, now - dueAt) / 1_000);
}

export function countResult({ delivery, next, log }: Result, now: Date): void {
  if (log !== undefined) {
    increment(attempted, log.error ?? "ok");
    attemptDuration.observe(log.durationMs / 1_000);
  }
  if (next.state === "pending") return;
  // Later attempts measure the receiver.
  const { eventType: event, occurredAt, isRedelivery } = delivery;
  if (next.state === "delivered" && delivery.attempts === 0 && !isRedelivery) {
    eventDuration.observe({ event }, Math.max(0, now.getTime() - occurredAt.getTime()) / 1_000);
  }
  const results = ended.get(delivery.eventType) ?? new Map<string, number>();
  ended.set(delivery.eventType, results);
  increment(results, next.state);
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Read from the dispatcher at each scrape. */
export interface Load {
  buffer: BufferUsage;
  inFlight: number;
  unfinished: number;
}

export function watchLoad(load: () => Load): void {
  source = load;
}

let source: (() => Load) | undefined;

const gauge = (name: string, help: string, read: (load: Load) => number) =>
  new Gauge({
    name,
    help,
    collect() {
      if (source !== undefined) this.set(read(source()));
    },
  });

gauge("webhook_buffered", "Deliveries in memory", ({ buffer }) => buffer.deliveries);
gauge("webhook_buffered_bytes", "Bytes of bodies in memory", ({ buffer }) => buffer.bodyBytes);
gauge("webhook_in_flight", "Requests in flight", ({ inFlight }) => inFlight);
gauge("webhook_unfinished", "Results that are not written yet", ({ unfinished }) => unfinished);
