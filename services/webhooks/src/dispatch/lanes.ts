// One lane per endpoint: what waits for it, in order, and how much may be under way. Lanes with something to start
// take turns, one start each, so a long queue delays nobody but itself. Inside a lane a retry that is due goes before
// first attempts, or the schedule would stretch with the queue.
import { FIRST_PACE, isSlow, type Pace, paceAfter } from "../domain/pacing.ts";
import type { Delivery } from "./delivery.ts";
import type { Target } from "./directory.ts";

export interface Lane {
  readonly endpointId: string;
  readonly retries: Delivery[];
  readonly firsts: Delivery[];
  /** All of the endpoint's deliveries in memory, wherever they are. */
  held: number;
  inFlight: number;
  pace: Pace;
  /** What is known of the endpoint: undefined for not looked up, null for gone. */
  target: Target | null | undefined;
  /** Monotonic time of the look-up. */
  targetAt: number;
  /** Of those under way, how many were started as a slow endpoint's. */
  slowInFlight: number;
}

export interface Lanes {
  lane(endpointId: string): Lane;
  queue(delivery: Delivery): void;
  /** To be called when a lane may have become ready: a slot is free, or its target is known. */
  consider(lane: Lane): void;
  /** Starts what may start, lane by lane. */
  pump(): void;
  ended(lane: Lane, attempt: { statusCode: number | undefined; durationMs: number }): void;
  all(): Iterable<Lane>;
  forget(lane: Lane): void;
  clear(): void;
  inFlight(): number;
}

export const createLanes = (options: {
  inFlightMax: number;
  /** Whether anything may start at all. */
  isOpen: () => boolean;
  start: (lane: Lane, delivery: Delivery) => void;
}): Lanes => {
  const { inFlightMax, isOpen, start } = options;
  let lanes = new Map<string, Lane>();
  const turns = createTurns();
  let inFlight = 0;
  let slowInFlight = 0;
  let pumping = false;

  const lane = (endpointId: string): Lane => {
    const known = lanes.get(endpointId) ?? newLane(endpointId);
    lanes.set(endpointId, known);
    return known;
  };

  const startOne = (one: Lane) => {
    const delivery = one.retries.shift() ?? one.firsts.shift();
    if (delivery === undefined) return;
    inFlight++;
    one.inFlight++;
    if (isSlow(one.pace)) {
      slowInFlight++;
      one.slowInFlight++;
    }
    turns.consider(one);
    start(one, delivery);
  };

  const next = () =>
    inFlight < inFlightMax && isOpen() ? turns.take(slowInFlight < inFlightMax / 2) : undefined;
  const pump = () => {
    // A start that ends at once comes back here; the loop that made it goes on by itself.
    if (pumping) return;
    pumping = true;
    for (let one = next(); one !== undefined; one = next()) startOne(one);
    pumping = false;
  };

  const ended: Lanes["ended"] = (one, attempt) => {
    inFlight--;
    one.inFlight--;
    if (one.slowInFlight > 0) {
      slowInFlight--;
      one.slowInFlight--;
    }
    one.pace = paceAfter(one.pace, attempt, one.target?.concurrencyMax ?? 1);
    turns.consider(one);
  };

  return {
    lane,
    queue: (delivery) => {
      const one = lane(delivery.endpointId);
      (delivery.attempts > 0 ? one.retries : one.firsts).push(delivery);
      turns.consider(one);
    },
    consider: turns.consider,
    pump,
    ended,
    all: () => lanes.values(),
    forget: (one) => lanes.delete(one.endpointId),
    clear: () => {
      // Requests under way end on lanes that nobody sees any more.
      for (const one of lanes.values()) one.retries.length = one.firsts.length = 0;
      lanes = new Map();
      turns.clear();
    },
    inFlight: () => inFlight,
  };
};

const newLane = (endpointId: string): Lane => ({
  endpointId,
  retries: [],
  firsts: [],
  held: 0,
  inFlight: 0,
  pace: FIRST_PACE,
  target: undefined,
  targetAt: Number.NEGATIVE_INFINITY,
  slowInFlight: 0,
});

/** Whose turn it is: lanes that could start something, in the order they became able to. */
const createTurns = () => {
  const quick = new Set<Lane>();
  const slow = new Set<Lane>();
  let quicksTurn = false;
  return {
    consider: (one: Lane) => {
      const [mine, other] = isSlow(one.pace) ? [slow, quick] : [quick, slow];
      other.delete(one);
      if (isReady(one)) mine.add(one);
      else mine.delete(one);
    },
    // Quick and slow in turns, so that neither starves; with a bound on the slow, or hanging endpoints could come to
    // hold every slot.
    take: (mayBeSlow: boolean): Lane | undefined => {
      const [quickOne] = quick;
      const [slowOne] = mayBeSlow ? slow : [];
      quicksTurn = !quicksTurn;
      const one = quicksTurn ? (quickOne ?? slowOne) : (slowOne ?? quickOne);
      if (one === undefined) return undefined;
      quick.delete(one);
      slow.delete(one);
      return one;
    },
    clear: () => {
      quick.clear();
      slow.clear();
    },
  };
};

const isReady = (one: Lane): boolean =>
  one.target !== undefined &&
  one.inFlight < Math.min(one.pace.limit, one.target?.concurrencyMax ?? 1) &&
  one.retries.length + one.firsts.length > 0;
