// What the last answers of a provider say about it. One lost answer says little: its rest is short, and the next answer ends
// it. A provider that goes on failing rests for longer and longer, and one of several that let a question run into its
// deadline rests for the longest time at once. After a rest it is asked something in the background first, so that no question waits to
// learn whether it is back: its chain, and what it left without an answer, because one that names its chain may still stand still
// where it is asked for logs. One that asks for patience gets it, whatever its other answers are.
import type { Call, RpcError } from "./endpoint.ts";
import { probeOf } from "./probes.ts";

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
  /** Its last answer was a fault, or it owes one: it has to answer before it is relied on again. */
  isDoubted(): boolean;
  /** The same, but what it owes: enough where there is no better one. */
  isBack(): boolean;
  /** What it has to answer, one question of each method that ran into its deadline. */
  owed(): readonly Call[];
  answered(method: string, askedAt: number): void;
  /** Whether it was a fault that counts. */
  failed(error: RpcError, call: Call, askedAt: number): boolean;
  /** Not to be asked for so long, whatever it answers meanwhile. */
  hold(ms: number): void;
}

export function createStanding(now: () => number, { isAlone }: { isAlone: boolean }): Standing {
  let faults = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isSilent = false;
  let restUntil = 0;
  let heldUntil = 0;
  let isBack = true;
  const owed = new Map<string, Call>();

  function hold(ms: number) {
    heldUntil = Math.max(heldUntil, now() + ms);
  }

  return {
    faults: () => faults,
    restsUntil: () => Math.max(restUntil, heldUntil),
    isDoubted: () => faults > 0,
    isBack: () => isBack,
    owed: () => [...owed.values()],
    answered: (method, askedAt) => {
      // One that stands still may have answered what it was asked before.
      if (isSilent && askedAt < failedAt) return;
      isBack = true;
      owed.delete(method);
      if (owed.size > 0) return;
      faults = 0;
      isSilent = false;
      restUntil = 0;
    },
    failed: ({ fault, pauseMs }, call, askedAt) => {
      const probe = fault === "timeout" && !isAlone ? probeOf(call) : undefined;
      if (probe !== undefined) owed.set(call.method, probe);
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
      isBack = false;
      faults++;
      return true;
    },
    hold,
  };
}

function growing(firstMs: number, faults: number): number {
  return Math.min(firstMs * 2 ** faults, REST_MAX_MS);
}
