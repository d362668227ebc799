// The providers of one chain. A provider counts once it has returned the chain's id, and is checked again every hour. A
// provider that fails rests (provider-health.ts) and is probed before it is used again; its silence never means
// anything about a transaction.
import { setTimeout as pause } from "node:timers/promises";
import type { Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import { createEndpoint, type Endpoint } from "./endpoint.ts";
import { createProvider, type Provider, type ProviderOptions } from "./provider.ts";
import { observe } from "./provider-health-metrics.ts";
import type { Reader } from "./reader.ts";

/** How long the others wait for the check of one. */
const GRACE_MS = 50;
/** How long a rest is waited for where no provider is there, or only one that owes an answer. */
const WAKE_MS = 250;

export interface Providers {
  readonly chainId: ChainId;
  /** Also those that do not answer at present. */
  readonly configured: number;
  /** How many are used at present. */
  answering(): number;
  /** Those that answer for this chain at present, the most reliable first. */
  readers(): Promise<Reader[]>;
  /** The same with those that rest at the end, for what must not wait: a fault may be one lost answer. */
  allReaders(): Promise<Reader[]>;
  close(): void;
}

export function createProviders(
  options: Omit<ProviderOptions, "isAlone" | "highestHead"> & { endpoints: readonly Endpoint[] },
): Providers {
  const { chainId, clock, endpoints } = options;
  const providers: Provider[] = endpoints.map((endpoint) =>
    createProvider(endpoint, { ...options, isAlone: endpoints.length === 1, highestHead }),
  );
  const unobserve = observe({ chainId, providers });

  function highestHead() {
    return Math.max(...providers.map((one) => one.head() ?? 0));
  }

  function awake() {
    return providers.filter((one) => !one.isResting());
  }

  function hasProven() {
    return awake().some((one) => one.isProven());
  }

  /** A provider with pending probes costs its timeout, so it is used only where no other is left. */
  function usable() {
    const isUsable = hasProven() ? "isProven" : "isRecovered";
    return awake().filter((one) => one[isUsable]());
  }

  /** A provider that does not answer its first check delays the others by little, and any later check delays none. */
  async function checkUnproven(): Promise<void> {
    const unproven = awake().filter((one) => !one.isProven());
    const isNew = unproven.some((one) => one.isNew());
    const begun = unproven.flatMap((one) => one.beginCheck() ?? []);
    if (!hasProven()) await firstBack(unproven);
    if (begun.length > 0 && isNew) await withinGrace(Promise.all(begun));
  }

  /** One that is checked, or one that rests: who does not answer its check must not hold up who will be back before. */
  async function firstBack(unproven: readonly Provider[]): Promise<void> {
    const isAny = usable().length > 0;
    // A provider without pending probes recovers before one that may time out once more.
    function isWaitedFor({ health }: Provider) {
      return !isAny || health.pendingProbes().length === 0;
    }

    const now = clock.now().getTime();
    const running = unproven.filter(isWaitedFor).flatMap((one) => one.checking() ?? []);
    const rests = providers
      .filter(isWaitedFor)
      .flatMap((one) => (one.isKnown() && one.isResting() ? one.health.restsUntil() - now : []));
    const restMs = Math.min(...rests);
    if (running.length === 0) return restMs > WAKE_MS ? undefined : pause(restMs);
    await Promise.race([
      firstProven(running),
      ...(isAny || rests.length > 0 ? [pause(Math.min(restMs, WAKE_MS))] : []),
    ]);
  }

  async function readers(): Promise<Reader[]> {
    await checkUnproven();
    if (!hasProven()) await checkUnproven();
    return createReaders(usable());
  }

  return {
    chainId,
    configured: endpoints.length,
    answering: () => awake().filter((one) => one.isProven()).length,
    readers,
    allReaders: async () => {
      const awake = await readers();
      const isAwake = new Set(awake);
      return [
        ...awake,
        ...createReaders(providers.filter((one) => one.isKnown() && !isAwake.has(one.reader))),
      ];
    },
    close: () => {
      unobserve();
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}

function createReaders(providers: readonly Provider[]): Reader[] {
  return [...providers]
    .sort((a, b) => a.health.faults() - b.health.faults())
    .map(({ reader }) => reader);
}

/** Ends with the first check that succeeds, or with the last one. */
function firstProven(checks: readonly Promise<boolean>[]): Promise<unknown> {
  const proven = checks.map(async (check) => {
    if (!(await check)) throw new Error("the provider is not proven");
  });
  return Promise.any(proven).catch(() => undefined);
}

async function withinGrace(checks: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise((resolve) => {
    timer = setTimeout(resolve, GRACE_MS);
  });
  await Promise.race([checks, grace]).finally(() => clearTimeout(timer));
}

interface Bounds {
  timeoutMs: number;
  responseBytesMax: number;
}

/** The providers of one chain, until the process stops. */
export function openProviders(
  { chainId, providerUrls }: { chainId: ChainId; providerUrls: readonly string[] },
  bounds: Bounds,
  runtime: Runtime,
): Providers {
  const endpoints = providerUrls.map((url, index) =>
    createEndpoint({ name: `provider ${index + 1} of chain ${chainId}`, url, ...bounds }),
  );
  const { clock, log } = runtime;
  const providers = createProviders({ chainId, endpoints, clock, log });
  runtime.onStop(`providers of chain ${chainId}`, () => providers.close());
  return providers;
}
