// How long a provider rests. One fault means a short rest, which the next response ends; further faults double it. One
// of several providers that times out rests for the longest time at once. After a rest it is probed in the background:
// with its chain id, and with the requests that timed out, because a provider may respond to one method and hang on
// another.
import type { Call } from "./endpoint.ts";
import { chooseProbe, type Probe } from "./probes.ts";
import type { RpcError } from "./rpc-error.ts";

const REST_MIN_MS = 50;
const REST_MAX_MS = 5_000;
const BUSY_MIN_MS = 1_000;
/** Longer than any provider counts its calls. */
const PAUSE_MAX_MS = 60_000;
/**
 * How often the request itself is repeated before an easy one of its method will do, because it may be slow by itself.
 * The number doubles each time, so a provider that responds to easy requests only is used ever more rarely.
 */
const WHOLE_MIN = 4;
const WHOLE_MAX = 64;

interface PendingProbe extends Probe {
  /** How often the whole request is still repeated. */
  left: number;
}

export interface ProviderHealth {
  /** Consecutive faults; those of concurrent requests count as one. */
  faults(): number;
  /** The end of its rest. */
  restsUntil(): number;
  /** Its last request failed, or a probe is pending: it must respond before it is used again. */
  isSuspect(): boolean;
  /** It has responded since its last fault, pending probes aside: enough where no better provider is left. */
  isRecovered(): boolean;
  /** One request of each method that timed out. */
  pendingProbes(): readonly (readonly Call[])[];
  answered(method: string, requestedAt: number): void;
  /** Whether it was a fault that counts. */
  failed(error: RpcError, calls: readonly Call[], requestedAt: number): boolean;
  /** Rests for so long, whatever it returns meanwhile. */
  hold(ms: number): void;
}

export function createProviderHealth(
  now: () => number,
  { isAlone }: { isAlone: boolean },
): ProviderHealth {
  let faults = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isSilent = false;
  let restUntil = 0;
  let heldUntil = 0;
  let isRecovered = true;
  const pendingProbes = new Map<string, PendingProbe>();
  /** By method: how often the whole request is repeated the next time, where that is more often. */
  const patience = new Map<string, number>();

  function hold(ms: number) {
    heldUntil = Math.max(heldUntil, now() + ms);
  }

  function addProbe(calls: readonly Call[]) {
    const { method = "" } = calls[0] ?? {};
    const probe = chooseProbe(calls);
    if (probe === undefined || pendingProbes.has(method)) return;
    // The request that timed out counts as the first one.
    pendingProbes.set(method, { ...probe, left: 1 + (patience.get(method) ?? WHOLE_MIN) });
  }

  function settle(method: string) {
    // By the easy request alone, so the whole one may time out again.
    if (pendingProbes.get(method)?.left === 0) {
      patience.set(method, Math.min(2 * (patience.get(method) ?? WHOLE_MIN), WHOLE_MAX));
    } else patience.delete(method);
    pendingProbes.delete(method);
  }

  return {
    faults: () => faults,
    restsUntil: () => Math.max(restUntil, heldUntil),
    isSuspect: () => faults > 0,
    isRecovered: () => isRecovered,
    pendingProbes: () =>
      [...pendingProbes.values()].map(({ left, whole, easy }) => (left > 0 ? whole : easy)),
    answered: (method, requestedAt) => {
      // A provider that hangs may still respond to earlier requests.
      if (isSilent && requestedAt < failedAt) return;
      isRecovered = true;
      settle(method);
      if (pendingProbes.size > 0) return;
      faults = 0;
      isSilent = false;
      restUntil = 0;
    },
    failed: ({ fault, pauseMs }, calls, requestedAt) => {
      if (fault === "timeout" && !isAlone) addProbe(calls);
      if (fault === "busy") {
        hold(Math.min(pauseMs ?? growing(BUSY_MIN_MS, faults), PAUSE_MAX_MS));
      }
      // Requests from before the last fault belong to the same outage.
      if (faults > 0 && requestedAt < failedAt) return false;
      if (fault === "timeout") isSilent = true;
      if (fault !== "busy") {
        restUntil = now() + (isSilent && !isAlone ? REST_MAX_MS : growing(REST_MIN_MS, faults));
      }
      const debt = pendingProbes.get(calls[0]?.method ?? "");
      if (debt !== undefined && fault !== "busy") debt.left = Math.max(debt.left - 1, 0);
      failedAt = now();
      isRecovered = false;
      faults++;
      return true;
    },
    hold,
  };
}

function growing(firstMs: number, faults: number): number {
  return Math.min(firstMs * 2 ** faults, REST_MAX_MS);
}
