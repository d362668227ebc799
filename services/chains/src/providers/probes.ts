// Requests that show whether a provider responds again: those that timed out. Where such a request may be slow at every
// provider, an easy one of the same method follows.
import type { Call } from "./endpoint.ts";

const NO_ADDRESS = `0x${"0".repeat(40)}`;
const NO_HASH = `0x${"0".repeat(64)}`;

const EASY: Readonly<Record<string, (params: readonly unknown[]) => readonly unknown[]>> = {
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
const NO_CALL: Call = { method: "", params: [] };
/** They run code that a shopper may have written, so only the easy question is asked again. */
const RUNS_CODE: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas"]);

interface LogFilter {
  fromBlock: string;
}

function narrowed(filter: LogFilter): object {
  return { ...filter, toBlock: filter.fromBlock };
}

export interface Probe {
  /** The request as it was left, with all its calls, because a provider may answer one of them and not the list. */
  whole: readonly Call[];
  easy: readonly Call[];
}

/** Undefined where the request is not repeated, because it changes something or is always slow. */
export function chooseProbe(calls: readonly Call[]): Probe | undefined {
  const { method, params } = calls[0] ?? NO_CALL;
  const easyProbe = EASY[method];
  if (easyProbe === undefined) return undefined;
  const easy = [{ method, params: easyProbe(params) }];
  const isRepeated = calls.every(({ method }) => method in EASY && !RUNS_CODE.has(method));
  return { whole: isRepeated ? calls : easy, easy };
}
