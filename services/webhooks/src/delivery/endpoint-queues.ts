// One queue per endpoint. Queues start one delivery in turn, so a long queue delays no other.
// In a queue, a due retry precedes first attempts: otherwise the retry schedule would grow with the queue.
// A first attempt waits for the first attempt of the resource's previous event, so that a receiver gets the events of a
// resource in order. It never waits for a retry.

import { computeOffset } from "../domain/endpoint-share.ts";
import { FIRST_PACE, isSlow, type Outcome, type Pace, updatePace } from "../domain/pacing.ts";
import type { Delivery } from "./delivery.ts";
import type { Target } from "./endpoint-cache.ts";
import { createFairScheduler } from "./fair-scheduler.ts";

/** Requests in flight that a fast endpoint may have while any slot is free. */
const ALWAYS_ALLOWED = 8;

export interface EndpointQueue {
  readonly endpointId: string;
  readonly retries: Delivery[];
  readonly firsts: Delivery[];
  /** Resources with a first attempt in flight, each with the deliveries that wait for its end. */
  readonly ordered: Map<string, Delivery[]>;
  /** Determines which workers own the endpoint's slots. */
  readonly offset: number;
  /** All deliveries of the endpoint in memory, also those that wait for a retry. */
  buffered: number;
  inFlight: number;
  pace: Pace;
  /** Undefined until the first look-up, null if the endpoint does not exist. */
  target: Target | null | undefined;
  /** The endpoint may have changed since the look-up; nothing starts until the next queue. */
  isStale: boolean;
  /** Monotonic time of the last look-up. */
  targetAt: number;
  /** Version of the endpoint when the newest delivery was loaded. */
  version: string | undefined;
  /** Requests in flight that started while the endpoint was slow. */
  slowInFlight: number;
}

export interface EndpointQueues {
  of(endpointId: string): EndpointQueue;
  add(delivery: Delivery): void;
  /** Call it when a queue may have become ready: a slot is free, or its endpoint is known. */
  consider(queue: EndpointQueue): void;
  /** Starts all deliveries that may start. */
  pump(): void;
  /** Without an outcome, nothing was sent. */
  ended(queue: EndpointQueue, delivery: Delivery, outcome: Outcome | undefined): void;
  /** Most requests of this worker in flight at the endpoint. */
  countSlots(queue: EndpointQueue): number;
  hasFreeSlot(queue: EndpointQueue): boolean;
  /** Removes all waiting deliveries from the queue. */
  takeWaiting(queue: EndpointQueue): Delivery[];
  all(): Iterable<EndpointQueue>;
  forget(queue: EndpointQueue): void;
  clear(): void;
  inFlight(): number;
}

export function createEndpointQueues(options: {
  inFlightMax: number;
  /** Whether anything may start at all. */
  isOpen: () => boolean;
  /** The number of an endpoint's slots that this worker owns. */
  computeShare: (endpoint: { offset: number; slots: number }) => number;
  start: (queue: EndpointQueue, delivery: Delivery) => void;
}): EndpointQueues {
  const { inFlightMax, isOpen, computeShare, start } = options;
  let queues = new Map<string, EndpointQueue>();
  const scheduler = createFairScheduler<EndpointQueue>({
    isReady,
    isSlow: ({ pace }) => isSlow(pace),
    countInFlight: (queue) => queue.inFlight,
  });
  const inFlight = createCounter(inFlightMax);
  let pumping = false;

  function countSlots({ offset, target }: EndpointQueue): number {
    // Nothing is sent to a deleted endpoint, so each worker ends its own deliveries.
    if (target === null) return 1;
    return computeShare({ offset, slots: target?.concurrencyMax ?? 1 });
  }

  function hasFreeSlot(queue: EndpointQueue): boolean {
    return queue.inFlight < Math.min(queue.pace.limit, countSlots(queue));
  }

  function isReady(queue: EndpointQueue): boolean {
    const isKnown = queue.target !== undefined && !queue.isStale;
    return isKnown && queue.retries.length + queue.firsts.length > 0 && hasFreeSlot(queue);
  }

  function getQueue(endpointId: string): EndpointQueue {
    const known = queues.get(endpointId) ?? createQueue(endpointId);
    queues.set(endpointId, known);
    return known;
  }

  function startOne(queue: EndpointQueue) {
    const delivery = queue.retries.shift() ?? takeNextFirst(queue);
    if (delivery === undefined) return scheduler.consider(queue);
    inFlight.begin(queue);
    scheduler.consider(queue);
    start(queue, delivery);
  }

  function next() {
    return inFlight.hasRoom() && isOpen() ? scheduler.take(inFlight.hasRoomFor) : undefined;
  }

  function pump() {
    // A start that ends at once calls this again; the loop that started it continues by itself.
    if (pumping) return;
    pumping = true;
    for (let queue = next(); queue !== undefined; queue = next()) startOne(queue);
    pumping = false;
  }

  const ended: EndpointQueues["ended"] = (queue, delivery, outcome) => {
    if (delivery.attempts === 0) releaseNext(queue, delivery.resourceId);
    inFlight.end(queue);
    if (outcome !== undefined && queue.target) {
      queue.pace = updatePace(queue.pace, outcome, queue.target.concurrencyMax);
    }
    scheduler.consider(queue);
  };

  return {
    of: getQueue,
    add: (delivery) => {
      const queue = getQueue(delivery.endpointId);
      (delivery.attempts > 0 ? queue.retries : queue.firsts).push(delivery);
      scheduler.consider(queue);
    },
    consider: scheduler.consider,
    pump,
    ended,
    countSlots,
    hasFreeSlot,
    takeWaiting: (queue) => {
      const waiting = removeWaiting(queue);
      scheduler.consider(queue);
      return waiting;
    },
    all: () => queues.values(),
    forget: (queue) => queues.delete(queue.endpointId),
    clear: () => {
      // Requests in flight end on queues that are no longer listed.
      for (const queue of queues.values()) {
        queue.retries.length = queue.firsts.length = 0;
        queue.ordered.clear();
      }
      queues = new Map();
      scheduler.clear();
    },
    inFlight: inFlight.count,
  };
}

function createQueue(endpointId: string): EndpointQueue {
  return {
    endpointId,
    retries: [],
    firsts: [],
    ordered: new Map(),
    offset: computeOffset(endpointId),
    buffered: 0,
    inFlight: 0,
    pace: FIRST_PACE,
    target: undefined,
    isStale: false,
    targetAt: Number.NEGATIVE_INFINITY,
    version: undefined,
    slowInFlight: 0,
  };
}

/**
 * At most half of all requests in flight may be those of slow endpoints. More than one of each only up to a quarter, so
 * that many endpoints that hang leave every other slow or new endpoint a slot. More than eight of a fast endpoint only
 * while half of all slots are free, because all of them may begin to hang at once.
 */
function createCounter(inFlightMax: number) {
  let all = 0;
  let slow = 0;
  return {
    begin: (queue: EndpointQueue) => {
      all++;
      queue.inFlight++;
      if (!isSlow(queue.pace)) return;
      slow++;
      queue.slowInFlight++;
    },
    end: (queue: EndpointQueue) => {
      all--;
      queue.inFlight--;
      if (queue.slowInFlight === 0) return;
      slow--;
      queue.slowInFlight--;
    },
    hasRoom: () => all < inFlightMax,
    hasRoomFor: ({ pace, inFlight }: EndpointQueue) => {
      if (isSlow(pace)) return slow < inFlightMax / (inFlight === 0 ? 2 : 4);
      return inFlight < ALWAYS_ALLOWED || all < inFlightMax / 2;
    },
    count: () => all,
  };
}

/** Deliveries that are due and have not started. */
export function countWaiting({ retries, firsts, ordered }: EndpointQueue): number {
  let count = retries.length + firsts.length;
  for (const list of ordered.values()) count += list.length;
  return count;
}

/** Resources with a first attempt in flight stay, because later events of them wait. */
function removeWaiting({ retries, firsts, ordered }: EndpointQueue): Delivery[] {
  const waiting = [...retries, ...firsts, ...[...ordered.values()].flat()];
  retries.length = firsts.length = 0;
  for (const list of ordered.values()) list.length = 0;
  return waiting;
}

/** Takes the oldest first attempt whose resource has none in flight; others are put aside. */
function takeNextFirst({ firsts, ordered }: EndpointQueue): Delivery | undefined {
  for (let first = firsts.shift(); first !== undefined; first = firsts.shift()) {
    const followers = ordered.get(first.resourceId);
    if (followers === undefined) {
      ordered.set(first.resourceId, []);
      return first;
    }
    followers.push(first);
  }
  return undefined;
}

/** After a first attempt of the resource, the deliveries that waited for it return to the front of the queue. */
function releaseNext({ firsts, ordered }: EndpointQueue, resourceId: string): void {
  const [next, ...others] = ordered.get(resourceId) ?? [];
  ordered.delete(resourceId);
  if (next !== undefined) firsts.unshift(next, ...others);
}
