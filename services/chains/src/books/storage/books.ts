// The accounts of the books. A process leases a few that stand at the same block, reads the chain, and writes the
// result with their new block in one statement; a lease that has passed to another process writes nothing.
import type { Amount, ChainId, TxHash } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import {
  type Account,
  type Block,
  type Movement,
  type RunningBalance,
  sumMovements,
} from "../domain/book.ts";

export interface LeasedAccount extends Account {
  /** The last block that is in the books; -1 where the account is not opened yet. */
  checkedBlock: number;
  /** What the movements lead to at that block; undefined while no balance was to be had. */
  expected: RunningBalance | undefined;
  /** Where balance and nonce were read last. */
  balanceBlock: number | undefined;
  nonce: number | undefined;
  lease: bigint;
}

/** Accounts that stand at the lowest block below the height, all at the same one. */
export async function leaseAccounts(
  pool: Pool,
  options: { chainId: ChainId; height: number; max: number; leaseMs: number },
): Promise<LeasedAccount[]> {
  const rows = await sql.leaseBookAccounts(pool, options);
  return rows.map(({ checked_block, expected, balance_block, nonce, ...row }) => ({
    ...row,
    checkedBlock: Number(checked_block),
    expected: expected ?? undefined,
    balanceBlock: balance_block === null ? undefined : Number(balance_block),
    nonce: nonce === null ? undefined : Number(nonce),
  }));
}

/** Accounts that could not be checked: they are due again after a pause, and others before them. */
export async function postponeAccounts(
  pool: Pool,
  accounts: readonly LeasedAccount[],
  pauseMs: number,
): Promise<void> {
  await sql.postponeBookAccounts(pool, { accounts, pauseMs });
}

/** An account as the chain shows it at the block up to which it was read. */
export interface Reading {
  account: LeasedAccount;
  expected: RunningBalance | undefined;
  /** Undefined where more blocks follow, and where the provider has no balances of that block. */
  state: { balance: Amount; nonce: number | undefined } | undefined;
  movements: readonly Movement[];
  /** Present where the balance is not what the movements lead to. */
  difference: { recorded: RunningBalance; onChain: Amount } | undefined;
}

/** Returns how many of the accounts were still leased to this process: the others changed nothing. */
export async function writeReadings(
  pool: Pool,
  { number, time }: Block,
  readings: readonly Reading[],
): Promise<number> {
  const [row] = await sql.writeBooks(pool, {
    block: number,
    time,
    accounts: readings.map(({ account, expected, state, movements, difference }) => ({
      id: account.id,
      lease: account.lease,
      expected: expected ?? null,
      balance: state?.balance ?? null,
      nonce: state?.nonce ?? null,
      ...sumMovements(movements),
      unexplained: difference === undefined ? 0n : difference.onChain - difference.recorded,
    })),
    movements: readings.flatMap(({ movements }) => movements.map(toMovementRow)),
    differences: readings.flatMap(({ account, difference }) =>
      difference === undefined
        ? []
        : { account_id: account.id, recorded: difference.recorded, on_chain: difference.onChain },
    ),
  });
  return row?.count ?? 0;
}

function toMovementRow({ accountId, txHash, isIn, blockNumber, blockTime, ...movement }: Movement) {
  return {
    ...movement,
    account_id: accountId,
    tx_hash: txHash,
    is_in: isIn,
    block_number: blockNumber,
    block_time: blockTime,
  };
}

/** Those of the transactions in which a contract passed native coin on to a recipient of the service. */
export async function findTraced(
  pool: Pool,
  chainId: ChainId,
  txHashes: readonly TxHash[],
): Promise<TxHash[]> {
  if (txHashes.length === 0) return [];
  return (await sql.findTraced(pool, { chainId, txHashes })).map(({ tx_hash }) => tx_hash);
}

/** Movements of these accounts that are too old for a report. */
export async function purgeMovements(
  pool: Pool,
  { accounts, ...options }: { accounts: readonly Account[]; before: Date; max: number },
): Promise<void> {
  await sql.purgeBookMovements(pool, { accountIds: accounts.map(({ id }) => id), ...options });
}
