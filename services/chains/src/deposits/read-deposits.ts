// Reads what is at deposit addresses, for the sums that wait to be swept: after each transfer that is known, and now
// and then while something is there, because anybody may sweep it and coin moves without a log. The balance is the
// truth.
import { every, type Runtime } from "@pay/process";
import { type Amount, ZERO_AMOUNT } from "@pay/values";
import type { Pool } from "pg";
import { findSettledHeight } from "../catalog/domain/finality.ts";
import { type LeaseDepositsRow, leaseDeposits, writeDeposits } from "../generated/sql.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { createChainHeadCaches } from "../verification/chain-head-cache.ts";
import type { Verifier } from "../verification/verifier.ts";

/** The head may be replaced in any case. */
const CONFIRMATIONS_MIN = 2;
const INTERVAL_MIN_MS = 1_000;
const LEASE_MS = 60_000;
const DEPOSITS_MAX = 500;
/** While something is there. */
const AGAIN_MS = 600_000;

/** Reads what is due; returns how many. */
function createDepositReader(verifier: Verifier, pool: Pool): () => Promise<number> {
  const { chain, providers, clock } = verifier;
  const { chainId, blockTimeMs } = chain;
  const confirmations = Math.max(chain.finality.confirmations, CONFIRMATIONS_MIN);
  const policy = { ...chain.finality, confirmations };
  const getHeadCache = createChainHeadCaches(policy, blockTimeMs);

  async function readAll(leased: readonly LeaseDepositsRow[]) {
    const holdings = leased.map(({ address, currency }) => ({ account: address, currency }));
    for (const reader of await providers.readers()) {
      const heights = await tryRequest(getHeadCache(reader).heights());
      if (heights === undefined) continue;
      const block = findSettledHeight(heights, policy);
      const amounts = await tryRequest(reader.holdings(holdings, block));
      if (amounts !== undefined) return { block, amounts };
    }
    return undefined;
  }

  function getNext(amount: Amount, changedBlock: bigint, block: number): Date | null {
    const isKnown = changedBlock <= block;
    if (isKnown && amount === ZERO_AMOUNT) return null;
    const delayMs = isKnown ? AGAIN_MS : Math.max(blockTimeMs, INTERVAL_MIN_MS);
    return new Date(clock.now().getTime() + delayMs);
  }

  return async () => {
    const now = clock.now();
    const leasedUntil = new Date(now.getTime() + LEASE_MS);
    const leased = await leaseDeposits(pool, { chainId, now, leasedUntil, max: DEPOSITS_MAX });
    if (leased.length === 0) return 0;
    const read = await readAll(leased);
    if (read === undefined) return 0;
    await writeDeposits(pool, {
      chainId,
      block: read.block,
      now,
      deposits: leased.map(({ address, currency, changed_block }, at) => {
        const amount = read.amounts[at] ?? ZERO_AMOUNT;
        const next_at = getNext(amount, changed_block, read.block);
        return { address, currency, amount, changed_block, next_at };
      }),
    });
    return leased.length;
  };
}

/** One job per chain. */
export function startReadingDeposits(
  verifiers: readonly Verifier[],
  pool: Pool,
  runtime: Runtime,
): void {
  for (const verifier of verifiers) {
    const { chain } = verifier;
    const readDue = createDepositReader(verifier, pool);
    const job = every({
      name: `deposit addresses of chain ${chain.chainId}`,
      intervalMs: Math.max(chain.blockTimeMs, INTERVAL_MIN_MS),
      runtime,
      act: async () => {
        if ((await readDue()) === DEPOSITS_MAX) job.wake();
      },
    });
  }
}
