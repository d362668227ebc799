import type { Runtime } from "./lifecycle.ts";

const RETRY_PAUSE_MAX_MS = 10_000;

export interface Job {
  /** Runs the next round now, or once more when one is under way. */
  wake(): void;
}

/**
 * Repeats an action until the process stops: after each round it waits for the interval or a wake. A round that
 * fails is logged and tried again with growing pauses, which no wake shortens, or a fault that answers at once would be
 * met as often as there is work; a stop waits for the round under way.
 */
export function every(options: {
  name: string;
  intervalMs: number;
  /** The longest pause after a failed round; never shorter than the interval. */
  retryPauseMaxMs?: number;
  runtime: Runtime;
  act: () => Promise<unknown>;
}): Job {
  const { name, intervalMs, runtime, act, retryPauseMaxMs = RETRY_PAUSE_MAX_MS } = options;
  const pauseMaxMs = Math.max(intervalMs, retryPauseMaxMs);
  let wakeUp: () => void = () => {};
  let woken = false;
  let failures = 0;
  let stopped = false;

  function pause(ms: number) {
    return new Promise<void>((resolve) => {
      function mayEnd() {
        return stopped || (woken && failures === 0);
      }

      if (mayEnd()) return resolve();
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        if (!mayEnd()) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function loop() {
    while (!stopped) {
      woken = false;
      try {
        await act();
        failures = 0;
      } catch (error) {
        failures++;
        runtime.log.error({ err: error, job: name, failures }, "a job's round failed");
      }
      await pause(
        failures === 0 ? intervalMs : Math.min(intervalMs + 100 * 2 ** failures, pauseMaxMs),
      );
    }
  }

  const running = loop();
  function wake() {
    woken = true;
    wakeUp();
  }

  runtime.onStop(name, async () => {
    stopped = true;
    wake();
    await running;
  });
  return { wake };
}
