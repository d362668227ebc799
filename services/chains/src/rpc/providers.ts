// The providers of one chain. A provider counts only once it has said the chain's id, and says it again every
// hour: an address behind which another chain answers is refused. A provider that fails rests for a growing
// while, so that the others are asked first; its silence never means anything about a transaction.
import type { Clock, Log } from "@pay/process";
import { Counter } from "prom-client";
import { type Endpoint, RpcError, type RpcFault } from "./endpoint.ts";
import { createReader, type Query, type Reader } from "./reader.ts";

// Anybody may submit a hash whose receipt or trace is huge, odd or slow to make: such questions must not bring a
// provider into disrepute for all others.
const FAULTS_OF_THE_QUESTION: ReadonlySet<RpcFault> = new Set([
  ...(["refused", "too_large", "implausible"] as const),
]);
const HARD_QUESTIONS: ReadonlySet<string> = new Set(["debug_traceTransaction"]);

const CHECK_INTERVAL_MS = 3_600_000;
const REFUSED_MS = 60_000;
const REST_MS = 1_000;
const REST_MAX_MS = 30_000;

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

export const createProviders = (options: {
  chainId: number;
  endpoints: readonly Endpoint[];
  clock: Clock;
  log: Log;
}): Providers => {
  const { chainId, endpoints, clock, log } = options;
  const now = () => clock.now().getTime();

  const note = (provider: Provider, method: string, error: RpcError) => {
    faultsTotal.inc({ chain: chainId, kind: error.fault });
    if (FAULTS_OF_THE_QUESTION.has(error.fault) || HARD_QUESTIONS.has(method)) return;
    provider.restUntil = now() + Math.min(REST_MS * 2 ** provider.faults, REST_MAX_MS);
    provider.faults++;
    log.warn({ chainId, err: error }, "a provider failed");
  };

  const watched = (endpoint: Endpoint): Provider => {
    const query: Query = async (method, params, decode) => {
      try {
        const decoded = decode(await endpoint.call(method, params));
        if (decoded === undefined) throw new RpcError("implausible", `${endpoint.name}, ${method}`);
        provider.faults = 0;
        return decoded;
      } catch (error) {
        if (error instanceof RpcError) note(provider, method, error);
        throw error;
      }
    };
    const reader = createReader(endpoint.name, query);
    const provider: Provider = {
      ...{ reader, faults: 0, restUntil: 0, provenUntil: 0, checking: undefined },
    };
    return provider;
  };

  const prove = async (provider: Provider): Promise<boolean> => {
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
  };

  const isUsable = async (provider: Provider): Promise<boolean> => {
    if (provider.restUntil > now()) return false;
    if (provider.provenUntil > now()) return true;
    provider.checking ??= prove(provider).finally(() => {
      provider.checking = undefined;
    });
    return provider.checking;
  };

  const providers = endpoints.map(watched);
  return {
    chainId,
    readers: async () => {
      const usable = await Promise.all(providers.map(isUsable));
      return providers
        .filter((_, index) => usable[index])
        .sort((a, b) => a.faults - b.faults)
        .map(({ reader }) => reader);
    },
    close: () => {
      for (const endpoint of endpoints) endpoint.close();
    },
  };
};
