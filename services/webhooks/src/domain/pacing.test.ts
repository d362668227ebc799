import { expect, test } from "@jest/globals";
import { FIRST_PACE, isSlow, type Outcome, type Pace, updatePace } from "./pacing.ts";

function after(count: number, outcome: Partial<Outcome>, from: Pace = FIRST_PACE, max = 8) {
  let pace = from;
  for (let i = 0; i < count; i++) {
    pace = updatePace(
      pace,
      { statusCode: undefined, error: undefined, durationMs: 50, ...outcome },
      max,
    );
  }
  return pace;
}

const TIMEOUT = { error: "timeout", durationMs: 10_000 };

test.each([50, 2_500, 9_000])(
  "a success after %p ms raises the limit up to the endpoint's maximum",
  (durationMs) => {
    const success = { statusCode: 200, durationMs };
    expect(FIRST_PACE.limit).toBe(4);
    expect(after(1, success).limit).toBe(5);
    expect(after(100, success).limit).toBe(8);
    expect(after(100, success, FIRST_PACE, 64).limit).toBe(64);
  },
);

test.each<Partial<Outcome>>([TIMEOUT, { statusCode: 429 }, { statusCode: 503 }])(
  "overload (%p) halves the limit down to four slots",
  (overload) => {
    const grown = after(100, { statusCode: 200 }, FIRST_PACE, 64);
    expect(after(1, overload, grown, 64).limit).toBe(32);
    expect(after(50, overload, grown, 64).limit).toBe(4);
  },
);

test.each<Partial<Outcome>>([
  { statusCode: 400 },
  { statusCode: 500 },
  { error: "connection_refused" },
  {},
])("a failure that is no overload (%p) leaves the limit as it is", (failure) => {
  expect(after(10, failure).limit).toBe(4);
  expect(after(10, failure, after(100, { statusCode: 200 })).limit).toBe(8);
});

test("a maximum below four slots holds", () => {
  expect(after(1, TIMEOUT, FIRST_PACE, 2).limit).toBe(2);
  expect(after(9, { statusCode: 200 }, FIRST_PACE, 1).limit).toBe(1);
});

test("an endpoint counts as slow until its first success", () => {
  expect(isSlow(FIRST_PACE)).toBe(true);
  expect(isSlow(after(3, { statusCode: 500 }))).toBe(true);
  expect(isSlow(after(1, { statusCode: 200 }))).toBe(false);
});

test("an endpoint becomes slow by its average duration and fast again when it recovers", () => {
  const slow = after(3, { statusCode: 200, durationMs: 9_000 });
  expect(isSlow(slow)).toBe(true);
  expect(isSlow(after(1, { statusCode: 200, durationMs: 3_000 }))).toBe(false);
  expect(isSlow(after(10, { statusCode: 200, durationMs: 20 }, slow))).toBe(false);
});
