// The accounts of the books. A process leases a few that stand at the same block, reads the chain, and writes what it
// found with their new place in one statement; a lease that has passed to another process by then writes nothing.
import { bigints } from "@pay/database";
import {
  type Amount,
  type ChainId,
  type TxHash,
  toAddress,
  toCurrency,
  toTxHash,
} from "@pay/values";
import type { Pool } from "pg";
import type { Account, Movement, RunningBalance } from "../domain/book.ts";

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

interface AccountRow {
  id: bigint;
  wallet: string;
  currency: string;
  checked_block: bigint;
  expected: bigint | null;
  balance_block: bigint | null;
  nonce: bigint | null;
  lease: bigint;
}

const LEASE = {
  name: "lease-book-accounts",
  text: `
    with lowest as (
      select checked_block from book_accounts
      where chain_id = $1 and checked_block < $2 and leased_until < clock_timestamp()
      order by checked_block limit 1
    ), due as (
      select id from book_accounts
      where chain_id = $1 and checked_block = (select checked_block from lowest) and leased_until < clock_timestamp()
      order by leased_until, id limit $3 for update skip locked
    )
    update book_accounts b set lease = b.lease + 1,
      leased_until = clock_timestamp() + $4 * interval '1 millisecond'
    from due where b.id = due.id
    returning b.id, b.wallet, b.currency, b.checked_block, b.expected, b.balance_block, b.nonce, b.lease`,
};

/** Accounts that stand at the lowest block below the height, all at the same one. */
export async function leaseAccounts(
  pool: Pool,
  {
    chainId,
    height,
    max,
    leaseMs,
  }: { chainId: ChainId; height: number; max: number; leaseMs: number },
): Promise<LeasedAccount[]> {
  const values = [chainId, height, max, leaseMs];
  const { rows } = await pool.query<AccountRow>({ ...LEASE, types: bigints, values });
  return rows.map(
    ({ wallet, currency, checked_block, expected, balance_block, nonce, ...row }) => ({
      ...row,
      wallet: toAddress(wallet),
      currency: toCurrency(currency),
      checkedBlock: Number(checked_block),
      expected: expected ?? undefined,
      balanceBlock: balance_block === null ? undefined : Number(balance_block),
      nonce: nonce === null ? undefined : Number(nonce),
    }),
  );
}

const POSTPONE = {
  name: "postpone-book-accounts",
  text: `
    update book_accounts b set leased_until = clock_timestamp() + $3 * interval '1 millisecond'
    from unnest($1::bigint[], $2::bigint[]) as g (id, lease) where b.id = g.id and b.lease = g.lease`,
};

/** Accounts that could not be checked: they are due again after a pause, and others before them. */
export async function postponeAccounts(
  pool: Pool,
  accounts: readonly LeasedAccount[],
  pauseMs: number,
): Promise<void> {
  const ids = accounts.map(({ id }) => id.toString());
  const leases = accounts.map(({ lease }) => lease.toString());
  await pool.query({ ...POSTPONE, values: [ids, leases, pauseMs] });
}

/** What the chain says of an account at the block up to which it was read. */
export interface Reading {
  account: LeasedAccount;
  expected: RunningBalance | undefined;
  /** Undefined where more blocks follow, and where the provider has no balances of that block. */
  state: { balance: Amount; nonce: number | undefined } | undefined;
  movements: readonly Movement[];
  /** Present where the balance is not what the movements lead to. */
  difference: { recorded: RunningBalance; onChain: Amount } | undefined;
}

const ACCOUNT_TYPES = ["bigint", "bigint", "numeric", "numeric", "bigint"];
const MOVEMENT_TYPES = [
  "bigint",
  "text",
  "text",
  "integer",
  "boolean",
  "numeric",
  "bigint",
  "timestamptz",
];
const DIFFERENCE_TYPES = ["bigint", "numeric", "numeric"];

function arrays(types: readonly string[], from: number): string {
  return types.map((type, at) => `$${from + at}::${type}[]`).join(", ");
}

const MOVEMENTS_FROM = 2 + ACCOUNT_TYPES.length;
const DIFFERENCES_FROM = MOVEMENTS_FROM + MOVEMENT_TYPES.length;

const WRITE = {
  name: "write-books",
  text: `
    with given as (
      select * from unnest(${arrays(ACCOUNT_TYPES, 2)}) as g (id, lease, expected, balance, nonce)
    ), checked as (
      update book_accounts b set checked_block = $1, expected = g.expected,
        opened_block = case when b.opened_block = -1 then $1 else b.opened_block end,
        balance = coalesce(g.balance, b.balance), nonce = coalesce(g.nonce, b.nonce),
        balance_block = case when g.balance is null then b.balance_block else $1 end,
        leased_until = '2000-01-01T00:00:00Z'
      from given g where b.id = g.id and b.lease = g.lease
      returning b.id
    ), moved as (
      insert into book_movements (account_id, tx_hash, kind, ordinal, is_in, value, block_number, block_time)
      select m.* from unnest(${arrays(MOVEMENT_TYPES, MOVEMENTS_FROM)})
        as m (account_id, tx_hash, kind, ordinal, is_in, value, block_number, block_time)
      where m.account_id in (select id from checked)
      on conflict do nothing
    ), differing as (
      insert into book_differences (account_id, kind, reference, block_number, recorded, on_chain)
      select d.account_id, 'balance', 'block ' || $1, $1, d.recorded, d.on_chain
      from unnest(${arrays(DIFFERENCE_TYPES, DIFFERENCES_FROM)}) as d (account_id, recorded, on_chain)
      where d.account_id in (select id from checked)
      on conflict do nothing
    )
    select count(*)::int as n from checked`,
};

/** Answers how many of the accounts were still leased to this process: the others changed nothing. */
export async function writeReadings(
  pool: Pool,
  block: number,
  readings: readonly Reading[],
): Promise<number> {
  const accounts = readings.map(({ account, expected, state }) => [
    account.id,
    account.lease,
    expected,
    state?.balance,
    state?.nonce,
  ]);
  const movements = readings.flatMap((reading) =>
    reading.movements.map(({ accountId, txHash, kind, ordinal, isIn, value, ...at }) => [
      accountId,
      txHash,
      kind,
      ordinal,
      isIn,
      value,
      at.blockNumber,
      at.blockTime,
    ]),
  );
  const differences = readings.flatMap(({ account, difference }) =>
    difference === undefined ? [] : [[account.id, difference.recorded, difference.onChain]],
  );
  function columns(types: readonly string[], rows: readonly unknown[][]) {
    return types.map((_, at) => rows.map((row) => toText(row[at])));
  }

  const values = [
    block,
    ...columns(ACCOUNT_TYPES, accounts),
    ...columns(MOVEMENT_TYPES, movements),
    ...columns(DIFFERENCE_TYPES, differences),
  ];
  const { rows } = await pool.query<{ n: number }>({ ...WRITE, values });
  return rows[0]?.n ?? 0;
}

function toText(value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : (value ?? null);
}

const TRACED = {
  name: "find-traced",
  text: `
    select distinct tx_hash from transfers
    where chain_id = $1 and kind = 'trace' and status <> 'orphaned' and tx_hash = any($2::text[])`,
};

/** Those of the transactions in which a contract passed native coin on to someone who waited for it. */
export async function findTraced(
  pool: Pool,
  chainId: ChainId,
  txHashes: readonly TxHash[],
): Promise<TxHash[]> {
  if (txHashes.length === 0) return [];
  const { rows } = await pool.query<{ tx_hash: string }>({
    ...TRACED,
    values: [chainId, txHashes],
  });
  return rows.map(({ tx_hash }) => toTxHash(tx_hash));
}

const PURGE = {
  name: "purge-book-movements",
  text: `
    delete from book_movements where ctid = any(array(
      select ctid from book_movements where account_id = any($1::bigint[]) and block_time < $2 limit $3))`,
};

/** Movements of these accounts that are too old to be asked for. */
export async function purgeMovements(
  pool: Pool,
  { accounts, before, max }: { accounts: readonly Account[]; before: Date; max: number },
): Promise<void> {
  const values = [accounts.map(({ id }) => id.toString()), before, max];
  await pool.query({ ...PURGE, values });
}
