import { Counter, Gauge, Histogram } from "prom-client";

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const deliveries = new Counter({
  name: "webhook_delivery_total",
  help: "Deliveries that have ended, by event type and result",
  labelNames: ["event", "result"],
});

export const attempts = new Counter({
  name: "webhook_attempt_total",
  help: "Requests sent or refused to be sent, by result: ok, bad_status or the class of the fault",
  labelNames: ["result"],
});

export const attemptDuration = new Histogram({
  name: "webhook_delivery_duration_seconds",
  help: "Time an attempt took, from the name of the receiver to the end of its answer",
  buckets: SECONDS,
});

export const addedLatency = new Histogram({
  name: "webhook_added_latency_seconds",
  help: "Time from an event's arrival to the start of its first attempt",
  buckets: SECONDS,
});

export const lateness = new Histogram({
  name: "webhook_attempt_lateness_seconds",
  help: "How much later than due a retry started",
  buckets: SECONDS,
});

export const eventsUnfit = new Counter({
  name: "webhook_event_unfit_total",
  help: "Events that could not become a webhook and went to the dead letters",
});

/** What is read from the dispatcher at each scrape. */
export interface Load {
  held: number;
  inFlight: number;
  unfinished: number;
  oldestWaitMs: number;
}

export const watchLoad = (load: () => Load): void => {
  source = load;
};

let source: (() => Load) | undefined;

const gauge = (name: string, help: string, read: (load: Load) => number) =>
  new Gauge({
    name,
    help,
    collect() {
      if (source !== undefined) this.set(read(source()));
    },
  });

gauge("webhook_held", "Deliveries in memory", ({ held }) => held);
gauge("webhook_in_flight", "Requests under way", ({ inFlight }) => inFlight);
gauge("webhook_unfinished", "Ended attempts not yet written", ({ unfinished }) => unfinished);
gauge(
  "webhook_queue_oldest_age_seconds",
  "How long the delivery that waits longest has been due",
  ({ oldestWaitMs }) => oldestWaitMs / 1_000,
);
