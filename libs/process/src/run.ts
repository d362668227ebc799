// One way to start and stop for every process. What is started registers how to undo it; a stop first answers
// "not ready" and waits, so that nobody sends new work, then undoes in reverse order within one bound of time.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics } from "prom-client";
import type { z } from "zod";
import { type Clock, systemClock } from "./clock.ts";
import { ConfigError, type ProcessConfig, processConfig, readConfig } from "./config.ts";
import { createLog, type Log } from "./log.ts";
import { type Readiness, readinessOf } from "./readiness.ts";
import { startSidePort } from "./side-port.ts";

export interface Runtime {
  readonly service: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Aborted when the stop begins. */
  readonly stopping: AbortSignal;
  /** How to undo what was just started; undone in reverse order. */
  onStop(name: string, stop: () => Promise<void> | void): void;
  /** One line of /readyz; throwing means not ready. */
  readyWhen(name: string, check: () => Promise<void> | void): void;
  /** All of /readyz: what a probe by another protocol answers. */
  readiness(): Promise<Readiness>;
  /** For what cannot be repaired from inside: stops in order and exits with 1, so that the platform starts anew. */
  fatal(error: Error): void;
}

export interface Life extends Runtime {
  /** Resolves when all is undone; true when everything ended well and in time. */
  stop(): Promise<boolean>;
}

export const createLife = (options: {
  service: string;
  log: Log;
  clock?: Clock;
  drainDelayMs?: number;
  stopTimeoutMs?: number;
  onFatal?: () => void;
}): Life => {
  const { service, log, clock = systemClock, drainDelayMs = 0, stopTimeoutMs = 25_000 } = options;
  const undo: { name: string; stop: () => Promise<void> | void }[] = [];
  const checks = new Map<string, () => Promise<void> | void>();
  const stopping = new AbortController();
  let stopped: Promise<boolean> | undefined;

  const undoAll = async (): Promise<boolean> => {
    let clean = true;
    for (const { name, stop } of undo.reverse()) {
      try {
        await stop();
      } catch (error) {
        clean = false;
        log.error({ err: error, part: name }, "a part did not stop cleanly");
      }
    }
    return clean;
  };

  const stop = (): Promise<boolean> => {
    stopped ??= (async () => {
      stopping.abort();
      if (drainDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, drainDelayMs));
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<boolean>((resolve) => {
        timer = setTimeout(resolve, stopTimeoutMs, false);
      });
      const clean = await Promise.race([undoAll(), late]);
      clearTimeout(timer);
      return clean;
    })();
    return stopped;
  };

  return {
    service,
    log,
    clock,
    stopping: stopping.signal,
    readiness: () => readinessOf(checks, stopping.signal),
    stop,
    onStop: (name, undoOne) => undo.push({ name, stop: undoOne }),
    readyWhen: (name, check) => checks.set(name, check),
    fatal: (error) => {
      log.fatal({ err: error }, "the process cannot go on");
      options.onFatal?.();
    },
  };
};

/** The whole of a main.ts: configuration, side port, signals, exit code. */
export const runService = async <S extends z.ZodObject>(
  service: string,
  schema: S,
  start: (config: z.infer<S> & ProcessConfig, runtime: Runtime) => Promise<void>,
  env: Record<string, string | undefined>,
): Promise<void> => {
  const config = configOrExit(service, schema, env);
  const log = createLog(service, config.LOG_LEVEL);
  const life = createLife({
    service,
    log,
    drainDelayMs: config.DRAIN_DELAY_MS,
    stopTimeoutMs: config.STOP_TIMEOUT_MS,
    onFatal: () => void end(1),
  });
  const end = async (code: number) => {
    const clean = await life.stop();
    log.info({ clean }, "stopped");
    process.exit(clean ? code : 1);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void end(0));
  process.on("unhandledRejection", (reason) =>
    life.fatal(reason instanceof Error ? reason : new Error(String(reason))),
  );

  collectDefaultMetrics();
  watchEventLoop(life);
  let started = false;
  life.readyWhen("started", () => {
    if (!started) throw new Error("not yet");
  });
  try {
    await startSidePort(life, config.SIDE_PORT);
    await start(config, life);
    started = true;
    log.info("started");
  } catch (error) {
    if (life.stopping.aborted) return;
    log.fatal({ err: error }, "the start failed");
    await end(1);
  }
};

const configOrExit = <S extends z.ZodObject>(
  service: string,
  schema: S,
  env: Record<string, string | undefined>,
): z.infer<S> & ProcessConfig => {
  try {
    return readConfig(schema.extend(processConfig.shape), env) as z.infer<S> & ProcessConfig;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) process.stderr.write(`${service}: ${fault}\n`);
    process.exit(1);
  }
};

const STALL_REPORT_MS = 1_000;

/** A stalled event loop is the usual cause of "slow for no reason", so it is said once it happens. */
const watchEventLoop = (life: Life): void => {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const timer = setInterval(() => {
    const longestMs = Math.round(delay.max / 1e6);
    delay.reset();
    if (longestMs > STALL_REPORT_MS) life.log.warn({ longestMs }, "the event loop stood still");
  }, 10_000);
  timer.unref();
  life.onStop("event loop watch", () => {
    clearInterval(timer);
    delay.disable();
  });
};
