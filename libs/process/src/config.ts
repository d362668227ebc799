import { isIP } from "node:net";
import { z } from "zod";
import { hostToBind } from "./hosts.ts";

/** Everything that is wrong with the environment, by variable name and never by value. */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`configuration is not usable: ${faults.join("; ")}`);
    this.faults = faults;
  }
}

/**
 * Reads the variables the schema names. An empty variable counts as absent, as operators expect. Where NAME_FROM names
 * the place where NAME should come from, a fault of NAME repeats it, and that it is missing is one.
 */
export function readConfig<S extends z.ZodObject>(
  schema: S,
  env: Record<string, string | undefined>,
): z.infer<S> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const result = schema.safeParse(given);
  const faults = (result.error?.issues ?? []).map((issue) => ({
    name: getName(issue),
    text: describeFault(issue, given),
  }));
  // The operator meant to set it, so its absence is a fault.
  const promised = Object.keys(schema.shape).filter(
    (name) => env[`${name}_FROM`] && !(name in given) && !faults.some((one) => one.name === name),
  );
  for (const name of promised) faults.push({ name, text: `${name} is required` });
  if (result.success && faults.length === 0) return result.data;
  throw new ConfigError(faults.map(({ name, text }) => text + describeOrigin(name, env)));
}

function getName(issue: z.core.$ZodIssue): string {
  return String(issue.path[0] ?? "environment");
}

function describeOrigin(name: string, env: Record<string, string | undefined>): string {
  const origin = env[`${name}_FROM`];
  return origin ? ` (look at ${origin})` : "";
}

// The text is ours: zod's own messages can quote the value, which may be a secret.
function describeFault(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  const name = getName(issue);
  if (!(name in given)) return `${name} is required`;
  if (issue.code === "custom") return `${name} ${issue.message}`;
  if (issue.code === "invalid_value") return `${name} must be one of ${issue.values.join(", ")}`;
  if (issue.code === "too_small") return `${name} must be at least ${issue.minimum}`;
  if (issue.code === "too_big") return `${name} must be at most ${issue.maximum}`;
  return `${name} is not valid`;
}

/** Schemas by kind of variable, so that every variable of a kind is read alike. */
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
  /** A text that a function reads; undefined is a fault, named by what the text must be. */
  parsed: <T>(parse: (text: string) => T | undefined, must: string) =>
    z.string().transform((text, context): T => {
      const value = parse(text);
      if (value !== undefined) return value;
      context.addIssue({ code: "custom", message: must });
      return z.NEVER;
    }),
  /** JSON. What must be there may be quoted in a fault, the value never: it may hold a key. */
  json: <T>(schema: z.ZodType<T>, empty: "{}" | "[]", must: string) =>
    z
      .string()
      .default(empty)
      .transform((text, context): T => {
        try {
          const result = schema.safeParse(JSON.parse(text));
          if (result.success) return result.data;
        } catch {
          // Reported below, like every other fault of the value.
        }
        context.addIssue({ code: "custom", message: must });
        return z.NEVER;
      }),
  /** A JSON object with optional parts. One fault names all wrong ones, without their values. */
  parts: <T>(schema: z.ZodType<T>, example: string) =>
    z.string().transform((text, context): T => {
      const result = schema.safeParse(parseJson(text));
      if (result.success) return result.data;
      const wrong = result.error.issues.flatMap(listParts).join(", ");
      const message = `must be JSON like ${example}${wrong && `; wrong: ${wrong}`}`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    }),
  host: () =>
    z
      .string()
      .refine((text) => isIP(hostToBind(text)) !== 0, "must be an IP address, e.g. 127.0.0.1 or ::")
      .default("127.0.0.1"),
  tokens: () =>
    z
      .string()
      .transform((text) => text.split(",").map((token) => token.trim()))
      .refine(
        (tokens) => tokens.every((token) => token.length >= 32),
        "must be a list of tokens of 32 characters or more",
      ),
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listParts(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `${[...path, key].join(".")} (unknown)`);
  }
  return path.length === 0 ? [] : [path.join(".")];
}

/** The variables that every process reads besides its own. */
export const processConfig = z.object({
  /** Version that `build_info` shows. */
  VERSION: z.string().max(128).default("development"),
  /** Least level that is logged. */
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  /** Port of /livez, /readyz and /metrics; 0 picks a free one. */
  ADMIN_PORT: variable.port(9090),
  /** Time between "not ready" and the end of listening, so that load balancers stop sending first. */
  DRAIN_DELAY_MS: variable.ms(5_000),
  /** Bound on the whole ordered stop. */
  STOP_TIMEOUT_MS: variable.ms(25_000),
  /** Interface of the gRPC and the admin port: an address of the machine, or :: for all of them. */
  INTERNAL_HOST: variable.host(),
  /** Folder with tls.crt, tls.key and ca.crt: calls between services then need a certificate on both sides. */
  RPC_TLS_DIR: z.string().optional(),
});

export type ProcessConfig = z.infer<typeof processConfig>;
