import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { collectDefaultMetrics, Gauge } from "prom-client";
import type { z } from "zod";
import { startAdminPort } from "./admin-port.ts";
import { ConfigError, type ProcessConfig, processConfig, readConfig } from "./config.ts";
import { toIdentity } from "./identity.ts";
import { createLifecycle, type Lifecycle, type Runtime } from "./lifecycle.ts";
import { createLog } from "./log.ts";
import { startTracing } from "./tracing/start.ts";

/** The whole of a main.ts: configuration, admin port, signals, exit code. */
export async function runService<S extends z.ZodObject>(
  service: string,
  schema: S,
  start: (config: z.infer<S> & ProcessConfig, runtime: Runtime) => Promise<void>,
  env: Record<string, string | undefined>,
): Promise<void> {
  disablePretenuring();
  const config = configOrExit(service, schema, env);
  const log = createLog(service, config.LOG_LEVEL);
  const lifecycle = createLifecycle({
    service,
    log,
    identity: toIdentity(service, config),
    grpcHost: config.INTERNAL_HOST,
    drainDelayMs: config.DRAIN_DELAY_MS,
    stopTimeoutMs: config.STOP_TIMEOUT_MS,
    onFatal: () => void end(1),
  });
  async function end(code: number) {
    const clean = await lifecycle.stop();
    log.info({ clean }, "stopped");
    process.exit(clean ? code : 1);
  }

  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void end(0));
  process.on("unhandledRejection", (reason) =>
    lifecycle.fatal(reason instanceof Error ? reason : new Error(String(reason))),
  );

  collectDefaultMetrics();
  buildInfo.set({ service, version: config.VERSION }, 1);
  watchEventLoop(lifecycle);
  let started = false;
  lifecycle.readyWhen("started", () => {
    if (!started) throw new Error("not yet");
  });
  try {
    await startTracing(lifecycle, config.VERSION, env);
    await startAdminPort(lifecycle, { host: config.INTERNAL_HOST, port: config.ADMIN_PORT });
    await start(config, lifecycle);
    started = true;
    log.info("started");
  } catch (error) {
    if (lifecycle.stopping.aborted) return;
    log.fatal({ err: error }, "the start failed");
    await end(1);
  }
}

function configOrExit<S extends z.ZodObject>(
  service: string,
  schema: S,
  env: Record<string, string | undefined>,
): z.infer<S> & ProcessConfig {
  try {
    return readConfig(schema.extend(processConfig.shape), env) as z.infer<S> & ProcessConfig;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const fault of error.faults) process.stderr.write(`${service}: ${fault}\n`);
    process.exit(1);
  }
}

const buildInfo = new Gauge({
  name: "build_info",
  help: "Always 1; its labels name the service and the version that runs",
  labelNames: ["service", "version"],
});

const STALL_REPORT_MS = 1_000;

/** A blocked event loop slows every request without another trace, so it is logged when it happens. */
function watchEventLoop(lifecycle: Lifecycle): void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const timer = setInterval(() => {
    const longestMs = Math.round(delay.max / 1e6);
    delay.reset();
    if (longestMs > STALL_REPORT_MS)
      lifecycle.log.warn({ longestMs }, "the event loop stood still");
  }, 10_000);
  timer.unref();
  lifecycle.onStop("event loop watch", () => {
    clearInterval(timer);
    delay.disable();
  });
}

/**
 * To be called before the first request. V8 allocates objects directly in the old generation at allocation sites whose
 * earlier objects survived. A service creates its lasting objects at start-up from the same sites that later create
 * objects for one request; in the old generation these keep all objects that they refer to, and minor collections
 * grow from less than one millisecond to more than ten.
 */
export function disablePretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
