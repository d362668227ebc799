// The fees of a transaction, per gas. Nodes accept another transaction of the same nonce only for an eighth more of
// both fees.
import type { Fees } from "./intent.ts";

export interface Market {
  /** Of the last block. */
  baseFee: bigint;
  /** What nodes propose for the builder of the block. */
  priorityFee: bigint;
}

/** Twice the base fee lasts for several full blocks. Undefined where the bound does not pay for the next block. */
export function firstFees(
  { baseFee, priorityFee }: Market,
  maxFeePerGas: bigint,
): Fees | undefined {
  if (baseFee + priorityFee > maxFeePerGas) return undefined;
  return { maxFee: least(2n * baseFee + priorityFee, maxFeePerGas), priorityFee };
}

/** The fees of the next transaction of the same nonce; undefined where the bound is reached. */
export function bumpedFees(last: Fees, market: Market, maxFeePerGas: bigint): Fees | undefined {
  const maxFee = raised(last.maxFee);
  if (maxFee > maxFeePerGas) return undefined;
  const priorityFee = most(raised(last.priorityFee), market.priorityFee);
  const wanted = most(maxFee, 2n * market.baseFee + priorityFee);
  const bounded = least(wanted, maxFeePerGas);
  return { maxFee: bounded, priorityFee: least(priorityFee, bounded) };
}

/** An eighth more, rounded up, and never the same. */
function raised(fee: bigint): bigint {
  return fee + fee / 8n + 1n;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
