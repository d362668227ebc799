// Which open payments transfers may pay: one statement for all transfers of a step. Each part of it stops at the second
// row, because two payments with an equal claim are as ambiguous as two thousand. Payments with a payer are read by the
// payer alone, so those of other wallets are never read, however many are open; of the payer's own those that it has signed
// for come first, then those of exactly the amount, so that none of these is left out.
import { bigints } from "@pay/database";
import type { Address, Amount, ChainId, Currency } from "@pay/values";
import type { Pool } from "pg";
import type { Transfer } from "../../providers/domain/transfer.ts";
import { chosenBy } from "../domain/matching.ts";
import type { Watch } from "../domain/watch.ts";
import { toWatch, type WatchRow } from "./watches.ts";

export interface ArrivedTransfer extends Pick<Transfer, "txHash" | "kind" | "ordinal"> {
  currency: Currency;
  sender: Address;
  recipient: Address;
  value: Amount;
  blockTime: Date;
}

const OF_TENANT = `w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency
  and w.state = 'open' and w.project_id = s.project_id and w.mode = s.mode`;
const IN_TIME = `date_trunc('second', w.opened_at) <= s.block_time and w.expires_at >= s.block_time
  and s.sender <> s.recipient`;

// PostgreSQL knows little of how columns depend on each other. A range of one value, in its order, can be read from one
// index alone without sorting, so each part is read from the index that was made for it.
const OWN = "w.payer between s.sender and s.sender";

function meantBy(transfers: string, isMeant: string): string {
  const meant = `${OF_TENANT} and ${isMeant} and ${IN_TIME}`;
  return `select s.n::int as n, found.* from ${transfers} s cross join lateral (
      (select 'bound' as kind, w.* from watches w
        where ${meant} and ${OWN}
        order by w.payer, w.payer_signed_at is null, w.base_amount <> s.value limit 5)
      union all
      (select 'exact' as kind, w.* from watches w
        where ${meant} and w.payer is null and w.base_amount between s.value and s.value
        order by w.base_amount limit 2)
      union all
      (select 'open' as kind, w.* from watches w
        where ${meant} and w.payer is null order by w.expires_at limit 2)
    ) found`;
}

// What open payments have nothing to do with may be for one that was cancelled, about which its merchant decides.
const FIND = {
  name: "find-matching-watches",
  text: `
    with recursive arrived as (
      select * from unnest($2::text[], $3::text[], $4::text[], $5::numeric[], $6::timestamptz[],
          $7::text[], $8::text[], $9::integer[])
        with ordinality as a (currency, sender, recipient, value, block_time, tx_hash, kind, ordinal, n)
    ), tenants as (
      select first.* from (select distinct recipient, currency from arrived) s
      cross join lateral (
        select w.recipient, w.currency, w.project_id, w.mode from watches w
        where w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency and w.state = 'open'
        order by w.project_id, w.mode limit 1) first
      union all
      select next.* from tenants t cross join lateral (
        select w.recipient, w.currency, w.project_id, w.mode from watches w
        where w.chain_id = $1 and w.recipient = t.recipient and w.currency = t.currency and w.state = 'open'
          and (w.project_id, w.mode) > (t.project_id, t.mode)
        order by w.project_id, w.mode limit 1) next
    ), pairs as (
      select s.*, t.project_id, t.mode from arrived s join tenants t using (recipient, currency)
      where not exists (
        select from transfers x join allocations a on a.transfer_id = x.id
        where x.chain_id = $1 and x.tx_hash = s.tx_hash and x.kind = s.kind and x.ordinal = s.ordinal
          and a.project_id = t.project_id and a.mode = t.mode)
    ), open as (
      ${meantBy("pairs", "not w.cancelled")}
    ), others as materialized (
      select s.* from pairs s
      where not exists (select from open o where o.n = s.n and o.project_id = s.project_id and o.mode = s.mode)
    )
    select * from open
    union all
    ${meantBy("others", "w.cancelled")}`,
};

export interface Match<T extends ArrivedTransfer> {
  watch: Watch;
  transfer: T;
}

export async function findMatches<T extends ArrivedTransfer>(
  pool: Pool,
  chainId: ChainId,
  transfers: readonly T[],
): Promise<Match<T>[]> {
  if (transfers.length === 0) return [];
  const values = [
    chainId,
    transfers.map(({ currency }) => currency),
    transfers.map(({ sender }) => sender),
    transfers.map(({ recipient }) => recipient),
    transfers.map(({ value }) => value.toString()),
    transfers.map(({ blockTime }) => blockTime),
    transfers.map(({ txHash }) => txHash),
    transfers.map(({ kind }) => kind),
    transfers.map(({ ordinal }) => ordinal),
  ];
  type Row = WatchRow & { n: number; kind: "bound" | "exact" | "open" };
  const { rows } = await pool.query<Row>({ ...FIND, types: bigints, values });
  const choices = new Map<string, { n: number; bound: Watch[]; exact: Watch[]; open: Watch[] }>();
  for (const row of rows) {
    const key = `${row.n} ${row.project_id} ${row.mode}`;
    const known = choices.get(key) ?? { n: row.n, bound: [], exact: [], open: [] };
    known[row.kind].push(toWatch(row));
    choices.set(key, known);
  }
  return [...choices.values()].flatMap(({ n, ...kinds }) => {
    const transfer = transfers[n - 1];
    if (transfer === undefined) return [];
    const signed = kinds.bound.filter(({ payerSignedAt }) => payerSignedAt !== undefined);
    const chosen = chosenBy<Watch>(
      { ...kinds, signed },
      ({ baseAmount }) => baseAmount === transfer.value,
    );
    return chosen.map((watch) => ({ watch, transfer }));
  });
}
