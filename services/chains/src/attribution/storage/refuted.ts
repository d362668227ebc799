// Hashes that proved nothing. A proof lasts as long as its payment; a hash without one is of no use to a later decision, except
// where it explains money: a transfer that reached the recipient and pays nothing of the tenant keeps its hashes, because they say
// why, and what fell short counts towards the next transfer.
import type { Pool } from "pg";

/** Where a page ended. */
export interface RefutedPlace {
  endedAt: Date;
  id: bigint;
}

export const FIRST_PLACE: RefutedPlace = { endedAt: new Date(0), id: 0n };

// A transaction that the service has signed belongs to its record.
const FORGET = {
  name: "forget-refuted-candidates",
  text: `
    with page as materialized (
      select project_id, id, coalesce(judged_at, give_up_at) as ended_at from candidates
      where state in ('rejected', 'abandoned')
        and (coalesce(judged_at, give_up_at), id) > ($1::timestamptz, $2::bigint)
        and coalesce(judged_at, give_up_at) < $3
      order by coalesce(judged_at, give_up_at), id limit $4
    ), gone as (
      delete from candidates c using page
      where c.project_id = page.project_id and c.id = page.id and c.state in ('rejected', 'abandoned')
        and coalesce(c.judged_at, c.give_up_at) = page.ended_at
        and not exists (select from allocations a where a.candidate_id = c.id)
        and not exists (
          select from signed_transactions s where s.chain_id = c.chain_id and s.tx_hash = c.tx_hash)
        and not exists (
          select from transfers t
          where t.chain_id = c.chain_id and t.tx_hash = c.tx_hash and t.recipient = c.recipient
            and t.currency = c.currency and t.status <> 'orphaned' and not exists (
              select from allocations a
              where a.transfer_id = t.id and a.project_id = c.project_id and a.mode = c.mode))
      returning c.id
    )
    select (select count(*)::int from gone) as forgotten, (select count(*)::int from page) as looked_at, last.*
    from (select) as always
      left join (select ended_at, id from page order by ended_at desc, id desc limit 1) last on true`,
};

export interface Forgotten {
  forgotten: number;
  /** Undefined at the end. */
  last: RefutedPlace | undefined;
}

/** One page of hashes that were refuted or given up before that time. */
export async function forgetRefuted(
  pool: Pool,
  { after, endedBefore, max }: { after: RefutedPlace; endedBefore: Date; max: number },
): Promise<Forgotten> {
  const { rows } = await pool.query<{
    forgotten: number;
    looked_at: number;
    ended_at: Date | null;
    id: string | null;
  }>({ ...FORGET, values: [after.endedAt, after.id, endedBefore, max] });
  const [row] = rows;
  if (row === undefined || row.ended_at === null || row.id === null) {
    return { forgotten: 0, last: undefined };
  }
  const last = { endedAt: row.ended_at, id: BigInt(row.id) };
  return { forgotten: row.forgotten, last: row.looked_at === max ? last : undefined };
}
