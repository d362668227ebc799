import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createLowWaterMark } from "./low-water-mark.ts";

const MINUTE_MS = 60_000;

function look(lastId: number, oldest: number, next: number, lowest?: number) {
  return {
    lastId: BigInt(lastId),
    oldestTransaction: BigInt(oldest),
    nextTransaction: BigInt(next),
    lowestId: lowest === undefined ? undefined : BigInt(lowest),
  };
}

test("the floor rises to the ids that were handed out before all open transactions began", () => {
  const floor = createLowWaterMark(() => 0);
  floor.learn(look(100, 9, 9));
  floor.learn(look(120, 9, 15));
  floor.learn(look(150, 14, 16));
  expect(floor.next()).toBe(0n);
  floor.learn(look(180, 15, 20));
  expect(floor.next()).toBe(100n);
});

test("the floor stays below the lowest row", () => {
  const floor = createLowWaterMark(() => 0);
  floor.learn(look(100, 9, 9, 40));
  floor.learn(look(100, 9, 9, 40));
  floor.learn(look(150, 9, 9, 40));
  expect(floor.next()).toBe(39n);
});

test("a full look follows every ten minutes, and one that takes too long leaves the floor as it was", () => {
  let now = 0;
  const floor = createLowWaterMark(() => now);
  for (let rounds = 0; rounds < 3; rounds++) floor.learn(look(100, 9, 9));
  expect(floor.next()).toBe(100n);
  now = 10 * MINUTE_MS;
  expect(floor.next()).toBe(0n);
  floor.tookTooLong();
  expect(floor.next()).toBe(100n);
  now = 20 * MINUTE_MS;
  floor.learn(look(100, 9, 9, 3));
  expect(floor.next()).toBe(2n);
});

test("after a fault of the connection the next look is a full one", () => {
  const floor = createLowWaterMark(() => 0);
  for (let rounds = 0; rounds < 3; rounds++) floor.learn(look(100, 9, 9));
  floor.forget();
  expect(floor.next()).toBe(0n);
});

/** A table whose rows commit in any order, and a relay that publishes what it sees above the floor. */
test("no row is ever skipped, in whatever order transactions commit", () => {
  const steps = fc.array(fc.constantFrom("begin", "commit", "abort", "relay"), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.infiniteStream(fc.nat()), (run, choices) => {
      const floor = createLowWaterMark(() => 0);
      const open: { transaction: number; id: number }[] = [];
      const rows = new Set<number>();
      let [lastId, nextTransaction] = [0, 1];
      function relay() {
        const oldest = Math.min(nextTransaction, ...open.map(({ transaction }) => transaction));
        const seen = [...rows].filter((id) => BigInt(id) > floor.next()).sort((a, b) => a - b);
        floor.learn(look(lastId, oldest, nextTransaction, seen[0]));
        for (const id of seen.slice(0, 2)) rows.delete(id);
      }

      for (const step of run) {
        if (step === "begin") open.push({ transaction: nextTransaction++, id: ++lastId });
        else if (step === "relay") relay();
        else if (open.length > 0) {
          const at = (choices.next().value ?? 0) % open.length;
          const [ended] = open.splice(at, 1);
          if (step === "commit" && ended !== undefined) rows.add(ended.id);
        }
      }
      for (const { id } of open.splice(0)) rows.add(id);
      for (let rounds = 0; rounds < 200 && rows.size > 0; rounds++) relay();
      expect([...rows]).toEqual([]);
    }),
  );
});
