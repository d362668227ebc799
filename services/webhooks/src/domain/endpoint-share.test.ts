import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { computeOffset, computeShare } from "./endpoint-share.ts";

test("all workers together own exactly the slots of an endpoint, in equal shares", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: 1, max: 32 }),
      fc.integer({ min: 1, max: 12 }),
      (id, slots, count) => {
        const workers = Array.from({ length: count }, (_, at) => at * 3 + 1);
        const shares = workers.map((worker) =>
          computeShare({ offset: computeOffset(id), slots }, { workers, worker }),
        );
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(slots);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      },
    ),
  );
});

test("endpoints with one slot are spread over the workers", () => {
  const workers = [1, 2, 3];
  const owners = Array.from({ length: 300 }, (_, at) => {
    const offset = computeOffset(`we_${at}`);
    return workers.findIndex(
      (worker) => computeShare({ offset, slots: 1 }, { workers, worker }) === 1,
    );
  });
  for (const at of [0, 1, 2])
    expect(owners.filter((owner) => owner === at).length).toBeGreaterThan(50);
});

test("an unregistered worker has all slots, because it does not send", () => {
  expect(computeShare({ offset: 7, slots: 8 }, { workers: [1, 2], worker: undefined })).toBe(8);
});
