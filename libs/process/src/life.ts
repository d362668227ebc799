// One way to start and stop. What is started registers how to undo it; a stop first answers "not ready" and waits,
// so that nobody sends new work, then undoes in reverse order within one bound of time.
import { type Clock, systemClock } from "./clock.ts";
import type { Log } from "./log.ts";
import { type Readiness, readinessOf } from "./readiness.ts";

export interface Runtime {
  readonly service: string;
  readonly log: Log;
  readonly clock: Clock;
  /** By what this process is known to the others, and they to it. */
  readonly serviceTokens: readonly string[];
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
  serviceTokens?: readonly string[];
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
    serviceTokens: options.serviceTokens ?? [],
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
