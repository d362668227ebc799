import { z } from "zod";

/** Everything that is wrong with the environment, by variable name and never by value. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`configuration is not usable: ${faults.join("; ")}`);
    this.faults = faults;
  }
}

/**
 * Reads the variables the schema names. An empty variable counts as absent, as operators expect. Where NAME_FROM says
 * where NAME should come from, a fault of NAME repeats it.
 */
export const readConfig = <S extends z.ZodObject>(
  schema: S,
  env: Record<string, string | undefined>,
): z.infer<S> => {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => faultOf(issue, given) + originOf(issue, env)),
  );
};

const originOf = (issue: z.core.$ZodIssue, env: Record<string, string | undefined>): string => {
  const origin = env[`${String(issue.path[0])}_FROM`];
  return origin ? ` (look at ${origin})` : "";
};

// The text is ours: zod's own messages can quote the value, which may be a secret.
const faultOf = (issue: z.core.$ZodIssue, given: Record<string, unknown>): string => {
  const name = String(issue.path[0] ?? "environment");
  if (!(name in given)) return `${name} is required`;
  if (issue.code === "custom") return `${name} ${issue.message}`;
  if (issue.code === "invalid_value") return `${name} must be one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small") return `${name} must be at least ${issue.minimum}`;
  if (issue.code === "too_big") return `${name} must be at most ${issue.maximum}`;
  return `${name} is not valid`;
};

/** Building blocks, so that every variable of a kind is read alike. */
export const variable = {
  port: (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback),
  count: (fallback: number, max = 1_000_000) =>
    z.coerce.number().int().min(0).max(max).default(fallback),
  ms: (fallback: number) => z.coerce.number().int().min(0).max(86_400_000).default(fallback),
  flag: () =>
    z
      .enum(["0", "1"])
      .default("0")
      .transform((text) => text === "1"),
  list: () =>
    z
      .string()
      .default("")
      .transform((text) => text.split(",").flatMap((part) => part.trim() || [])),
};

/** What every process reads besides its own variables. */
export const processConfig = z.object({
  /** Least level that is logged. */
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  /** Port of /livez, /readyz and /metrics; 0 picks a free one. */
  SIDE_PORT: variable.port(9090),
  /** Time between "not ready" and closing the doors, so that balancers look away first. */
  DRAIN_DELAY_MS: variable.ms(5_000),
  /** Bound on the whole ordered stop. */
  STOP_TIMEOUT_MS: variable.ms(25_000),
});

export type ProcessConfig = z.infer<typeof processConfig>;
