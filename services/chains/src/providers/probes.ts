// Questions that show whether a provider answers a method again. Each node answers them at once, and nothing in them comes from a
// shopper, who may choose a hash or a contract that is slow by itself.
import type { Call } from "./endpoint.ts";

const NO_ADDRESS = `0x${"0".repeat(40)}`;
const NO_HASH = `0x${"0".repeat(64)}`;

const PROBES: Readonly<Record<string, (params: readonly unknown[]) => readonly unknown[]>> = {
  eth_chainId: () => [],
  eth_maxPriorityFeePerGas: () => [],
  eth_getBlockByNumber: (params) => params,
  // A range may be too wide for it: the first block of it never is.
  eth_getLogs: ([filter]) => [narrowed(filter as LogFilter)],
  eth_getTransactionReceipt: () => [NO_HASH],
  eth_getTransactionByHash: () => [NO_HASH],
  eth_getTransactionCount: () => [NO_ADDRESS, "latest"],
  eth_getBalance: () => [NO_ADDRESS, "latest"],
  eth_getCode: () => [NO_ADDRESS, "latest"],
  eth_call: () => [{ to: NO_ADDRESS }, "latest"],
  eth_estimateGas: () => [{ to: NO_ADDRESS }],
};

interface LogFilter {
  fromBlock: string;
}

function narrowed(filter: LogFilter): object {
  return { ...filter, toBlock: filter.fromBlock };
}

/** Undefined where the method is not repeated, because it changes something or is always slow. */
export function probeOf({ method, params }: Call): Call | undefined {
  const probe = PROBES[method];
  return probe && { method, params: probe(params) };
}
