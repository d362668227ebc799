// The connection to Redis, over which one script is run. It is open or away. Whatever goes wrong, an error as well as
// an answer that is late, ends the connection, and others are tried until one proves to work; until
// then every request gets "away" at once. So a Redis that hangs delays the requests of one moment, and no others.
import { setTimeout as pause } from "node:timers/promises";
import type { Runtime } from "@pay/process";
import { createClient } from "@redis/client";
import { Counter } from "prom-client";

const CONNECT_TIMEOUT_MS = 1_000;
const OPEN_TIMEOUT_MS = 2_000;
const IN_FLIGHT_MAX = 1_000;
const SLICES = 5;
/** Pauses between connections grow, unless the last one held this long. */
const STEADY_MS = 10_000;
const PAUSE_FIRST_MS = 100;
const PAUSE_MAX_MS = 2_000;

const fallbacks = new Counter({
  name: "rate_limit_fallbacks_total",
  help: "Requests counted by this replica alone because Redis was away, late, or asked too much",
  labelNames: ["reason"],
});

export interface ScriptCall {
  keys: string[];
  arguments: string[];
}

export interface LinkOptions {
  url: string;
  /** Answers whole numbers. */
  script: string;
  /** A call without effect: a connection counts as open once it was answered in time. */
  trial: ScriptCall;
  /** Bound on one call. */
  timeoutMs: number;
  runtime: Pick<Runtime, "log" | "onStop">;
}

export interface RedisLink {
  /** The script's answer; undefined, at once or after a short wait, where there is none. */
  run(call: ScriptCall): Promise<number[] | undefined> | undefined;
}

/** Resolves after the first attempt to connect, whatever came of it. */
export async function keepRedisLink(options: LinkOptions): Promise<RedisLink> {
  const { log, onStop } = options.runtime;
  const stop = new AbortController();
  const tried = Promise.withResolvers<void>();
  let open: Connection | undefined;
  let isAway = false;
  let inFlight = 0;

  async function hold(): Promise<void> {
    try {
      open = await connect(options);
      if (isAway) log.info("rate limits are shared through Redis again");
      isAway = false;
      tried.resolve();
      throw await open.lost;
    } catch (error) {
      open = undefined;
      if (isAway || stop.signal.aborted) return;
      isAway = true;
      log.warn(
        { reason: getReason(error) },
        "Redis is away: this replica counts rate limits alone",
      );
    } finally {
      tried.resolve();
    }
  }

  async function keep(): Promise<void> {
    let pauseMs = 0;
    while (!stop.signal.aborted) {
      const fromMs = performance.now();
      await hold();
      const held = performance.now() - fromMs > STEADY_MS;
      pauseMs = held ? 0 : Math.min(Math.max(pauseMs * 2, PAUSE_FIRST_MS), PAUSE_MAX_MS);
      await pause(pauseMs, undefined, { signal: stop.signal, ref: false }).catch(() => {});
    }
  }

  const kept = keep();
  onStop("connection to Redis", () => {
    stop.abort();
    open?.end(new Error("stopped"));
    return kept;
  });
  await tried.promise;

  return {
    run: (call) => {
      const asked = open;
      if (asked === undefined || inFlight >= IN_FLIGHT_MAX) {
        fallbacks.inc({ reason: asked === undefined ? "away" : "busy" });
        return undefined;
      }
      inFlight++;
      return asked
        .run(call)
        .catch((error: unknown) => {
          if (open === asked) open = undefined;
          asked.end(error);
          fallbacks.inc({ reason: error instanceof Late ? "late" : "away" });
          return undefined;
        })
        .finally(() => inFlight--);
    },
  };
}

interface Connection {
  run(call: ScriptCall): Promise<number[]>;
  end(reason: unknown): void;
  /** Resolves with the reason when the connection can no longer be used. */
  readonly lost: Promise<unknown>;
}

async function connect(options: LinkOptions): Promise<Connection> {
  const { url, script, trial, timeoutMs } = options;
  const client = createClient({
    url,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false },
  });
  const { promise: lost, resolve } = Promise.withResolvers<unknown>();
  function end(reason: unknown): void {
    resolve(reason);
    client.destroy();
  }

  client.on("error", resolve);
  try {
    await inTime(client.connect(), OPEN_TIMEOUT_MS);
    const sha = await inTime(client.scriptLoad(script), OPEN_TIMEOUT_MS);
    function run(call: ScriptCall) {
      return inTime(client.evalSha(sha, call) as Promise<unknown> as Promise<number[]>, timeoutMs);
    }

    await run(trial);
    return { run, end, lost };
  } catch (error) {
    end(error);
    throw error;
  }
}

class Late extends Error {}

/** Counted in slices: a process that itself stood still for a while spends one of them, not the whole time. */
function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    let left = SLICES;
    let timer: NodeJS.Timeout | undefined;
    function wait(): void {
      if (left-- > 0) timer = setTimeout(wait, timeoutMs / SLICES);
      else reject(new Late(`no answer within ${timeoutMs} ms`));
    }

    wait();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Never the address: it may hold a password. */
function getReason(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === "string" ? code : (message ?? "unknown");
}
