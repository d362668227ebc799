// What the books of a project's wallets say of a time, beside what is recorded for it.
import { bigints } from "@pay/database";
import { type Amount, toAmount } from "@pay/values";
import type { Pool } from "pg";
import type { RunningBalance } from "../domain/book.ts";

const LINES_MAX = 1_000;

/** Of one project; from is in it, to is not. */
export interface BookTime {
  projectId: string;
  from: Date;
  to: Date;
}

/** What the books show, and what is recorded. */
type Sums<T> = Record<
  | ("received" | "refunded" | "settled" | "foreign_in" | "foreign_out" | "gas")
  | ("recorded_received" | "recorded_refunded" | "recorded_settled"),
  T
>;

interface AccountPlace {
  mode: number;
  chain_id: bigint;
  wallet: string;
  currency: string;
  symbol: string;
  decimals: number;
  checked_block: bigint;
  balance_block: bigint | null;
}

interface AccountRow extends AccountPlace, Sums<bigint> {
  balance: bigint | null;
}

export interface BookedAccount extends AccountPlace, Sums<Amount> {
  /** Null where it was to be had from no provider. */
  balance: Amount | null;
}

// What a transfer is follows from what it pays in the records of the project; that it happened follows from the chain. A
// transfer is recorded after it was mined, and given up after a week.
const ACCOUNTS = `
  with wallets as (
    select distinct mode, chain_id, coalesce(nullif(sender, ''), recipient) as wallet
    from known_recipients where project_id = $1
  ), recorded as materialized (
    select a.mode, t.chain_id, t.currency, t.sender, t.recipient, a.subject_id, t.value
    from allocations a join transfers t on t.id = a.transfer_id
    where a.project_id = $1 and a.mode in (1, 2) and a.created_at >= $2::timestamptz - interval '1 hour'
      and a.created_at < $3::timestamptz + interval '8 days'
      and t.block_time >= $2 and t.block_time < $3 and t.status <> 'orphaned'
  )
  select w.mode, b.chain_id, b.wallet, b.currency, coalesce(k.symbol, c.symbol) as symbol,
    coalesce(k.decimals, c.native_decimals)::int as decimals, b.checked_block, b.balance, b.balance_block,
    shown.*, held.*
  from wallets w join book_accounts b using (chain_id, wallet) join chains c using (chain_id)
    left join tokens k on k.chain_id = b.chain_id and k.address = b.currency
    cross join lateral (
      select coalesce(sum(m.value) filter (where m.is_in and a.subject_id like 'pay\\_%'), 0) as received,
        coalesce(sum(m.value) filter (where not m.is_in and a.subject_id like 'refund\\_%'), 0) as refunded,
        coalesce(sum(m.value) filter (where not m.is_in and a.subject_id like 'stl\\_%'), 0) as settled,
        coalesce(sum(m.value) filter (where m.kind = 'gas'), 0) as gas,
        coalesce(sum(m.value) filter (where m.is_in and a.subject_id not like 'pay\\_%' is not false), 0) as foreign_in,
        coalesce(sum(m.value) filter (where not m.is_in and m.kind <> 'gas'
          and a.subject_id like 'pay\\_%' is not false), 0) as foreign_out
      from book_movements m
        left join transfers t on t.chain_id = b.chain_id and t.tx_hash = m.tx_hash and t.kind = m.kind
          and t.ordinal = m.ordinal and t.status <> 'orphaned'
        left join allocations a on a.transfer_id = t.id and a.project_id = $1 and a.mode = w.mode
      where m.account_id = b.id and m.block_time >= $2 and m.block_time < $3
    ) shown
    cross join lateral (
      select
        coalesce(sum(r.value) filter (where r.recipient = b.wallet and r.subject_id like 'pay\\_%'), 0) as recorded_received,
        coalesce(sum(r.value) filter (where r.sender = b.wallet and r.subject_id like 'refund\\_%'), 0) as recorded_refunded,
        coalesce(sum(r.value) filter (where r.sender = b.wallet and r.subject_id like 'stl\\_%'), 0) as recorded_settled
      from recorded r where r.mode = w.mode and r.chain_id = b.chain_id and r.currency = b.currency
    ) held
  order by w.mode, b.chain_id, b.wallet, b.currency limit ${LINES_MAX}`;

export interface BookDifference {
  id: bigint;
  kind: string;
  chain_id: bigint;
  wallet: string;
  symbol: string;
  decimals: number;
  subject_id: string | null;
  tx_hash: string | null;
  block_number: bigint;
  recorded: RunningBalance;
  on_chain: RunningBalance;
  noted_at: Date;
  closed_at: Date | null;
}

const DIFFERENCES = `
  select d.*, b.chain_id, b.wallet, coalesce(k.symbol, c.symbol) as symbol,
    coalesce(k.decimals, c.native_decimals)::int as decimals
  from book_differences d join book_accounts b on b.id = d.account_id join chains c using (chain_id)
    left join tokens k on k.chain_id = b.chain_id and k.address = b.currency
  where (d.project_id = $1 or d.project_id is null and (b.chain_id, b.wallet) in (
      select chain_id, coalesce(nullif(sender, ''), recipient) from known_recipients where project_id = $1))
    and (d.closed_at is null or d.noted_at >= $2 and d.noted_at < $3)
  order by d.id limit ${LINES_MAX}`;

export async function listBookedAccounts(pool: Pool, time: BookTime): Promise<BookedAccount[]> {
  const values = [time.projectId, time.from, time.to];
  const { rows } = await pool.query<AccountRow>({ text: ACCOUNTS, types: bigints, values });
  return rows.map((row) => ({
    ...row,
    balance: row.balance === null ? null : toAmount(row.balance),
    received: toAmount(row.received),
    recorded_received: toAmount(row.recorded_received),
    refunded: toAmount(row.refunded),
    recorded_refunded: toAmount(row.recorded_refunded),
    settled: toAmount(row.settled),
    recorded_settled: toAmount(row.recorded_settled),
    foreign_in: toAmount(row.foreign_in),
    foreign_out: toAmount(row.foreign_out),
    gas: toAmount(row.gas),
  }));
}

/** Those that are open, and those that were noted within the time. */
export async function listBookDifferences(pool: Pool, time: BookTime): Promise<BookDifference[]> {
  const values = [time.projectId, time.from, time.to];
  const { rows } = await pool.query<BookDifference>({ text: DIFFERENCES, types: bigints, values });
  return rows;
}
