// How far the last transfer of a payment is from being final, and how long that will take.
import type { Chain } from "@pay/proto";
import type { FollowedPayment } from "../../streams/streams.ts";

export interface ConfirmationProgress {
  confirmations: number | null;
  confirmationsNeeded: number | null;
  estimatedSeconds: number | null;
}

type Paid = Pick<FollowedPayment, "status" | "blockNumber" | "baseAmount" | "decimals" | "needs">;

/** Only they have progress, so that the status of a payment that has ended does not change. */
const CONFIRMING = ["processing"];

export function measureProgress(payment: Paid, chain: Chain | undefined): ConfirmationProgress {
  const confirmationsNeeded = countNeeded(payment, chain);
  if (chain === undefined || !CONFIRMING.includes(payment.status)) {
    return { confirmations: null, confirmationsNeeded, estimatedSeconds: null };
  }
  const depth = measureDepth(payment, chain);
  const confirmations =
    depth === null ? null : Math.min(depth, confirmationsNeeded ?? Number.MAX_SAFE_INTEGER);
  const blocks = payment.needs === undefined ? countRemaining(payment, chain, depth ?? 0) : null;
  return {
    confirmations,
    confirmationsNeeded,
    estimatedSeconds: blocks === null ? null : Math.ceil((blocks * chain.blockTimeMs) / 1_000),
  };
}

/** Null where a tag of the chain decides, and not a number of blocks. */
function countNeeded(payment: Paid, chain: Chain | undefined): number | null {
  return chain === undefined || isHighValue(payment, chain)
    ? null
    : (chain.confirmationsNeeded ?? null);
}

function isHighValue({ baseAmount, decimals }: Paid, { highValueUnits }: Chain): boolean {
  return (
    highValueUnits !== undefined &&
    BigInt(baseAmount) >= BigInt(highValueUnits) * 10n ** BigInt(decimals)
  );
}

/** Blocks from the transfer to the head, both counted. The head was read before, so it may be the older one. */
function measureDepth({ blockNumber }: Paid, { headNumber }: Chain): number | null {
  if (blockNumber === undefined) return null;
  return Math.max(Number((headNumber ?? blockNumber) - blockNumber), 0) + 1;
}

/** Blocks until the transfer is final. A tag of the chain is expected to follow at its present distance. */
function countRemaining(payment: Paid, chain: Chain, depth: number): number | null {
  const needed = countNeeded(payment, chain);
  if (needed !== null) return Math.max(needed - depth, 0);
  const { headNumber, finalNumber } = chain;
  if (isHighValue(payment, chain) || headNumber === undefined || finalNumber === undefined) {
    return null;
  }
  return Math.max(Number(headNumber - finalNumber) + 1 - depth, 0);
}
