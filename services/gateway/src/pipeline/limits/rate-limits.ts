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

/** The variable with these limits. One fault names every part that is wrong. */
export const rateLimits = z
  .string()
  .default("{}")
  .transform((text, context): RateLimits => {
    const result = schema.safeParse(parseJson(text));
    if (result.success) return result.data;
    context.addIssue({ code: "custom", message: describe(result.error.issues) });
    return z.NEVER;
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describe(issues: readonly z.core.$ZodIssue[]): string {
  const parts = issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== "unrecognized_keys") return path.join(".") || [];
    return issue.keys.map((key) => `${[...path, key].join(".")} (unknown)`);
  });
  const wrong = parts.length === 0 ? "" : `; wrong: ${parts.join(", ")}`;
  return `must be JSON like {"live": {"perSecond": 100, "burst": 200}, "wrongKeysPerMinute": 300}${wrong}`;
}
