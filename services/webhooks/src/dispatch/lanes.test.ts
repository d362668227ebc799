import { createSecretKey } from "node:crypto";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Delivery } from "./delivery.ts";
import type { Target } from "./directory.ts";
import { createLanes, type Lane } from "./lanes.ts";

const target = (concurrencyMax = 8): Target => ({
  url: "https://example.com/",
  scheme: "v1",
  concurrencyMax,
  key: createSecretKey(Buffer.from("k")),
});

let count = 0;
const delivery = (endpointId: string, attempts = 0): Delivery => ({
  ...{ id: String(++count), endpointId, owner: 1, attempts, eventId: "evt", eventType: "t" },
  ...{ sequence: 1, body: Buffer.alloc(0), dueAt: 0 },
});

const setUp = ({ inFlightMax = 100, open = true } = {}) => {
  const started: { lane: Lane; delivery: Delivery }[] = [];
  const state = { open };
  const lanes = createLanes({
    inFlightMax,
    isOpen: () => state.open,
    start: (lane, one) => started.push({ lane, delivery: one }),
  });
  const add = (endpointId: string, amount: number, attempts = 0) => {
    const lane = lanes.lane(endpointId);
    lane.target ??= target();
    for (let i = 0; i < amount; i++) lanes.queue(delivery(endpointId, attempts));
    return lane;
  };
  return { lanes, started, state, add };
};

const OK = { statusCode: 200, durationMs: 10 };
const HUNG = { statusCode: undefined, durationMs: 10_000 };

test("a lane starts no more than its pace allows, the rest waits for an end", () => {
  const { lanes, started, add } = setUp();
  const lane = add("a", 20);
  lanes.pump();
  expect(started).toHaveLength(4);
  lanes.ended(lane, OK);
  lanes.pump();
  expect(started).toHaveLength(6);
  lane.target = target(2);
  for (let i = 0; i < 5; i++) lanes.ended(lane, OK);
  lanes.pump();
  expect(lane.inFlight).toBe(2);
});

test("lanes take turns, however long one queue is", () => {
  const { lanes, started, add } = setUp({ inFlightMax: 6 });
  for (const [endpointId, amount] of [
    ["long", 100],
    ["b", 2],
    ["c", 2],
  ] as const)
    add(endpointId, amount);
  lanes.pump();
  expect(started.map(({ lane }) => lane.endpointId)).toEqual(["long", "b", "c", "long", "b", "c"]);
});

test("a due retry goes before first attempts", () => {
  const { lanes, started, add } = setUp({ inFlightMax: 1 });
  add("a", 3);
  add("a", 1, 2);
  lanes.pump();
  expect(started[0]?.delivery.attempts).toBe(2);
});

test("nothing starts for an endpoint that is not looked up yet, nor while closed", () => {
  const { lanes, started, state, add } = setUp({ open: false });
  const lane = add("a", 2);
  lanes.pump();
  expect(started).toEqual([]);
  state.open = true;
  lane.target = undefined;
  lanes.consider(lane);
  lanes.pump();
  expect(started).toEqual([]);
  lane.target = null;
  lanes.consider(lane);
  lanes.pump();
  expect(started).toHaveLength(1);
});

test("endpoints that hang together hold at most half of all slots", () => {
  const { lanes, started, add } = setUp({ inFlightMax: 40 });
  const hanging = Array.from({ length: 100 }, (_, at) => add(`hang-${at}`, 10));
  for (const lane of hanging) lane.pace = { limit: 4, usualMs: 10_000 };
  for (const lane of hanging) lanes.consider(lane);
  lanes.pump();
  expect(started).toHaveLength(20);
  add("healthy", 4);
  lanes.pump();
  expect(started.slice(20).map(({ lane }) => lane.endpointId)).toEqual(Array(4).fill("healthy"));
});

test("after it was cleared nothing old starts, and what ends is not counted twice", () => {
  const { lanes, started, add } = setUp();
  const lane = add("a", 10);
  lanes.pump();
  const before = started.length;
  lanes.clear();
  for (let i = 0; i < before; i++) lanes.ended(lane, OK);
  lanes.pump();
  expect(started).toHaveLength(before);
  expect(lanes.inFlight()).toBe(0);
});

test("whatever happens, no bound is broken, nothing is lost and nothing starts twice", () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant("add" as const),
      lane: fc.nat(5),
      amount: fc.nat(20),
      retry: fc.nat(3),
    }),
    fc.record({ kind: fc.constant("end" as const), at: fc.nat(), hung: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const { lanes, started, add } = setUp({ inFlightMax: 10 });
      const running: { lane: Lane }[] = [];
      let added = 0;
      let seen = 0;
      const take = () => {
        lanes.pump();
        running.push(...started.slice(seen));
        seen = started.length;
        expect(lanes.inFlight()).toBe(running.length);
        expect(running.length).toBeLessThanOrEqual(10);
        for (const lane of lanes.all()) expect(lane.inFlight).toBeLessThanOrEqual(8);
      };
      const end = (at: number, hung: boolean) => {
        const [one] = running.splice(at % running.length, 1);
        if (one !== undefined) lanes.ended(one.lane, hung ? HUNG : OK);
      };
      for (const one of steps) {
        if (one.kind === "add") {
          add(`lane-${one.lane}`, one.amount, one.retry);
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
