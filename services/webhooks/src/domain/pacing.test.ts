import { expect, test } from "@jest/globals";
import { FIRST_PACE, isSlow, type Pace, updatePace } from "./pacing.ts";

function after(count: number, attempt: { statusCode?: number; durationMs: number }, from: Pace) {
  const { statusCode, durationMs } = attempt;
  let pace = from;
  for (let i = 0; i < count; i++) pace = updatePace(pace, { statusCode, durationMs }, 8);
  return pace;
}

test("fast responses raise the limit up to the endpoint's maximum", () => {
  expect(after(1, { statusCode: 200, durationMs: 50 }, FIRST_PACE).limit).toBe(2);
  expect(after(50, { statusCode: 200, durationMs: 50 }, FIRST_PACE).limit).toBe(8);
});

test.each([undefined, 429, 503])("overload (%p) halves the limit down to one", (statusCode) => {
  const strain = { ...(statusCode === undefined ? {} : { statusCode }), durationMs: 10_000 };
  expect(after(1, strain, { limit: 8, usualMs: 0, proven: true }).limit).toBe(4);
  expect(after(50, strain, FIRST_PACE).limit).toBe(1);
});

test("rejected requests are not overload and let an endpoint grow to four slots", () => {
  expect(after(10, { statusCode: 400, durationMs: 20 }, FIRST_PACE).limit).toBe(4);
});

test("an endpoint counts as slow until its first success", () => {
  expect(isSlow(FIRST_PACE)).toBe(true);
  expect(isSlow(after(3, { statusCode: 500, durationMs: 5 }, FIRST_PACE))).toBe(true);
  expect(isSlow(after(1, { statusCode: 200, durationMs: 5 }, FIRST_PACE))).toBe(false);
});

test("an endpoint becomes slow by its average duration and fast again when it recovers", () => {
  const slow = after(3, { statusCode: 200, durationMs: 9_000 }, FIRST_PACE);
  expect(isSlow(slow)).toBe(true);
  expect(isSlow(after(1, { statusCode: 200, durationMs: 3_000 }, FIRST_PACE))).toBe(false);
  expect(isSlow(after(10, { statusCode: 200, durationMs: 20 }, slow))).toBe(false);
});
