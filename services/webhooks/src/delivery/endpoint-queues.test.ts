import { createSecretKey } from "node:crypto";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { FIRST_PACE, type Outcome, type Pace } from "../domain/pacing.ts";
import type { Delivery } from "./delivery.ts";
import type { Target } from "./endpoint-cache.ts";
import { createEndpointQueues, type EndpointQueue } from "./endpoint-queues.ts";

function target(concurrencyMax = 8): Target {
  return {
    version: "1",
    url: "https://example.com/",
    scheme: "v1",
    concurrencyMax,
    key: createSecretKey(Buffer.from("k")),
    nextKey: undefined,
    disabled: false,
  };
}

const QUICK: Pace = { limit: 4, usualMs: 10, proven: true };

let count = 0;
function delivery(endpointId: string, attempts = 0, resourceId = `pay_${count}`): Delivery {
  return {
    id: String(++count),
    day: new Date(0),
    resourceId,
    endpointId,
    owner: 1,
    attempts,
    eventId: "evt",
    projectId: "proj_1",
    requestId: "",
    mode: 1,
    eventType: "t",
    sequence: 1,
    occurredAt: new Date(0),
    isRedelivery: false,
    body: Buffer.alloc(0),
    loadedAt: 0,
    dueAt: 0,
  };
}

const OK: Outcome = { statusCode: 200, error: undefined, durationMs: 10 };
const HUNG: Outcome = { statusCode: undefined, error: "timeout", durationMs: 10_000 };

function setUp({ inFlightMax = 100, open = true } = {}) {
  const started: { queue: EndpointQueue; delivery: Delivery }[] = [];
  const state = { open, slotsMax: 32 };
  const queues = createEndpointQueues({
    inFlightMax,
    isOpen: () => state.open,
    computeShare: ({ slots }) => Math.min(slots, state.slotsMax),
    start: (queue, one) => started.push({ queue, delivery: one }),
  });
  function add(endpointId: string, amount: number, attempts = 0) {
    const queue = queues.of(endpointId);
    queue.target ??= target();
    if (queue.pace === FIRST_PACE) queue.pace = QUICK;
    for (let i = 0; i < amount; i++) queues.add(delivery(endpointId, attempts));
    return queue;
  }

  /** The start with this number has ended. */
  function end(at: number, attempt = OK) {
    const one = started[at];
    if (one !== undefined) queues.ended(one.queue, one.delivery, attempt);
  }

  return { queues, started, state, add, end };
}

test("a queue starts no more deliveries than its pace allows", () => {
  const { queues, started, add, end } = setUp();
  const queue = add("a", 20);
  queues.pump();
  expect(started).toHaveLength(4);
  end(0);
  queues.pump();
  expect(started).toHaveLength(6);
  queue.target = target(2);
  for (let at = 1; at <= 5; at++) end(at);
  queues.pump();
  expect(queue.inFlight).toBe(2);
});

test("queues start deliveries in turn, however long one queue is", () => {
  const { queues, started, add } = setUp({ inFlightMax: 6 });
  for (const [endpointId, amount] of [
    ["long", 100],
    ["b", 2],
    ["c", 2],
  ] as const)
    add(endpointId, amount);
  queues.pump();
  expect(started.map(({ queue }) => queue.endpointId)).toEqual([
    "long",
    "b",
    "c",
    "long",
    "b",
    "c",
  ]);
});

test("a due retry precedes first attempts", () => {
  const { queues, started, add } = setUp({ inFlightMax: 1 });
  add("a", 3);
  add("a", 1, 2);
  queues.pump();
  expect(started[0]?.delivery.attempts).toBe(2);
});

test("nothing starts before the endpoint is looked up or while closed", () => {
  const { queues, started, state, add } = setUp({ open: false });
  const queue = add("a", 2);
  queues.pump();
  expect(started).toEqual([]);
  state.open = true;
  queue.target = undefined;
  queues.consider(queue);
  queues.pump();
  expect(started).toEqual([]);
  queue.target = target();
  queue.isStale = true;
  queues.consider(queue);
  queues.pump();
  expect(started).toEqual([]);
  queue.isStale = false;
  queue.target = null;
  queues.consider(queue);
  queues.pump();
  expect(started).toHaveLength(1);
});

test("endpoints without a success use at most half of all slots, one each", () => {
  const { queues, started } = setUp({ inFlightMax: 40 });
  for (let at = 0; at < 100; at++) {
    const queue = queues.of(`unproven-${at}`);
    queue.target = target();
    for (let i = 0; i < 5; i++) queues.add(delivery(queue.endpointId));
  }
  queues.pump();
  expect(started).toHaveLength(20);
  expect(new Set(started.map(({ queue }) => queue.endpointId)).size).toBe(20);
});

test("a hanging endpoint keeps four slots while slow endpoints use less than a quarter of all", () => {
  const { queues, started, add, end } = setUp({ inFlightMax: 80 });
  const hanging = Array.from({ length: 5 }, (_, at) => add(`hang-${at}`, 20));
  for (const queue of hanging) queue.pace = FIRST_PACE;
  for (const queue of hanging) queues.consider(queue);
  queues.pump();
  expect(hanging.map(({ inFlight }) => inFlight)).toEqual(Array(5).fill(4));
  // A quarter is in use: another slow endpoint gets one slot now, and its share of those that become free.
  const slow = add("slow", 20);
  slow.pace = { limit: 8, usualMs: 2_500, proven: true };
  queues.consider(slow);
  queues.pump();
  expect(slow.inFlight).toBe(1);
  for (let at = 0; at < 5; at++) end(at, HUNG);
  queues.pump();
  expect(started).toHaveLength(25);
  expect(slow.inFlight).toBe(3);
  expect(queues.inFlight()).toBe(20);
});

test("endpoints with a high maximum leave half of all slots to others", () => {
  const { queues, add, end, started } = setUp({ inFlightMax: 100 });
  const greedy = [add("greedy-1", 200), add("greedy-2", 200)];
  for (const queue of greedy) {
    queue.target = target(64);
    queue.pace = { limit: 64, usualMs: 1_900, proven: true };
    queues.consider(queue);
  }
  queues.pump();
  expect(greedy.map(({ inFlight }) => inFlight)).toEqual([25, 25]);
  const others = Array.from({ length: 10 }, (_, at) => add(`other-${at}`, 4));
  queues.pump();
  expect(others.map(({ inFlight }) => inFlight)).toEqual(Array(10).fill(4));
  const late = add("late", 20);
  late.pace = { ...QUICK, limit: 8 };
  queues.consider(late);
  queues.pump();
  expect(late.inFlight).toBe(8);
  // What ends goes to those with fewer requests in flight.
  end(0);
  queues.pump();
  expect(started.filter(({ queue }) => greedy.includes(queue))).toHaveLength(50);
});

test("new endpoints start beside hanging ones, up to half of all slots", () => {
  const { queues, add } = setUp({ inFlightMax: 80 });
  const all = Array.from({ length: 100 }, (_, at) => add(`new-${at}`, 0));
  for (const queue of all) queue.pace = FIRST_PACE;
  for (let n = 0; n < 20; n++)
    for (const queue of all.slice(0, 5)) queues.add(delivery(queue.endpointId));
  queues.pump();
  expect(queues.inFlight()).toBe(20);
  for (const queue of all.slice(5)) queues.add(delivery(queue.endpointId));
  queues.pump();
  expect(queues.inFlight()).toBe(40);
  expect(all.slice(5).filter(({ inFlight }) => inFlight === 1)).toHaveLength(20);
});

test("a first attempt waits for the previous first attempt of its resource only", () => {
  const { queues, started, add, end } = setUp();
  const queue = add("a", 0);
  for (const resource of ["x", "x", "y", "x"]) queues.add(delivery("a", 0, resource));
  function resources() {
    return started.map(({ delivery: { resourceId } }) => resourceId);
  }

  queues.pump();
  expect(resources()).toEqual(["x", "y"]);
  end(0, HUNG);
  queue.pace = QUICK;
  queues.pump();
  expect(resources()).toEqual(["x", "y", "x"]);
  end(2);
  queues.pump();
  expect(resources()).toEqual(["x", "y", "x", "x"]);
  const ids = started.filter(({ delivery: { resourceId } }) => resourceId === "x");
  expect(ids.map(({ delivery: { id } }) => Number(id))).toEqual(
    ids.map(({ delivery: { id } }) => Number(id)).sort((a, b) => a - b),
  );
});

test("a retry delays no first attempt of its resource", () => {
  const { queues, started, add } = setUp();
  add("a", 0);
  queues.add(delivery("a", 1, "x"));
  queues.add(delivery("a", 0, "x"));
  queues.pump();
  expect(started).toHaveLength(2);
});

test("an endpoint whose slots belong to other workers starts nothing and returns its deliveries", () => {
  const { queues, started, state, add } = setUp();
  state.slotsMax = 0;
  const queue = add("a", 3);
  queues.pump();
  expect(started).toEqual([]);
  expect(queues.takeWaiting(queue)).toHaveLength(3);
  state.slotsMax = 8;
  queues.consider(queue);
  queues.pump();
  expect(started).toEqual([]);
});

test("hanging endpoints together use at most half of all slots", () => {
  const { queues, started, add } = setUp({ inFlightMax: 40 });
  const hanging = Array.from({ length: 100 }, (_, at) => add(`hang-${at}`, 10));
  for (const queue of hanging) queue.pace = { limit: 4, usualMs: 10_000, proven: true };
  for (const queue of hanging) queues.consider(queue);
  queues.pump();
  expect(started).toHaveLength(20);
  add("healthy", 4);
  queues.pump();
  expect(started.slice(20).map(({ queue }) => queue.endpointId)).toEqual(Array(4).fill("healthy"));
});

test("a cleared queue starts nothing old and counts no end twice", () => {
  const { queues, started, add, end } = setUp();
  add("a", 10);
  queues.pump();
  const before = started.length;
  queues.clear();
  for (let at = 0; at < before; at++) end(at);
  queues.pump();
  expect(started).toHaveLength(before);
  expect(queues.inFlight()).toBe(0);
});

test("in any sequence all limits hold, nothing is lost and nothing starts twice", () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant("add" as const),
      queue: fc.nat(5),
      amount: fc.nat(20),
      retry: fc.nat(3),
    }),
    fc.record({ kind: fc.constant("end" as const), at: fc.nat(), hung: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const { queues, started, add } = setUp({ inFlightMax: 10 });
      const running: { queue: EndpointQueue; delivery: Delivery }[] = [];
      let added = 0;
      let seen = 0;
      function take() {
        queues.pump();
        running.push(...started.slice(seen));
        seen = started.length;
        expect(queues.inFlight()).toBe(running.length);
        expect(running.length).toBeLessThanOrEqual(10);
        for (const queue of queues.all()) expect(queue.inFlight).toBeLessThanOrEqual(8);
      }

      function end(at: number, hung: boolean) {
        const [one] = running.splice(at % running.length, 1);
        if (one !== undefined) queues.ended(one.queue, one.delivery, hung ? HUNG : OK);
      }

      for (const one of steps) {
        if (one.kind === "add") {
          add(`queue-${one.queue}`, one.amount, one.retry);
          added += one.amount;
        } else if (running.length > 0) {
          end(one.at, one.hung);
        }
        take();
      }
      while (running.length > 0) {
        end(0, false);
        take();
      }
      expect(started).toHaveLength(added);
      expect(new Set(started.map(({ delivery: { id } }) => id)).size).toBe(added);
    }),
  );
});
