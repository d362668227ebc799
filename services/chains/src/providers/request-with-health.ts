// Asks one provider, and writes down in its standing what comes of it.
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@pay/process";
import type { ChainId } from "@pay/values";
import { rpcFaultsTotal } from "../metrics.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import type { Standing } from "./provider-health.ts";
import { FAULTS_OF_THE_QUESTION, RpcError } from "./rpc-error.ts";

// A shopper may submit a hash whose receipt or trace is huge, odd or slow to make: such questions must not count against
// a provider.
const HARD_QUESTIONS: ReadonlySet<string> = new Set(["debug_traceTransaction"]);
/** One such answer is lost now and then on any way. */
const LOST: ReadonlySet<string> = new Set(["network", "http", "malformed"]);

/** What is lost within this share of the deadline is asked once more; after a longer time the next provider is asked. */
const QUICK_SHARE = 1 / 8;
const AGAIN_MS = 5;

/** Runs a request, which is known by its first call; an answer that cannot be decoded is undefined and a fault. */
export type Asking = <T>(calls: readonly Call[], ask: () => Promise<T | undefined>) => Promise<T>;

interface AskingOptions {
  chainId: ChainId;
  log: Log;
  now(): number;
}

/** Asks, and once more where an answer is lost that was not expected to be. */
export function createAsking(
  endpoint: Endpoint,
  standing: Standing,
  { chainId, log, now }: AskingOptions,
): Asking {
  function note(calls: readonly Call[], error: RpcError, askedAt: number) {
    if (FAULTS_OF_THE_QUESTION.has(error.fault) || calls.some(isHard)) return;
    if (standing.failed(error, calls, askedAt))
      log.warn({ chainId, err: error }, "a provider failed");
  }

  async function once<T>(method: string, ask: () => Promise<T | undefined>): Promise<T> {
    try {
      const decoded = await ask();
      if (decoded === undefined) throw new RpcError("implausible", `${endpoint.name}, ${method}`);
      return decoded;
    } catch (error) {
      if (error instanceof RpcError) rpcFaultsTotal.inc({ chain: chainId, kind: error.fault });
      throw error;
    }
  }

  return async (calls, ask) => {
    const { method = "" } = calls[0] ?? {};
    const askedAt = now();
    const begun = performance.now();
    function isLost(error: unknown) {
      const isQuick = performance.now() - begun < endpoint.timeoutMs * QUICK_SHARE;
      return error instanceof RpcError && LOST.has(error.fault) && isQuick && !standing.isDoubted();
    }

    try {
      const decoded = await once(method, ask).catch(async (error: unknown) => {
        if (!isLost(error)) throw error;
        await pause(AGAIN_MS);
        return once(method, ask);
      });
      standing.answered(method, askedAt);
      return decoded;
    } catch (error) {
      if (error instanceof RpcError) note(calls, error, askedAt);
      throw error;
    }
  };
}

function isHard({ method }: Call): boolean {
  return HARD_QUESTIONS.has(method);
}
