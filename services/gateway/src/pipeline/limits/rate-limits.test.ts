import { expect, test } from "@jest/globals";
import { readConfig } from "@pay/process";
import { z } from "zod";
import { rateLimits } from "./rate-limits.ts";

const LIKE =
  'RATE_LIMITS must be JSON like {"live": {"perSecond": 100, "burst": 200}, "wrongKeysPerMinute": 300}';
const DEFAULTS = {
  live: { perSecond: 100, burst: 200 },
  test: { perSecond: 25, burst: 50 },
  member: { perSecond: 20, burst: 60 },
  routePerSecond: 25,
  addressPerSecond: 20,
  publicPerSecond: 500,
  wrongSecretsPerMinute: 10,
  ssoPerSecond: 5,
  wrongKeysPerMinute: 300,
};

function read(RATE_LIMITS?: string) {
  return readConfig(z.object({ RATE_LIMITS: rateLimits }), { RATE_LIMITS }).RATE_LIMITS;
}

test("every limit has a default", () => {
  expect(read()).toEqual(DEFAULTS);
});

test("a given part leaves the others at their defaults", () => {
  expect(read('{"live": {"burst": 7}, "ssoPerSecond": 0}')).toEqual({
    ...DEFAULTS,
    live: { perSecond: 100, burst: 7 },
    ssoPerSecond: 0,
  });
});

test.each([
  ['{"lives": 1, "test": {"rate": 2}}', "; wrong: test.rate (unknown), lives (unknown)"],
  [
    '{"live": {"perSecond": -1}, "publicPerSecond": "5"}',
    "; wrong: live.perSecond, publicPerSecond",
  ],
  ['{"ssoPerSecond": 0.5, "live": 3}', "; wrong: live, ssoPerSecond"],
  ["no JSON", ""],
  ["[]", ""],
])("%s is refused with one fault that names every wrong part", (text, wrong) => {
  expect(() => read(text)).toThrow(`configuration is not usable: ${LIKE}${wrong}`);
});
