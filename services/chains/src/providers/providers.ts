// The providers of one chain. A provider counts only once it has said the chain's id, and says it again every
// hour: an address behind which another chain answers is refused. A provider that fails rests for a growing
// while, so that the others are asked first; its silence never means anything about a transaction.
import type { Clock, Log } from "@pay/process";
import { Counter } from "prom-client";
import { type Call, type Endpoint, RpcError, type RpcFault } from "./endpoint.ts";
import { createReader, type Query, type QueryMany, type Reader } from "./reader.ts";

// A shopper may submit a hash whose receipt or trace is huge, odd or slow to make: such questions must not count against
// a provider.
const FAULTS_OF_THE_QUESTION: ReadonlySet<RpcFault> = new Set([
  ...(["refused", "too_wide", "unknown_block", "too_large", "implausible"] as const),
]);
const HARD_QUESTIONS: ReadonlySet<string> = new Set(["debug_traceTransaction"]);

const CHECK_INTERVAL_MS = 3_600_000;
const REFUSED_MS = 60_000;
const REST_MS = 1_000;
const REST_MAX_MS = 5_000;
/** How long the others wait for the check of one. */
const GRACE_MS = 50;
/** Calls in one request. */
const BATCH_MAX = 50;

const faultsTotal = new Counter({
  name: "chain_rpc_errors_total",
  help: "Calls to providers that failed, by chain and kind of fault",
  labelNames: ["chain", "kind"],
});

export interface Providers {
  readonly chainId: number;
  /** Those that answer for this chain at present, the most reliable first. */
  readers(): Promise<Reader[]>;
  close(): void;
}

interface Provider {
  reader: Reader;
  faults: number;
  restUntil: number;
  /** Until when its chain id is believed. */
  provenUntil: number;
  checking: Promise<boolean> | undefined;
}

export function createProviders(options: {
  chainId: number;
  endpoints: readonly Endpoint[];
  clock: Clock;
  log: Log;
}): Providers {
  const { chainId, endpoints, clock, log } = options;
  function now() {
    return clock.now().getTime();
  }

  function note(provider: Provider, method: string, error: RpcError) {
    faultsTotal.inc({ chain: chainId, kind: error.fault });
    if (FAULTS_OF_THE_QUESTION.has(error.fault) || HARD_QUESTIONS.has(method)) return;
    provider.restUntil = now() + Math.min(REST_MS * 2 ** provider.faults, REST_MAX_MS);
    provider.faults++;
    log.warn({ chainId, err: error }, "a provider failed");
  }

  function watched(endpoint: Endpoint): Provider {
    async function noted<T>(method: string, ask: () => Promise<T | undefined>): Promise<T> {
      try {
        const decoded = await ask();
        if (decoded === undefined) throw new RpcError("implausible", `${endpoint.name}, ${method}`);
        provider.faults = 0;
        return decoded;
      } catch (error) {
        if (error instanceof RpcError) note(provider, method, error);
        throw error;
      }
    }

    const query: Query = (method, params, decode) =>
      noted(method, async () => decode(await endpoint.call(method, params)));
    const queryMany: QueryMany = async <T>(
      calls: readonly Call[],
      decode: (answer: unknown, at: number) => T | undefined,
    ) => {
      const found: T[] = [];
      for (let from = 0; from < calls.length; from += BATCH_MAX) {
        const page = calls.slice(from, from + BATCH_MAX);
        const decoded = await noted(page[0]?.method ?? "", async () => {
          const answers = await endpoint.callMany(page);
          const values = answers.map((answer, at) => decode(answer, from + at));
          return values.includes(undefined) ? undefined : (values as T[]);
        });
        found.push(...decoded);
      }
      return found;
    };
    const reader = createReader(endpoint.name, query, queryMany);
    const provider: Provider = {
      ...{ reader, faults: 0, restUntil: 0, provenUntil: 0, checking: undefined },
    };
    return provider;
  }

  async function prove(provider: Provider): Promise<boolean> {
    try {
      const said = await provider.reader.chainId();
      if (said === chainId) {
        provider.provenUntil = now() + CHECK_INTERVAL_MS;
        return true;
      }
      faultsTotal.inc({ chain: chainId, kind: "wrong_chain" });
      log.error(
        { chainId, said, provider: provider.reader.name },
        "a provider is on another chain",
      );
      provider.restUntil = now() + REFUSED_MS;
      return false;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  function isResting({ restUntil }: Provider) {
    return restUntil > now();
  }

  function isProven({ provenUntil }: Provider) {
    return provenUntil > now();
  }

  /** Undefined where a check runs already. */
  function beginCheck(provider: Provider): Promise<boolean> | undefined {
    if (provider.checking !== undefined) return undefined;
    provider.checking = prove(provider).finally(() => {
      provider.checking = undefined;
    });
    return provider.checking;
  }

  /** A provider that does not answer the check delays the others once, and by little. */
  async function checkUnproven(): Promise<void> {
    const unproven = providers.filter((one) => !isResting(one) && !isProven(one));
    const begun = unproven.flatMap((one) => beginCheck(one) ?? []);
    const running = unproven.flatMap(({ checking }) => checking ?? []);
    const isAnyUsable = providers.some((one) => !isResting(one) && isProven(one));
    if (!isAnyUsable) await firstProven(running);
    if (begun.length > 0) await withinGrace(Promise.all(begun));
  }

  const providers = endpoints.map(watched);
  return {
    chainId,
    readers: async () => {
      await checkUnproven();
      return providers
        .filter((one) => !isResting(one) && isProven(one))
        .sort((a, b) => a.faults - b.faults)
        .map(({ reader }) => reader);
    },
    close: () => {
      for (const endpoint of endpoints) endpoint.close();
    },
  };
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
