import { variable } from "@pay/process";
import { z } from "zod";

function count(fallback: number) {
  return z.int().min(0).max(1_000_000).default(fallback);
}

function project(perSecond: number, burst: number) {
  return z.strictObject({ perSecond: count(perSecond), burst: count(burst) }).prefault({});
}

/** 0 means no limit. */
const schema = z.strictObject({
  /** Requests a project may make with live keys, and how many of them at once. */
  live: project(100, 200),
  /** The same with test keys. */
  test: project(25, 50),
  /** Requests of one member from the dashboard, to all projects. */
  member: project(20, 60),
  /** Requests of one project to one route. */
  routePerSecond: count(25),
  /** Requests with publishable keys from one address. */
  addressPerSecond: count(20),
  /** Requests with publishable keys of one project, from all addresses together. */
  publicPerSecond: count(500),
  /** Wrong client secrets for one payment from one address. */
  wrongSecretsPerMinute: count(10),
  /** Single sign-on exchanges of one project. */
  ssoPerSecond: count(5),
  /** Wrong keys and sessions from one address, whatever project they are for. */
  wrongKeysPerMinute: count(300),
});

export type RateLimits = z.infer<typeof schema>;

/** The variable with these limits. */
export const rateLimits = variable
  .parts(schema, '{"live": {"perSecond": 100, "burst": 200}, "wrongKeysPerMinute": 300}')
  .prefault("{}");
