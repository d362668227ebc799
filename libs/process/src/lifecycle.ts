// Ordered start and stop. Each part that starts registers how it stops; a stop first answers "not ready" and waits, so
// that callers send no new work, then stops the parts in reverse order within one bound of time.
import type { Identity } from "./identity.ts";
import { createLog, type Log } from "./log.ts";
import { checkReadiness, type Readiness } from "./readiness.ts";

/** The only source of time: a test passes in a clock that it moves. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export interface Runtime {
  readonly service: string;
  readonly log: Log;
  readonly clock: Clock;
  /**
   * By what this process is known to the others, and they to it; only a lifecycle under test has none and checks none.
   */
  readonly identity: Identity | undefined;
  /** Interface of the gRPC port. */
  readonly grpcHost: string;
  /** Aborted when the stop begins. */
  readonly stopping: AbortSignal;
  /** Registers how a part stops; parts stop in reverse order. */
  onStop(name: string, stop: () => Promise<void> | void): void;
  /** One line of /readyz; throwing means not ready. */
  readyWhen(name: string, check: () => Promise<void> | void): void;
  /** All of /readyz: what a probe by another protocol answers. */
  readiness(): Promise<Readiness>;
  /** For faults that the process cannot repair: stops in order and exits with 1, so that the platform restarts it. */
  fatal(error: Error): void;
}

export interface Lifecycle extends Runtime {
  /** Resolves when all parts have stopped; true when every part stopped without an error and in time. */
  stop(): Promise<boolean>;
}

export function createLifecycle(options: {
  service: string;
  log: Log;
  clock?: Clock;
  identity?: Identity;
  grpcHost?: string;
  drainDelayMs?: number;
  stopTimeoutMs?: number;
  onFatal?: () => void;
}): Lifecycle {
  const { service, log, clock = systemClock, drainDelayMs = 0, stopTimeoutMs = 25_000 } = options;
  const undo: { name: string; stop: () => Promise<void> | void }[] = [];
  const checks = new Map<string, () => Promise<void> | void>();
  const stopping = new AbortController();
  let stopped: Promise<boolean> | undefined;

  async function undoAll(): Promise<boolean> {
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
  }

  function stop(): Promise<boolean> {
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
  }

  return {
    service,
    log,
    clock,
    identity: options.identity,
    grpcHost: options.grpcHost ?? "127.0.0.1",
    stopping: stopping.signal,
    readiness: () => checkReadiness(checks, stopping.signal),
    stop,
    onStop: (name, undoOne) => undo.push({ name, stop: undoOne }),
    readyWhen: (name, check) => checks.set(name, check),
    fatal: (error) => {
      log.fatal({ err: error }, "the process cannot go on");
      options.onFatal?.();
    },
  };
}

/** A lifecycle without signals, admin port or exit, for a part under test. */
export function createTestRuntime(
  service: string,
  options: { clock?: Clock; identity?: Identity; drainDelayMs?: number; log?: Log } = {},
): Lifecycle {
  return createLifecycle({ service, log: createLog(service, "silent"), ...options });
}
