// One queue per endpoint: its deliveries in order, and how many of them may be under way. Queues with something to
// start take turns, one start each, so a long queue delays no other. Inside a queue a retry that is due goes before
// first attempts, or the schedule would stretch with the queue. The first attempt of a resource's next event waits for
// the end of the first attempt of the one before it, so that a receiver gets the events of a resource in their order; it
// never waits for a retry.
import { FIRST_PACE, isSlow, type Pace, paceAfter } from "../domain/pacing.ts";
import type { Delivery } from "./delivery.ts";
import type { Target } from "./endpoint-cache.ts";
import { createFairTurns } from "./fair-turns.ts";
import { computePlace } from "./slots.ts";

export interface EndpointQueue {
  readonly endpointId: string;
  readonly retries: Delivery[];
  readonly firsts: Delivery[];
  /** The resources with a first attempt under way, each with the deliveries that wait for its end. */
  readonly ordered: Map<string, Delivery[]>;
  /** Where the endpoint's slots begin among the workers. */
  readonly place: number;
  /** All of the endpoint's deliveries in memory, wherever they are. */
  held: number;
  inFlight: number;
  pace: Pace;
  /** The endpoint: undefined while it is not looked up, null where it no longer exists. */
  target: Target | null | undefined;
  /** Whether the endpoint may have changed since it was looked up. Nothing starts until it is looked up again. */
  inDoubt: boolean;
  /** Monotonic time of the look-up. */
  targetAt: number;
  /** Version of the endpoint when the newest delivery was taken in. */
  version: string | undefined;
  /** Number of requests under way that were started while the endpoint was slow. */
  slowInFlight: number;
}

export interface EndpointQueues {
  of(endpointId: string): EndpointQueue;
  add(delivery: Delivery): void;
  /** To be called when a queue may have become ready: a slot is free, or its target is known. */
  consider(queue: EndpointQueue): void;
  /** Starts what may start, queue by queue. */
  pump(): void;
  ended(
    queue: EndpointQueue,
    delivery: Delivery,
    attempt: { statusCode: number | undefined; durationMs: number },
  ): void;
  /** How many requests this worker may have under way at the endpoint at most. */
  slots(queue: EndpointQueue): number;
  /** Whether one more request may be under way at the endpoint. */
  hasFreeSlot(queue: EndpointQueue): boolean;
  /** Removes what waits in the queue, which starts none of it any more. */
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
  /** The part of an endpoint's slots that belongs to this worker. */
  countSlots: (endpoint: { place: number; slots: number }) => number;
  start: (queue: EndpointQueue, delivery: Delivery) => void;
}): EndpointQueues {
  const { inFlightMax, isOpen, countSlots, start } = options;
  let queues = new Map<string, EndpointQueue>();
  const turns = createFairTurns<EndpointQueue>({ isReady, isSlow: ({ pace }) => isSlow(pace) });
  const underWay = createCounter(inFlightMax);
  let pumping = false;

  function slots({ place, target }: EndpointQueue): number {
    // Nothing is sent to an endpoint that is gone, so each worker ends by itself what it has of it.
    if (target === null) return 1;
    return countSlots({ place, slots: target?.concurrencyMax ?? 1 });
  }

  function hasFreeSlot(one: EndpointQueue): boolean {
    return one.inFlight < Math.min(one.pace.limit, slots(one));
  }

  function isReady(one: EndpointQueue): boolean {
    const isKnown = one.target !== undefined && !one.inDoubt;
    return isKnown && one.retries.length + one.firsts.length > 0 && hasFreeSlot(one);
  }

  function getQueue(endpointId: string): EndpointQueue {
    const known = queues.get(endpointId) ?? newQueue(endpointId);
    queues.set(endpointId, known);
    return known;
  }

  function startOne(one: EndpointQueue) {
    const delivery = one.retries.shift() ?? nextFirst(one);
    if (delivery === undefined) return turns.consider(one);
    underWay.begin(one);
    turns.consider(one);
    start(one, delivery);
  }

  function next() {
    return underWay.hasRoom() && isOpen() ? turns.take(underWay.hasRoomForSlow()) : undefined;
  }

  function pump() {
    // A start that ends at once comes back here; the loop that made it goes on by itself.
    if (pumping) return;
    pumping = true;
    for (let one = next(); one !== undefined; one = next()) startOne(one);
    pumping = false;
  }

  const ended: EndpointQueues["ended"] = (one, delivery, attempt) => {
    if (delivery.attempts === 0) releaseNext(one, delivery.resourceId);
    underWay.end(one);
    one.pace = paceAfter(one.pace, attempt, one.target?.concurrencyMax ?? 1);
    turns.consider(one);
  };

  return {
    of: getQueue,
    add: (delivery) => {
      const one = getQueue(delivery.endpointId);
      (delivery.attempts > 0 ? one.retries : one.firsts).push(delivery);
      turns.consider(one);
    },
    consider: turns.consider,
    pump,
    ended,
    slots,
    hasFreeSlot,
    takeWaiting: (one) => {
      const waiting = removeWaiting(one);
      turns.consider(one);
      return waiting;
    },
    all: () => queues.values(),
    forget: (one) => queues.delete(one.endpointId),
    clear: () => {
      // Requests under way end on queues that are no longer listed.
      for (const one of queues.values()) {
        one.retries.length = one.firsts.length = 0;
        one.ordered.clear();
      }
      queues = new Map();
      turns.clear();
    },
    inFlight: underWay.count,
  };
}

function newQueue(endpointId: string): EndpointQueue {
  return {
    endpointId,
    retries: [],
    firsts: [],
    ordered: new Map(),
    place: computePlace(endpointId),
    held: 0,
    inFlight: 0,
    pace: FIRST_PACE,
    target: undefined,
    inDoubt: false,
    targetAt: Number.NEGATIVE_INFINITY,
    version: undefined,
    slowInFlight: 0,
  };
}

/** Of all requests under way, those of slow endpoints may be half. */
function createCounter(inFlightMax: number) {
  let all = 0;
  let slow = 0;
  return {
    begin: (one: EndpointQueue) => {
      all++;
      one.inFlight++;
      if (!isSlow(one.pace)) return;
      slow++;
      one.slowInFlight++;
    },
    end: (one: EndpointQueue) => {
      all--;
      one.inFlight--;
      if (one.slowInFlight === 0) return;
      slow--;
      one.slowInFlight--;
    },
    hasRoom: () => all < inFlightMax,
    hasRoomForSlow: () => slow < inFlightMax / 2,
    count: () => all,
  };
}

/** Resources with a first attempt under way stay listed, for the order of what comes next. */
function removeWaiting({ retries, firsts, ordered }: EndpointQueue): Delivery[] {
  const waiting = [...retries, ...firsts, ...[...ordered.values()].flat()];
  retries.length = firsts.length = 0;
  for (const list of ordered.values()) list.length = 0;
  return waiting;
}

/** The oldest first attempt whose resource has none under way; those that have to wait are put aside on the way. */
function nextFirst({ firsts, ordered }: EndpointQueue): Delivery | undefined {
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

/** A first attempt of the resource has ended: the oldest of those that waited for it is the next of the queue. */
function releaseNext({ firsts, ordered }: EndpointQueue, resourceId: string): void {
  const [next, ...others] = ordered.get(resourceId) ?? [];
  ordered.delete(resourceId);
  // All of them, in their order: the first one starts, and the others are put aside again behind it.
  if (next !== undefined) firsts.unshift(next, ...others);
}
