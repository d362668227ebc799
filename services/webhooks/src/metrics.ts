import { Counter, Gauge, Histogram } from "prom-client";
import type { Delivery, Result } from "./delivery/delivery.ts";
import type { Held } from "./delivery/memory-quota.ts";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const deliveries = new Counter({
  name: "webhook_delivery_total",
  help: "Deliveries that have ended, by event type and result",
  labelNames: ["event", "result"],
});

const attempts = new Counter({
  name: "webhook_attempt_total",
  help: "Requests sent or refused to be sent, by result: ok, bad_status or the class of the fault",
  labelNames: ["result"],
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
    attempts.inc({ result: log.error ?? "ok" });
    attemptDuration.observe(log.durationMs / 1_000);
  }
  if (next.state !== "live") deliveries.inc({ event: delivery.eventType, result: next.state });
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
