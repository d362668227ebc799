import { Counter, Gauge, Histogram } from "prom-client";
import type { Delivery, Result } from "./delivery/delivery.ts";
import type { Held } from "./delivery/memory-quota.ts";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What was counted since the last scrape. The counters make several objects at each call, so they get sums. */
const ended = new Map<string, Map<string, number>>();
const attempted = new Map<string, number>();

new Counter({
  name: "webhook_delivery_total",
  help: "Deliveries that have ended, by event type and result",
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
  help: "Requests sent or refused to be sent, by result: ok, bad_status or the class of the fault",
  labelNames: ["result"],
  collect() {
    for (const [result, count] of attempted) this.inc({ result }, count);
    attempted.clear();
  },
});

const attemptDuration = new Histogram({
  name: "webhook_delivery_duration_seconds",
  help: "Time an attempt took, from the name of the receiver to the end of its answer",
  buckets: SECONDS,
});

const addedLatency = new Histogram({
  name: "webhook_added_latency_seconds",
  help: "Time from an event's arrival to the start of its first attempt",
  buckets: SECONDS,
});

const lateness = new Histogram({
  name: "webhook_attempt_lateness_seconds",
  help: "How much later than due a retry started",
  buckets: SECONDS,
});

export const endpointsDisabled = new Counter({
  name: "webhook_endpoint_disabled_total",
  help: "Endpoints that were disabled because nothing but failures came back for three days",
});

export const secretsUnreadable = new Gauge({
  name: "webhook_secrets_unreadable",
  help: "Secrets that no key of this installation opens, when they were last sealed anew",
});

export const eventsUnfit = new Counter({
  name: "webhook_event_unfit_total",
  help: "Events that could not become a webhook and went to the dead letters",
});

/** An attempt starts at this monotonic time. */
export function countStart({ attempts: before, dueAt }: Delivery, now: number): void {
  const histogram = before === 0 ? addedLatency : lateness;
  histogram.observe(Math.max(0, now - dueAt) / 1_000);
}

export function countResult({ delivery, next, log }: Result): void {
  if (log !== undefined) {
    countOne(attempted, log.error ?? "ok");
    attemptDuration.observe(log.durationMs / 1_000);
  }
  if (next.state === "pending") return;
  const results = ended.get(delivery.eventType) ?? new Map<string, number>();
  ended.set(delivery.eventType, results);
  countOne(results, next.state);
}

function countOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** What is read from the dispatcher at each scrape. */
export interface Load {
  held: Held;
  inFlight: number;
  unfinished: number;
  oldestWaitMs: number;
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

gauge("webhook_held", "Deliveries in memory", ({ held }) => held.deliveries);
gauge("webhook_held_bytes", "Bytes of bodies in memory", ({ held }) => held.bodyBytes);
gauge("webhook_in_flight", "Requests under way", ({ inFlight }) => inFlight);
gauge("webhook_unfinished", "Ended attempts not yet written", ({ unfinished }) => unfinished);
gauge(
  "webhook_queue_oldest_age_seconds",
  "How long the delivery that waits longest has been due",
  ({ oldestWaitMs }) => oldestWaitMs / 1_000,
);
