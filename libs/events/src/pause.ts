import { setTimeout as wait } from "node:timers/promises";

/** Waits, but not beyond the moment the signal is given. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, undefined, { signal }).catch(() => {});
}

/** Waits for a promise to settle, within a bound; returns whether it did. */
export async function settlesWithin(what: Promise<unknown>, ms: number): Promise<boolean> {
  const settled = new AbortController();
  try {
    return await Promise.race([what.then(() => true), pause(ms, settled.signal).then(() => false)]);
  } finally {
    settled.abort();
  }
}
