// What the last answers of a provider say about it. One lost answer says little: its rest is short, and the next answer ends
// it. A provider that goes on failing rests for longer and longer, and one of several that let a question run into its
// deadline rests for the longest time at once. After a rest it is asked something in the background first, so that no question waits to
// learn whether it is back. One that asks for patience gets it, whatever its other answers are.
import type { RpcError } from "./endpoint.ts";

const REST_MIN_MS = 50;
const REST_MAX_MS = 5_000;
const BUSY_MIN_MS = 1_000;
/** Longer than any provider counts its calls. */
const PAUSE_MAX_MS = 60_000;

export interface Standing {
  /** In a row, until the next answer; those of questions that were under way together are one. */
  faults(): number;
  /** When it may be asked again. */
  restsUntil(): number;
  /** Its last answer was a fault: it has to answer something before it is relied on again. */
  isDoubted(): boolean;
  answered(askedAt: number): void;
  /** Whether it was a fault that counts. */
  failed(error: RpcError, askedAt: number): boolean;
  /** Not to be asked for so long, whatever it answers meanwhile. */
  hold(ms: number): void;
}

export function createStanding(now: () => number, { isAlone }: { isAlone: boolean }): Standing {
  let faults = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isSilent = false;
  let restUntil = 0;
  let heldUntil = 0;

  function hold(ms: number) {
    heldUntil = Math.max(heldUntil, now() + ms);
  }

  return {
    faults: () => faults,
    restsUntil: () => Math.max(restUntil, heldUntil),
    isDoubted: () => faults > 0,
    answered: (askedAt) => {
      // One that stands still may have answered what it was asked before.
      if (isSilent && askedAt < failedAt) return;
      faults = 0;
      isSilent = false;
      restUntil = 0;
    },
    failed: ({ fault, pauseMs }, askedAt) => {
      if (fault === "busy") {
        hold(Math.min(pauseMs ?? growing(BUSY_MIN_MS, faults), PAUSE_MAX_MS));
      }
      // What was asked before the last fault belongs to the same outage.
      if (faults > 0 && askedAt < failedAt) return false;
      if (fault === "timeout") isSilent = true;
      if (fault !== "busy") {
        restUntil = now() + (isSilent && !isAlone ? REST_MAX_MS : growing(REST_MIN_MS, faults));
      }
      failedAt = now();
      faults++;
      return true;
    },
    hold,
  };
}

function growing(firstMs: number, faults: number): number {
  return Math.min(firstMs * 2 ** faults, REST_MAX_MS);
}
