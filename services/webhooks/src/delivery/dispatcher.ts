// Sends the deliveries that this worker owns. Only rows are durable; memory holds queues and timers over them:
//   accept → queue (waits for a slot) → attempt → write → done, or wait for a retry → queue …
// Guarantees:
// - An attempt starts only when the previous one is written, so a crash cannot cause a fifth.
// - Nothing starts while too many results are unwritten or other workers may have removed this one.
// - A delivery that another worker owns is dropped from memory; its row is not changed.
import type { Egress } from "@pay/egress";
import type { Clock, Log } from "@pay/process";
import type { State } from "../domain/schedule.ts";
import * as metrics from "../metrics.ts";
import type { Delivery, Result } from "./delivery.ts";
import { createDeliveryBuffer, type DeliveryBuffer } from "./delivery-buffer.ts";
import type { EndpointCache } from "./endpoint-cache.ts";
import { type EndpointLoad, listLoads } from "./endpoint-loads.ts";
import {
  createEndpointQueues,
  type EndpointQueue,
  type EndpointQueues,
} from "./endpoint-queues.ts";
import { performDelivery } from "./perform-delivery.ts";
import { createEndpointRefresh, type SeenVersion } from "./refresh-endpoints.ts";
import { isForeign, refreshQueues } from "./refresh-queues.ts";
import type { ResultWriter } from "./result-writer.ts";
import { createRetryTimers, type Timeline } from "./retry-timers.ts";

const IN_FLIGHT_MAX = 2_000;
const UNFINISHED_MAX = 5_000;

export interface Dispatcher {
  /** Accepts deliveries that this worker owns; those in memory stay as they are. */
  accept(deliveries: Delivery[]): void;
  has(deliveryId: string): boolean;
  /** How many more deliveries of the endpoint fit. */
  countRoom(endpointId: string): number;
  /** How many more bodies of this size fit. */
  countFree(bytesEach: number): number;
  /** Sets memory aside for bodies that are being stored; false if they do not fit. */
  reserve(bytes: number): boolean;
  /** Ends a reservation. */
  release(bytes: number): void;
  /** Starts deliveries that may start; call it when a condition outside the dispatcher has changed. */
  pump(): void;
  /** Looks up the endpoints of busy queues, and returns deliveries of endpoints that others serve. */
  refresh(): Promise<void>;
  /** Drops all deliveries from memory, because other workers own them. */
  drop(): void;
  /** Starts no more attempts and accepts no more deliveries. */
  close(): void;
  isClosed(): boolean;
  load(): metrics.Load;
  /** Of endpoints that are not at rest. */
  endpointLoads(): EndpointLoad[];
}

interface DispatcherOptions {
  egress: Egress;
  clock: Clock;
  timeline: Timeline;
  endpointCache: EndpointCache;
  resultWriter: ResultWriter;
  log: Log;
  /** Whether this worker certainly owns its rows. */
  mayStart: () => boolean;
  /** The number of an endpoint's slots that this worker owns. */
  computeShare: (endpoint: { offset: number; slots: number }) => number;
  /** Returns deliveries to the table, because other workers serve their endpoint. */
  returnDeliveries: (deliveries: Delivery[]) => Promise<void>;
  /** An endpoint has reached its quota in memory, or has room again. */
  onFull: (endpointId: string) => void;
  onRoom: (endpointId: string) => void;
  /** The result is in the table. */
  onWritten: (result: Result) => void;
  /** A delivery to the endpoint has failed for good. */
  onFailed: (endpointId: string) => void;
}

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { egress, clock, timeline, endpointCache, resultWriter, log } = options;
  const { mayStart, returnDeliveries, onFull, onRoom, onWritten, onFailed } = options;
  const now = timeline.now;
  let closed = false;

  const queues = createEndpointQueues({
    inFlightMax: IN_FLIGHT_MAX,
    isOpen: () => !closed && mayStart() && resultWriter.unfinished() < UNFINISHED_MAX,
    computeShare: options.computeShare,
    start: (queue, delivery) => void start(queue, delivery),
  });
  const buffer = createDeliveryBuffer({ queues, onFull, onRoom });
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
    // While all slots were taken, the endpoint was not looked up.
    if (!closed) endpointRefresh.ensureFresh(queue);
    queues.ended(queue, delivery, result.log);
    metrics.countResult(result, clock.now());
    const written = resultWriter.write(result);
    queues.pump();
    settle(result, await written);
  }

  function settle(result: Result, written: boolean) {
    const { delivery, next } = result;
    if (written) {
      logResult(log, result);
      onWritten(result);
    }
    if (written && next.state === "failed") onFailed(delivery.endpointId);
    if (buffer.isBuffered(delivery)) {
      if (written && next.state === "pending" && !closed)
        retryTimers.add(advance(result), delivery);
      else buffer.remove(delivery);
    }
    // The number of unwritten results may have blocked others.
    queues.pump();
  }

  function accept(list: Delivery[]) {
    for (const delivery of list) {
      if (!buffer.add(delivery)) continue;
      if (delivery.dueAt <= now()) enqueue(delivery, delivery);
      else retryTimers.add(delivery.dueAt, delivery);
    }
    queues.pump();
  }

  return {
    accept,
    has: buffer.has,
    countRoom: (endpointId) => (isForeign(queues, endpointId) ? 0 : buffer.room(endpointId)),
    countFree: buffer.countFree,
    reserve: buffer.reserve,
    release: buffer.release,
    pump: queues.pump,
    refresh: () => refreshQueues({ queues, buffer, endpointRefresh, returnDeliveries }, now()),
    drop: () => {
      buffer.clear();
      retryTimers.clear();
      queues.clear();
    },
    close: () => {
      closed = true;
      retryTimers.clear();
    },
    isClosed: () => closed,
    load: () => computeLoad({ buffer, queues, resultWriter }),
    endpointLoads: () => listLoads(queues.all()),
  };
}

/** The receiver's address and response may hold secrets, so neither is in the line. */
function logResult(log: Log, { delivery, next, log: attempt }: Result): void {
  const { id: deliveryId, endpointId, eventId, eventType: type, ...event } = delivery;
  const { resourceId, projectId, requestId } = event;
  const cause = requestId === "" ? {} : { requestId };
  const about = { deliveryId, endpointId, eventId, type, resourceId, projectId, ...cause };
  const { number, statusCode, error } = attempt ?? {};
  const outcome = { attempt: number, statusCode, error, state: next.state };
  log[next.state === "failed" ? "warn" : "info"]({ ...about, ...outcome }, OUTCOMES[next.state]);
}

const OUTCOMES = {
  pending: "a delivery failed and is tried again",
  delivered: "delivered",
  failed: "a delivery failed",
  parked: "a delivery is parked",
} as const satisfies Record<State, string>;

/** Records the attempt on the delivery; returns when the next one is due. */
function advance({ delivery, next, endedAt, log }: Result): number {
  delivery.attempts = log?.number ?? delivery.attempts;
  delivery.dueAt = endedAt + next.delayMs;
  return delivery.dueAt;
}

function computeLoad(parts: {
  buffer: DeliveryBuffer;
  queues: EndpointQueues;
  resultWriter: ResultWriter;
}): metrics.Load {
  return {
    buffer: parts.buffer.total(),
    inFlight: parts.queues.inFlight(),
    unfinished: parts.resultWriter.unfinished(),
  };
}
