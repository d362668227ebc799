import { expect, test } from "@jest/globals";
import { ATTEMPTS_MAX, planNextAttempt } from "./schedule.ts";

test("a success at any attempt ends a delivery", () => {
  for (let number = 1; number <= ATTEMPTS_MAX; number++) {
    for (const statusCode of [200, 201, 204, 299]) {
      expect(planNextAttempt(number, statusCode)).toEqual({ state: "delivered", delayMs: 0 });
    }
  }
});

test("any other outcome is retried after 1, 5 and 30 seconds, without a fifth attempt", () => {
  for (const outcome of [undefined, 199, 300, 301, 308, 400, 404, 408, 410, 429, 500, 503]) {
    const walk = [1, 2, 3, 4].map((number) => planNextAttempt(number, outcome));
    expect(walk).toEqual([
      { state: "pending", delayMs: 1_000 },
      { state: "pending", delayMs: 5_000 },
      { state: "pending", delayMs: 30_000 },
      { state: "failed", delayMs: 0 },
    ]);
  }
});
