// What the last answers of a provider say about it. One lost answer says little: its rest is short, and the next answer ends
// it. A provider that goes on failing rests for longer and longer, and one of several that let a question run into its
// deadline rests for the longest time at once. After a rest it is asked something in the background first, so that no question waits to
// learn whether it is back: its chain, and what it left without an answer, because one that names its chain may still stand still
// where it is asked for logs, and one that tells the logs of one block where it is asked for those of several. One that asks for
// patience gets it, whatever its other answers are.
import type { Call } from "./endpoint.ts";
import { chooseProbe, type Probe } from "./probes.ts";
import type { RpcError } from "./rpc-error.ts";

const REST_MIN_MS = 50;
const REST_MAX_MS = 5_000;
const BUSY_MIN_MS = 1_000;
/** Longer than any provider counts its calls. */
const PAUSE_MAX_MS = 60_000;
/**
 * How often the very question is asked again in the background before an easy one of its method has to do, because the question may
 * be slow by itself. Twice as often each time after that: a provider that answers nothing but the easy one is relied on ever more rarely.
 */
const WHOLE_MIN = 4;
const WHOLE_MAX = 64;

interface Owed extends Probe {
  /** How often the whole is still to be asked. */
  left: number;
}

export interface Standing {
  /** In a row, until the next answer; those of questions that were under way together are one. */
  faults(): number;
  /** When it may be asked again. */
  restsUntil(): number;
  /** Its last answer was a fault, or it owes one: it has to answer before it is relied on again. */
  isDoubted(): boolean;
  /** The same, but what it owes: enough where there is no better one. */
  isBack(): boolean;
  /** What it has to answer, one request of each method that ran into its deadline. */
  owed(): readonly (readonly Call[])[];
  answered(method: string, askedAt: number): void;
  /** Whether it was a fault that counts. */
  failed(error: RpcError, calls: readonly Call[], askedAt: number): boolean;
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
  const owed = new Map<string, Owed>();
  /** By method: how often the whole is to be asked the next time, where that is more often. */
  const patience = new Map<string, number>();

  function hold(ms: number) {
    heldUntil = Math.max(heldUntil, now() + ms);
  }

  function owe(calls: readonly Call[]) {
    const { method = "" } = calls[0] ?? {};
    const probe = chooseProbe(calls);
    if (probe === undefined || owed.has(method)) return;
    // The question that was left counts as the first one.
    owed.set(method, { ...probe, left: 1 + (patience.get(method) ?? WHOLE_MIN) });
  }

  function settle(method: string) {
    // By the easy question alone, so it may be left without an answer again.
    if (owed.get(method)?.left === 0) {
      patience.set(method, Math.min(2 * (patience.get(method) ?? WHOLE_MIN), WHOLE_MAX));
    } else patience.delete(method);
    owed.delete(method);
  }

  return {
    faults: () => faults,
    restsUntil: () => Math.max(restUntil, heldUntil),
    isDoubted: () => faults > 0,
    isBack: () => isBack,
    owed: () => [...owed.values()].map(({ left, whole, easy }) => (left > 0 ? whole : easy)),
    answered: (method, askedAt) => {
      // One that stands still may have answered what it was asked before.
      if (isSilent && askedAt < failedAt) return;
      isBack = true;
      settle(method);
      if (owed.size > 0) return;
      faults = 0;
      isSilent = false;
      restUntil = 0;
    },
    failed: ({ fault, pauseMs }, calls, askedAt) => {
      if (fault === "timeout" && !isAlone) owe(calls);
      if (fault === "busy") {
        hold(Math.min(pauseMs ?? growing(BUSY_MIN_MS, faults), PAUSE_MAX_MS));
      }
      // What was asked before the last fault belongs to the same outage.
      if (faults > 0 && askedAt < failedAt) return false;
      if (fault === "timeout") isSilent = true;
      if (fault !== "busy") {
        restUntil = now() + (isSilent && !isAlone ? REST_MAX_MS : growing(REST_MIN_MS, faults));
      }
      const debt = owed.get(calls[0]?.method ?? "");
      if (debt !== undefined && fault !== "busy") debt.left = Math.max(debt.left - 1, 0);
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
