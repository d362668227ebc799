// The counts of payments by hour and day. Triggers add to shards of an hour, because writers of one row would wait for each
// other; a finished hour needs one row only. Totals of lists are the same before, during and after: rows are folded in one
// transaction, and what is in a shard from 8 on counts for the hour and for its day (listing/total.ts).
import type { PoolClient } from "pg";

/** The first shard of an hour whose payments are not added to the row of the hour and of its day yet. */
export const UNFOLDED_SHARD = 8;

const KEY = "project_id, mode, grain, since, variant, status, chain_id, shard";

const FOLD = {
  name: "fold-spans",
  text: `
    with claimed as (
      select ${KEY} from payment_spans where shard >= ${UNFOLDED_SHARD} and since < $1
      limit $2 for update skip locked
    ), shards as (
      delete from payment_spans using claimed
      where (payment_spans.project_id, payment_spans.mode, payment_spans.grain, payment_spans.since,
          payment_spans.variant, payment_spans.status, payment_spans.chain_id, payment_spans.shard)
        = (claimed.project_id, claimed.mode, claimed.grain, claimed.since,
          claimed.variant, claimed.status, claimed.chain_id, claimed.shard)
      returning payment_spans.project_id, payment_spans.mode, payment_spans.since, payment_spans.variant,
        payment_spans.status, payment_spans.chain_id, payments
    ), parts as (
      select project_id, mode, grain, date_trunc(grain, since, 'UTC') as since, variant, status, chain_id, payments
      from shards cross join (values ('day'), ('hour')) grains (grain)
    ), folded as (
      insert into payment_spans as kept (${KEY}, payments)
      select project_id, mode, grain, since, variant, status, chain_id, 0, sum(payments)
      from parts group by 1, 2, 3, 4, 5, 6, 7 having sum(payments) <> 0 order by 1, 2, 3, 4, 5, 6, 7
      on conflict (${KEY}) do update set payments = kept.payments + excluded.payments
      returning ${KEY}, payments
    )
    select ${KEY}, (select count(*)::int from shards) as shards
    from (select) as always left join folded on folded.payments = 0`,
};

const DELETE_ZERO = {
  name: "delete-zero-span",
  text: `
    delete from payment_spans where project_id = $1 and mode = $2 and grain = $3 and since = $4 and variant = $5
      and status = $6 and chain_id = $7 and shard = $8 and payments = 0`,
};

interface Zero {
  project_id: string | null;
  mode: number;
  grain: string;
  since: Date;
  variant: number;
  status: string;
  chain_id: string;
  shard: number;
  shards: number;
}

/** One bounded round over what began before the time: how many shards were folded. */
export async function foldSpans(
  tx: PoolClient,
  { before, most }: { before: Date; most: number },
): Promise<number> {
  const { rows } = await tx.query<Zero>({ ...FOLD, values: [before, most] });
  for (const { shards, ...key } of rows) {
    if (key.project_id === null) continue;
    const { project_id, mode, grain, since, variant, status, chain_id, shard } = key;
    const values = [project_id, mode, grain, since, variant, status, chain_id, shard];
    await tx.query({ ...DELETE_ZERO, values });
  }
  return rows[0]?.shards ?? 0;
}
