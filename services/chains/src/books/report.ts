// The operator's command that prints the books of a project: what the chains show of its wallets on one day (UTC), beside
// what is recorded for it, and every difference that is open or was noted that day.
import { parseArgs } from "node:util";
import { bigints } from "@pay/database";
import { isId, toDecimal } from "@pay/values";
import type { Pool } from "pg";

const USAGE = "usage: npm run books -- --project ID --day YYYY-MM-DD";
const DAY_MS = 24 * 3_600_000;
const LINES_MAX = 1_000;
const MODES = ["", "live", "test"];

/** A fault that the operator can correct, in one line. */
export class CommandFault extends Error {}

export interface Asked {
  projectId: string;
  from: Date;
  to: Date;
}

export function readArguments(args: string[]): Asked {
  const { project = "", day = "" } = optionsIn(args);
  const from = new Date(`${day}T00:00:00.000Z`);
  const isDay = !Number.isNaN(from.getTime()) && from.toISOString().startsWith(`${day}T`);
  if (!isDay || !isId("proj", project)) throw new CommandFault(USAGE);
  return { projectId: project, from, to: new Date(from.getTime() + DAY_MS) };
}

function optionsIn(args: string[]): { project?: string | undefined; day?: string | undefined } {
  try {
    const options = { project: { type: "string" }, day: { type: "string" } } as const;
    return parseArgs({ args, options }).values;
  } catch {
    throw new CommandFault(USAGE);
  }
}

interface Sums {
  received: bigint;
  refunded: bigint;
  settled: bigint;
}

interface AccountRow extends Sums {
  mode: number;
  chain_id: bigint;
  wallet: string;
  currency: string;
  symbol: string;
  decimals: number;
  checked_block: bigint;
  /** Null where it was to be had from no provider. */
  balance: bigint | null;
  balance_block: bigint | null;
  foreign_in: bigint;
  foreign_out: bigint;
  gas: bigint;
  recorded_received: bigint;
  recorded_refunded: bigint;
  recorded_settled: bigint;
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

interface DifferenceRow {
  id: bigint;
  kind: string;
  chain_id: bigint;
  wallet: string;
  symbol: string;
  decimals: number;
  subject_id: string | null;
  tx_hash: string | null;
  block_number: bigint;
  recorded: bigint;
  on_chain: bigint;
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

export async function reportBooks(pool: Pool, { projectId, from, to }: Asked): Promise<string[]> {
  const values = [projectId, from, to];
  const accounts = await pool.query<AccountRow>({ text: ACCOUNTS, types: bigints, values });
  const found = await pool.query<DifferenceRow>({ text: DIFFERENCES, types: bigints, values });
  const lines = accounts.rows.flatMap(linesOf);
  const differences = found.rows.map(lineOf);
  return [
    ...(lines.length === 0 ? ["the project has no wallet that is known here"] : lines),
    ...(differences.length === 0 ? ["no differences"] : differences),
  ];
}

function linesOf(row: AccountRow): string[] {
  const { mode, chain_id, wallet, symbol, decimals, balance, balance_block } = row;
  const head = `${MODES[mode]} chain ${chain_id} ${wallet} ${symbol}`;
  if (row.checked_block < 0n) return [`${head}: not opened yet`];
  function amount(value: bigint) {
    return toDecimal(value, decimals);
  }

  function sides(name: string, shown: bigint, recorded: bigint) {
    const text = `  ${name.padEnd(9)} ${amount(shown)}`;
    return shown === recorded ? text : `${text} (recorded: ${amount(recorded)})`;
  }

  return [
    balance === null
      ? `${head}: balance unknown, checked up to block ${row.checked_block}`
      : `${head}: ${amount(balance)} at block ${balance_block}, checked up to ${row.checked_block}`,
    sides("received", row.received, row.recorded_received),
    sides("refunded", row.refunded, row.recorded_refunded),
    sides("settled", row.settled, row.recorded_settled),
    `  foreign   ${amount(row.foreign_in)} in, ${amount(row.foreign_out)} out`,
    ...(row.gas === 0n ? [] : [`  gas       ${amount(row.gas)}`]),
  ];
}

function lineOf(row: DifferenceRow): string {
  const { id, kind, decimals, symbol, subject_id, tx_hash } = row;
  const what = [kind, tx_hash, subject_id && `of ${subject_id}`].filter(Boolean).join(" ");
  const sides = [row.recorded, row.on_chain].map((value) =>
    value < 0n ? `-${toDecimal(-value, decimals)}` : toDecimal(value, decimals),
  );
  const end = row.closed_at === null ? "" : `, settled ${row.closed_at.toISOString()}`;
  return `difference ${id}: ${what}, chain ${row.chain_id} ${row.wallet} block ${row.block_number}: recorded ${sides[0]}, on the chain ${sides[1]} ${symbol}, noted ${row.noted_at.toISOString()}${end}`;
}
