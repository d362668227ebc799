// Sends a request to one provider and records the outcome in its health.
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@pay/process";
import type { ChainId } from "@pay/values";
import { rpcFaultsTotal } from "../metrics.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import type { ProviderHealth } from "./provider-health.ts";
import { REQUEST_FAULTS, RpcError } from "./rpc-error.ts";

// A payer may submit a hash whose trace is huge or slow to make: such requests must not count against a provider.
const SLOW_METHODS: ReadonlySet<string> = new Set(["debug_traceTransaction"]);
/** One such answer is lost now and then on any way. */
const LOST: ReadonlySet<string> = new Set(["network", "http", "malformed"]);

/**
 * A response that is lost within this share of the deadline is requested once more; later the next provider is tried.
 */
const QUICK_SHARE = 1 / 8;
const AGAIN_MS = 5;

/** Runs a request, which is known by its first call; an answer that cannot be decoded is undefined and a fault. */
export type RequestWithHealth = <T>(
  calls: readonly Call[],
  send: () => Promise<T | undefined>,
) => Promise<T>;

interface RequestOptions {
  chainId: ChainId;
  log: Log;
  now(): number;
}

/** Asks, and once more where an answer is lost that was not expected to be. */
export function createRequestWithHealth(
  endpoint: Endpoint,
  health: ProviderHealth,
  { chainId, log, now }: RequestOptions,
): RequestWithHealth {
  function note(calls: readonly Call[], error: RpcError, requestedAt: number) {
    if (REQUEST_FAULTS.has(error.fault) || calls.some(isSlow)) return;
    if (health.failed(error, calls, requestedAt))
      log.warn({ chainId, err: error }, "a provider failed");
  }

  async function once<T>(method: string, send: () => Promise<T | undefined>): Promise<T> {
    try {
      const decoded = await send();
      if (decoded === undefined) throw new RpcError("implausible", `${endpoint.name}, ${method}`);
      return decoded;
    } catch (error) {
      if (error instanceof RpcError) rpcFaultsTotal.inc({ chain: chainId, kind: error.fault });
      throw error;
    }
  }

  return async (calls, send) => {
    const { method = "" } = calls[0] ?? {};
    const requestedAt = now();
    const begun = performance.now();
    function isLost(error: unknown) {
      const isQuick = performance.now() - begun < endpoint.timeoutMs * QUICK_SHARE;
      return error instanceof RpcError && LOST.has(error.fault) && isQuick && !health.isSuspect();
    }

    try {
      const decoded = await once(method, send).catch(async (error: unknown) => {
        if (!isLost(error)) throw error;
        await pause(AGAIN_MS);
        return once(method, send);
      });
      health.answered(method, requestedAt);
      return decoded;
    } catch (error) {
      if (error instanceof RpcError) note(calls, error, requestedAt);
      throw error;
    }
  };
}

function isSlow({ method }: Call): boolean {
  return SLOW_METHODS.has(method);
}
