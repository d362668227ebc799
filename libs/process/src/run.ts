import { monitorEventLoopDelay } from "node:perf_hooks";
import { collectDefaultMetrics } from "prom-client";
import type { z } from "zod";
import { keepRequestsYoung } from "./collector.ts";
import { ConfigError, type ProcessConfig, processConfig, readConfig } from "./config.ts";
import { createLife, type Life, type Runtime } from "./life.ts";
import { createLog } from "./log.ts";
import { startSidePort } from "./side-port.ts";

/** The whole of a main.ts: configuration, side port, signals, exit code. */
export const runService = async <S extends z.ZodObject>(
  service: string,
  schema: S,
  start: (config: z.infer<S> & ProcessConfig, runtime: Runtime) => Promise<void>,
  env: Record<string, string | undefined>,
): Promise<void> => {
  keepRequestsYoung();
  const config = configOrExit(service, schema, env);
  const log = createLog(service, config.LOG_LEVEL);
  const life = createLife({
    service,
    log,
    serviceTokens: config.SERVICE_TOKENS,
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
