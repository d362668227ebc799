// The providers of one chain. A provider counts only once it has named the chain's id, and names it again every hour: an
// address behind which another chain answers is refused. A provider that fails rests for a growing while, so that the
// others are asked first; its silence never means anything about a transaction.
import type { Endpoint } from "./endpoint.ts";
import { createProvider, type Provider, type ProviderOptions } from "./provider.ts";
import type { Reader } from "./reader.ts";

/** How long the others wait for the check of one. */
const GRACE_MS = 50;

export interface Providers {
  readonly chainId: number;
  /** Also those that do not answer at present. */
  readonly configured: number;
  /** Those that answer for this chain at present, the most reliable first. */
  readers(): Promise<Reader[]>;
  /** The same with those that rest at the end, for what must not wait: a fault may be one lost answer. */
  allReaders(): Promise<Reader[]>;
  close(): void;
}

export function createProviders(
  options: ProviderOptions & { endpoints: readonly Endpoint[] },
): Providers {
  const { chainId, endpoints } = options;
  const providers = endpoints.map((endpoint) => createProvider(endpoint, options));

  function usable() {
    return providers.filter((one) => !one.isResting() && one.isProven());
  }

  /** A provider that does not answer the check delays the others once, and by little. */
  async function checkUnproven(): Promise<void> {
    const unproven = providers.filter((one) => !one.isResting() && !one.isProven());
    const begun = unproven.flatMap((one) => one.beginCheck() ?? []);
    const running = unproven.flatMap((one) => one.checking() ?? []);
    if (usable().length === 0) await firstProven(running);
    if (begun.length > 0) await withinGrace(Promise.all(begun));
  }

  async function readers(): Promise<Reader[]> {
    await checkUnproven();
    return readersOf(usable());
  }

  return {
    chainId,
    configured: endpoints.length,
    readers,
    allReaders: async () => {
      const awake = await readers();
      return [...awake, ...readersOf(providers.filter((one) => one.isResting() && one.isProven()))];
    },
    close: () => {
      for (const endpoint of endpoints) endpoint.close();
    },
  };
}

function readersOf(providers: readonly Provider[]): Reader[] {
  return [...providers].sort((a, b) => a.faults() - b.faults()).map(({ reader }) => reader);
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
