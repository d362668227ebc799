// Compares each allocation once with the books, in the order in which allocations were recorded. Their time is that of
// their transaction's begin, so the comparison stays behind the oldest transaction that is still open.
import { transaction } from "@pay/database";
import type { ChainId } from "@pay/values";
import type { Pool, PoolClient } from "pg";

/** waiting: the books have not reached what was recorded next. done: nothing is left to compare. */
export type Compared = "more" | "waiting" | "done";

const OPEN = {
  name: "open-book-cursor",
  text: `
    insert into book_cursors (chain_id, compared_until) values ($1, now())
    on conflict do nothing`,
};

// Without a limit, a transaction that hangs would hold the comparison up; none of the service lives as long as a minute.
const WINDOW = {
  name: "lock-book-window",
  text: `
    select compared_until as since, least(compared_until + interval '10 minutes', greatest(
      clock_timestamp() - interval '60 seconds', (
        select min(xact_start) - interval '1 second' from pg_stat_activity where datname = current_database()
      ))) as until
    from book_cursors where chain_id = $1 for update skip locked`,
};

// Both wallets of a transfer may have accounts. What an account does not cover, because it was opened later, is not in it.
const RECORDED = `
  recorded as (
    select b.id as account_id, b.checked_block, side.is_in, a.project_id, a.mode, a.subject_id,
      t.tx_hash, t.kind, t.ordinal, t.block_number, t.value
    from allocations a join transfers t on t.id = a.transfer_id
      cross join lateral (values (true, t.recipient), (false, t.sender)) side (is_in, wallet)
      join book_accounts b on b.chain_id = t.chain_id and b.wallet = side.wallet and b.currency = t.currency
    where a.created_at > $2 and a.created_at <= $3 and t.chain_id = $1 and t.status <> 'orphaned'
      and t.block_number > b.opened_block and t.block_time > now() - interval '30 days'
  )`;

const UNREACHED = {
  name: "find-unreached-records",
  text: `with ${RECORDED} select exists (select from recorded where checked_block < block_number) as found`,
};

// What a contract passed on is traced where it is recorded in time; else it is in the books as coin that only the balance shows.
const NOTE = {
  name: "note-book-differences",
  text: `
    with ${RECORDED}
    insert into book_differences (account_id, kind, reference, project_id, mode, subject_id, tx_hash, block_number,
      recorded, on_chain)
    select r.account_id, 'transfer', concat_ws(' ', r.tx_hash, r.kind, r.ordinal, r.is_in, r.project_id, r.mode),
      r.project_id, r.mode, r.subject_id, r.tx_hash, r.block_number, r.value, coalesce(m.value, 0)
    from recorded r left join book_movements m on m.account_id = r.account_id and m.tx_hash = r.tx_hash
      and m.kind = r.kind and m.ordinal = r.ordinal and m.is_in = r.is_in
    where r.value <> coalesce(m.value, 0)
      and not (r.kind = 'trace' and m.value is null and exists (
        select from book_movements u where u.account_id = r.account_id and u.kind = 'unseen' and u.is_in = r.is_in
          and u.block_number >= r.block_number and u.value >= r.value))
    on conflict do nothing`,
};

const ADVANCE = {
  name: "advance-book-cursor",
  text: "update book_cursors set compared_until = $2 where chain_id = $1",
};

/** The next window of time; one process at a time. */
export async function compareRecords(pool: Pool, chainId: ChainId): Promise<Compared> {
  await pool.query({ ...OPEN, values: [chainId] });
  return transaction(pool, (tx) => compareWindow(tx, chainId));
}

async function compareWindow(tx: PoolClient, chainId: ChainId): Promise<Compared> {
  const window = await tx.query<{ since: Date; until: Date }>({ ...WINDOW, values: [chainId] });
  const [place] = window.rows;
  if (place === undefined || place.until <= place.since) return "done";
  const values = [chainId, place.since, place.until];
  const { rows } = await tx.query<{ found: boolean }>({ ...UNREACHED, values });
  if (rows[0]?.found) return "waiting";
  await tx.query({ ...NOTE, values });
  await tx.query({ ...ADVANCE, values: [chainId, place.until] });
  return "more";
}

const COUNT = {
  name: "count-book-differences",
  text: `
    select count(*)::int as n from book_differences d join book_accounts b on b.id = d.account_id
    where d.closed_at is null and b.chain_id = $1`,
};

/** Those that no operator has settled. */
export async function countDifferences(pool: Pool, chainId: ChainId): Promise<number> {
  const { rows } = await pool.query<{ n: number }>({ ...COUNT, values: [chainId] });
  return rows[0]?.n ?? 0;
}
