// Sends the deliveries that this worker owns. Rows are the only lasting state; memory holds queues and timers over them:
//   accept -> queue (waits for a slot) -> attempt -> written -> done, or waits for its retry -> queue …
// What it guarantees:
// - an attempt follows only when the one before it is written, so no crash makes a fifth;
// - nothing starts while too many results are unwritten, or while other workers may have removed this one;
// - a delivery that another worker owns now is dropped from memory, and its row is not changed.
import type { Egress } from "@pay/egress";
import type { Clock, Log } from "@pay/process";
import * as metrics from "../metrics.ts";
import type { Delivery, Result } from "./delivery.ts";
import type { EndpointCache } from "./endpoint-cache.ts";
import {
  createEndpointQueues,
  type EndpointQueue,
  type EndpointQueues,
} from "./endpoint-queues.ts";
import { createHeldDeliveries, type HeldDeliveries } from "./held-deliveries.ts";
import { performDelivery } from "./perform-delivery.ts";
import { createEndpointRefresh, type SeenVersion } from "./refresh-endpoints.ts";
import { isForeign, refreshQueues } from "./refresh-queues.ts";
import type { ResultWriter } from "./result-writer.ts";
import { createRetryTimers, type Timeline } from "./retry-timers.ts";

const IN_FLIGHT_MAX = 2_000;
const UNFINISHED_MAX = 5_000;
const NO_ATTEMPT = { statusCode: undefined, durationMs: 0 };

export interface Dispatcher {
  /** Takes in deliveries this worker owns; one it has already is left as it is. */
  accept(deliveries: Delivery[]): void;
  holds(deliveryId: string): boolean;
  /** How many more deliveries of the endpoint may be taken in. */
  room(endpointId: string): number;
  /** Whether events with this many bytes of bodies have no place in memory. */
  isFull(bodyBytes: number): boolean;
  /** Starts what may start; to be called when a condition outside the dispatcher has changed. */
  pump(): void;
  /** Looks up the endpoints of busy queues again, and gives back the deliveries of those that others serve now. */
  refresh(): Promise<void>;
  /** Drops all deliveries from memory: other workers own them now. */
  drop(): void;
  /** Starts no more attempts and accepts no more deliveries. */
  close(): void;
  isClosed(): boolean;
  load(): metrics.Load;
}

interface DispatcherOptions {
  egress: Egress;
  clock: Clock;
  timeline: Timeline;
  endpointCache: EndpointCache;
  resultWriter: ResultWriter;
  log: Log;
  /** Whether this worker certainly still owns its rows. */
  mayStart: () => boolean;
  /** The part of an endpoint's slots that belongs to this worker. */
  countSlots: (endpoint: { place: number; slots: number }) => number;
  /** Other workers serve the endpoint of these deliveries: they go back to the table. */
  handBack: (deliveries: Delivery[]) => Promise<void>;
  /** An endpoint has all it may have in memory, or has room again. */
  onFull: (endpointId: string) => void;
  onRoom: (endpointId: string) => void;
  /** A delivery to the endpoint has failed for good. */
  onFailed: (endpointId: string) => void;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { egress, clock, timeline, endpointCache, resultWriter, log } = options;
  const { mayStart, handBack, onFull, onRoom, onFailed } = options;
  const now = timeline.now;
  let closed = false;

  const queues = createEndpointQueues({
    inFlightMax: IN_FLIGHT_MAX,
    isOpen: () => !closed && mayStart() && resultWriter.unfinished() < UNFINISHED_MAX,
    countSlots: options.countSlots,
    start: (queue, delivery) => void start(queue, delivery),
  });
  const held = createHeldDeliveries({ queues, onFull, onRoom });
  const endpointRefresh = createEndpointRefresh({
    endpointCache,
    log,
    now,
    onKnown: (known) => {
      for (const queue of known) queues.consider(queue);
      queues.pump();
    },
  });
  const retryTimers = createRetryTimers<Delivery>(timeline, (due) => {
    for (const delivery of due) enqueue(delivery);
    queues.pump();
  });

  function enqueue(delivery: Delivery, seen?: SeenVersion) {
    const queue = queues.of(delivery.endpointId);
    endpointRefresh.ensureFresh(queue, seen);
    queues.add(delivery);
  }

  async function start(queue: EndpointQueue, delivery: Delivery) {
    const result = await performDelivery({ egress, clock, now }, delivery, queue.target);
    const { log: entry } = result;
    // While it took all slots of its endpoint, that was not looked up.
    if (!closed) endpointRefresh.ensureFresh(queue);
    queues.ended(queue, delivery, entry ?? NO_ATTEMPT);
    metrics.countResult(result);
    const written = resultWriter.write(result);
    queues.pump();
    settle(result, await written);
  }

  function settle(result: Result, written: boolean) {
    const { delivery, next } = result;
    if (written && next.state === "failed") onFailed(delivery.endpointId);
    if (held.isHeld(delivery)) {
      if (written && next.state === "pending" && !closed)
        retryTimers.add(advance(result), delivery);
      else held.remove(delivery);
    }
    // Writing may have been what kept others from starting.
    queues.pump();
  }

  function accept(list: Delivery[]) {
    for (const delivery of list) {
      if (!held.add(delivery)) continue;
      if (delivery.dueAt <= now()) enqueue(delivery, delivery);
      else retryTimers.add(delivery.dueAt, delivery);
    }
    queues.pump();
  }

  return {
    accept,
    holds: held.has,
    room: (endpointId) => (isForeign(queues, endpointId) ? 0 : held.room(endpointId)),
    isFull: held.isFull,
    pump: queues.pump,
    refresh: () => refreshQueues({ queues, held, endpointRefresh, handBack }, now()),
    drop: () => {
      held.clear();
      retryTimers.clear();
      queues.clear();
    },
    close: () => {
      closed = true;
      retryTimers.clear();
    },
    isClosed: () => closed,
    load: () => computeLoad({ held, queues, resultWriter }, now()),
  };
}

/** Notes the attempt on the delivery; returns when the next one is due. */
function advance({ delivery, next, endedAt, log }: Result): number {
  delivery.attempts = log?.number ?? delivery.attempts;
  delivery.dueAt = endedAt + next.delayMs;
  return delivery.dueAt;
}

function computeLoad(
  parts: { held: HeldDeliveries; queues: EndpointQueues; resultWriter: ResultWriter },
  now: number,
): metrics.Load {
  return {
    held: parts.held.total(),
    inFlight: parts.queues.inFlight(),
    unfinished: parts.resultWriter.unfinished(),
    oldestWaitMs: oldestWaitMs(parts.queues.all(), now),
  };
}

function oldestWaitMs(queues: Iterable<EndpointQueue>, now: number): number {
  let oldest = now;
  for (const { retries, firsts } of queues) {
    for (const delivery of [retries[0], firsts[0]]) {
      if (delivery !== undefined && delivery.dueAt < oldest) oldest = delivery.dueAt;
    }
  }
  return now - oldest;
}
