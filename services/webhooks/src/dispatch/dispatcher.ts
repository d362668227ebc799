// Sends what this worker owns. Rows are the only lasting state; memory holds queues and timers over them:
//   accept -> lane (waits for a slot) -> attempt -> written -> done, or waits for its time -> lane …
// What it guards:
// - an attempt follows only when the one before it is written, so no crash makes a fifth;
// - nothing starts while results pile up unwritten or while this worker may have been taken for dead;
// - a delivery that was lost to another worker is dropped from memory, its row is not ours to touch.
import type { Egress } from "@pay/egress";
import type { Clock, Log } from "@pay/process";
import { HELD_MAX, shareOf } from "../domain/share.ts";
import * as metrics from "../metrics.ts";
import { attempt } from "./attempt.ts";
import type { Delivery, Result } from "./delivery.ts";
import type { Directory, Target } from "./directory.ts";
import type { Finisher } from "./finisher.ts";
import { createLanes, type Lane } from "./lanes.ts";
import { createLookups } from "./lookups.ts";
import { createTimers, type Timeline } from "./timers.ts";

const IN_FLIGHT_MAX = 2_000;
const UNFINISHED_MAX = 5_000;
const LANE_IDLE_MS = 60_000;

export interface Dispatcher {
  /** Takes in deliveries this worker owns; one it has already is left as it is. */
  accept(deliveries: Delivery[]): void;
  holds(deliveryId: string): boolean;
  /** How many more deliveries of the endpoint may be taken in. */
  room(endpointId: string): number;
  /** Whether nothing at all may be taken in. */
  isFull(): boolean;
  /** Starts what may start; to be called when something outside has changed. */
  pump(): void;
  /** Looks busy endpoints up anew. */
  refresh(): Promise<void>;
  /** Forgets everything: it belongs to others now. */
  drop(): void;
  /** Starts nothing more and wants nothing more. */
  close(): void;
  isClosed(): boolean;
  load(): metrics.Load;
}

export const createDispatcher = (options: {
  egress: Egress;
  clock: Clock;
  timeline: Timeline;
  directory: Directory;
  finisher: Finisher;
  log: Log;
  /** Whether this worker is certainly still the owner of its rows. */
  mayStart: () => boolean;
  /** An endpoint has all it may have in memory, or has room again. */
  onFull: (endpointId: string) => void;
  onRoom: (endpointId: string) => void;
}): Dispatcher => {
  const { egress, clock, timeline, directory, finisher, log, mayStart, onFull, onRoom } = options;
  const now = timeline.now;
  const held = new Map<string, Delivery>();
  let closed = false;

  const lanes = createLanes({
    inFlightMax: IN_FLIGHT_MAX,
    isOpen: () => !closed && mayStart() && finisher.unfinished() < UNFINISHED_MAX,
    start: (lane, delivery) => void start(lane, delivery),
  });
  const lookups = createLookups({
    ...{ directory, log, now },
    onKnown: (known) => {
      for (const lane of known) lanes.consider(lane);
      lanes.pump();
    },
  });
  const timers = createTimers<Delivery>(timeline, (due) => {
    for (const delivery of due) enqueue(delivery);
    lanes.pump();
  });

  const enqueue = (delivery: Delivery) => {
    const lane = lanes.lane(delivery.endpointId);
    lookups.ensureFresh(lane);
    lanes.queue(delivery);
  };

  const start = async (lane: Lane, delivery: Delivery) => {
    const { target } = lane;
    const result = canReceive(target)
      ? await attempt({ egress, clock, now }, startedNow(delivery, now()), target)
      : closing(delivery, now());
    const { log: entry } = result;
    lanes.ended(lane, { statusCode: entry?.statusCode, durationMs: entry?.durationMs ?? 0 });
    count(result);
    const written = finisher.finish(result);
    lanes.pump();
    settle(result, await written);
  };

  const settle = ({ delivery, next, endedAt, log: entry }: Result, written: boolean) => {
    if (held.get(delivery.id) === delivery) {
      if (written && next.state === "live" && !closed) {
        delivery.attempts = entry?.number ?? delivery.attempts;
        delivery.dueAt = endedAt + next.delayMs;
        timers.add(delivery.dueAt, delivery);
      } else {
        release(delivery);
      }
    }
    // Writing may have been what kept others from starting.
    lanes.pump();
  };

  const release = ({ id, endpointId }: Delivery) => {
    held.delete(id);
    const lane = lanes.lane(endpointId);
    lane.held--;
    if (lane.held < shareOf(held.size) / 2) onRoom(endpointId);
  };

  return {
    accept: (deliveries) => {
      for (const delivery of deliveries) {
        if (held.has(delivery.id)) continue;
        held.set(delivery.id, delivery);
        const lane = lanes.lane(delivery.endpointId);
        if (++lane.held >= shareOf(held.size)) onFull(delivery.endpointId);
        if (delivery.dueAt <= now()) enqueue(delivery);
        else timers.add(delivery.dueAt, delivery);
      }
      lanes.pump();
    },
    holds: (deliveryId) => held.has(deliveryId),
    room: (endpointId) => Math.max(0, shareOf(held.size) - lanes.lane(endpointId).held),
    isFull: () => held.size >= HELD_MAX,
    pump: lanes.pump,
    refresh: async () => {
      const all = [...lanes.all()];
      for (const lane of all) if (isForgettable(lane, now())) lanes.forget(lane);
      const busy = all.filter(isBusy);
      if (busy.length > 0) await lookups.ask(busy);
    },
    drop: () => {
      held.clear();
      timers.clear();
      lanes.clear();
    },
    close: () => {
      closed = true;
      timers.clear();
    },
    isClosed: () => closed,
    load: () => ({
      held: held.size,
      inFlight: lanes.inFlight(),
      unfinished: finisher.unfinished(),
      oldestWaitMs: oldestWaitMs(lanes.all(), now()),
    }),
  };
};

const isBusy = ({ firsts, retries, inFlight }: Lane): boolean =>
  firsts.length + retries.length + inFlight > 0;

const isForgettable = ({ held, targetAt }: Lane, now: number): boolean =>
  held === 0 && now - targetAt > LANE_IDLE_MS;

const canReceive = (target: Lane["target"]): target is Target & { url: string } =>
  target?.url !== undefined;

/** The endpoint is gone, switched off or without an address: its deliveries end without a request. */
const closing = (delivery: Delivery, endedAt: number): Result => ({
  delivery,
  next: { state: "failed", delayMs: 0 },
  endedAt,
  log: undefined,
});

const startedNow = (delivery: Delivery, now: number): Delivery => {
  const histogram = delivery.attempts === 0 ? metrics.addedLatency : metrics.lateness;
  histogram.observe(Math.max(0, now - delivery.dueAt) / 1_000);
  return delivery;
};

const count = ({ delivery, next, log }: Result): void => {
  if (log !== undefined) {
    metrics.attempts.inc({ result: log.error ?? "ok" });
    metrics.attemptDuration.observe(log.durationMs / 1_000);
  }
  if (next.state !== "live")
    metrics.deliveries.inc({ event: delivery.eventType, result: next.state });
};

const oldestWaitMs = (lanes: Iterable<Lane>, now: number): number => {
  let oldest = now;
  for (const { retries, firsts } of lanes) {
    for (const delivery of [retries[0], firsts[0]]) {
      if (delivery !== undefined && delivery.dueAt < oldest) oldest = delivery.dueAt;
    }
  }
  return now - oldest;
};
