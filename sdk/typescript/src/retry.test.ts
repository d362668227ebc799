import { expect, test } from "@jest/globals";
import { PayError } from "./errors.ts";
import { canRetry, pauseMs } from "./retry.ts";

function refusal(status: number, code = `http_${status}`) {
  return new PayError("refused", { status, code });
}

test.each([
  [refusal(0, "no_answer"), true],
  [refusal(0, "timeout"), true],
  [refusal(408), true],
  [refusal(500), true],
  [refusal(502), true],
  [refusal(503), true],
  [refusal(504), true],
  [refusal(409, "idempotency_in_progress"), true],
  [refusal(409, "payment_expired"), false],
  [refusal(400, "field_invalid"), false],
  [refusal(401, "api_key_invalid"), false],
  [refusal(404, "payment_not_found"), false],
  [refusal(501), false],
])("a repeatable request that got %o is sent again: %s", (error, isSentAgain) => {
  expect(canRetry(error, true)).toBe(isSentAgain);
});

test("a request that is not repeatable is retried only after a rate limit", () => {
  expect(canRetry(refusal(429), false)).toBe(true);
  for (const status of [0, 408, 500, 502, 503, 504]) {
    expect(canRetry(refusal(status), false)).toBe(false);
  }
});

test("pauses grow up to a bound and are random", () => {
  const longest = [1, 2, 3, 4, 5, 9].map((tries) => pauseMs(tries, null, () => 1));
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  const shortest = [1, 2, 9].map((tries) => pauseMs(tries, null, () => 0));
  expect(shortest).toEqual([500, 500, 500]);
});

test("a valid Retry-After header sets the pause", () => {
  expect(pauseMs(1, "3")).toBe(3_000);
  expect(pauseMs(1, "0")).toBe(0);
  expect(pauseMs(1, "Wed, 21 Oct 2026 07:28:00 GMT", () => 1)).toBe(1_000);
});
