import type { ClassifiedError } from "./classify-rpc-error.ts";

/**
 * What kept a call from an answer. The provider itself: timeout, network, http, busy, malformed (no JSON-RPC).
 * This one question: refused (an error in answer), too_wide (a range with too many results), unknown_block,
 * too_large, implausible (an answer that cannot be true).
 */
export type RpcFault =
  | "timeout"
  | "network"
  | "http"
  | "malformed"
  | ClassifiedError["kind"]
  | "too_large"
  | "implausible";

/** They say nothing about the provider. */
export const REQUEST_FAULTS: ReadonlySet<RpcFault> = new Set([
  "refused",
  "too_wide",
  "unknown_block",
  "too_large",
  "implausible",
  "reverted",
  "already_known",
  "nonce_too_low",
  "nonce_too_high",
  "underpriced",
  "no_funds",
]);

interface Said {
  blocksMax?: number | undefined;
  pauseMs?: number | undefined;
}

export class RpcError extends Error {
  readonly fault: RpcFault;
  /** The code of a refusal, or the HTTP status. */
  readonly code: number | undefined;
  /** A range that the provider proposes instead, in blocks. It is read from the provider's text, which is not kept. */
  readonly blocksMax: number | undefined;
  /** How long the provider asks not to be asked. */
  readonly pauseMs: number | undefined;
  constructor(fault: RpcFault, what: string, code?: number, said: Said = {}) {
    super(code === undefined ? `${what}: ${fault}` : `${what}: ${fault} (${code})`);
    this.name = "RpcError";
    this.fault = fault;
    this.code = code;
    this.blocksMax = said.blocksMax;
    this.pauseMs = said.pauseMs;
  }
}

/** Undefined where the provider failed, which is recorded where it happens. */
export async function tryRequest<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}
