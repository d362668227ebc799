import { setTimeout as wait } from "node:timers/promises";

/** Waits, but not beyond the moment the signal is given. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal }).catch(() => {});
