// Compares the sums that are kept beside refunds and settlements with the rows they stand for. A sum changes in the
// transaction that changes its rows, so one statement sees them equal at any time.
import type { Pool } from "pg";

/** The last row of a page, and what it found wrong. */
export interface SumsPage<Place> {
  /** Undefined at the end. */
  last: Place | undefined;
  broken: string[];
}

const BALANCES = {
  name: "compare-refund-balances",
  text: `
    with page as (
      select * from refund_balances where (project_id, payment_id) > ($1, $2)
      order by project_id, payment_id limit $3
    )
    select p.project_id, p.payment_id, (p.reserved, p.completed, p.refunds) is distinct from (r.reserved, r.completed, r.refunds)
      as is_broken
    from page p cross join lateral (
      select coalesce(sum(base_amount) filter (where status <> 'failed'), 0) as reserved,
        coalesce(sum(base_amount) filter (where status = 'completed'), 0) as completed, count(*) as refunds
      from refunds where project_id = p.project_id and payment_id = p.payment_id
    ) r
    order by p.project_id, p.payment_id`,
};

export interface BalancePlace {
  projectId: string;
  paymentId: string;
}

interface BalanceRow {
  project_id: string;
  payment_id: string;
  is_broken: boolean;
}

/** What refunds hold and have given back of payments, and how many they are. */
export async function compareBalances(
  pool: Pool,
  after: BalancePlace,
  max: number,
): Promise<SumsPage<BalancePlace>> {
  const { rows } = await pool.query<BalanceRow>({
    ...BALANCES,
    values: [after.projectId, after.paymentId, max],
  });
  const last = rows.at(-1);
  const isFull = last !== undefined && rows.length === max;
  return {
    last: isFull ? { projectId: last.project_id, paymentId: last.payment_id } : undefined,
    broken: rows.filter((row) => row.is_broken).map((row) => row.payment_id),
  };
}

export interface ProjectPlace {
  projectId: string;
  mode: number;
}

const NEXT_PROJECT = {
  name: "next-project-with-refunds",
  text: `
    select next.project_id, next.mode, (
        select sum(refunds) from refund_totals t where t.project_id = next.project_id and t.mode = next.mode
      ) > $3 as is_large
    from (
      (select project_id, mode from refund_totals where (project_id, mode) > ($1, $2::smallint) order by 1, 2 limit 1)
      union all
      (select project_id, mode from wallet_balances where (project_id, mode) > ($1, $2::smallint) order by 1, 2 limit 1)
    ) next order by 1, 2 limit 1`,
};

// A refund that another wallet paid takes nothing from the one that was to pay.
const PROJECT = {
  name: "compare-project-sums",
  text: `
    with shown as (
      select status, sum(refunds) as n from refund_totals where project_id = $1 and mode = $2::smallint group by status
    ), counted as (
      select status, count(*) as n from refunds where project_id = $1 and mode = $2::smallint group by status
    ), taken as (
      select chain_id, lower(currency) as currency, lower(source_address) as source_address,
        sum(base_amount) as reserved, 0 as settled
      from refunds
      where project_id = $1 and mode = $2::smallint and status <> 'failed'
        and (status = 'completed' and paid_from <> lower(source_address)) is not true
      group by 1, 2, 3
      union all
      select chain_id, lower(currency), lower(source_address), 0, sum(base_amount) from settlements
      where project_id = $1 and mode = $2::smallint and status <> 'failed' group by 1, 2, 3
    ), wallets as (
      select chain_id, currency, source_address, sum(reserved) as reserved, sum(settled) as settled
      from taken group by 1, 2, 3
    )
    select
      exists (select from shown s full join counted c using (status)
        where coalesce(s.n, 0) <> coalesce(c.n, 0)) as totals,
      exists (
        select from (select * from wallet_balances where project_id = $1 and mode = $2::smallint) b
          full join wallets w using (chain_id, currency, source_address)
        where (coalesce(b.reserved_refunds, 0), coalesce(b.settled, 0)) is distinct from
          (coalesce(w.reserved, 0), coalesce(w.settled, 0))) as wallets`,
};

/**
 * What is kept of the next project: its counts by status, and what refunds and settlements take from its wallets. A project
 * that is too large to be counted at once is passed over; its payments are compared all the same.
 */
export async function compareProject(
  pool: Pool,
  after: ProjectPlace,
  refundsMax: number,
): Promise<SumsPage<ProjectPlace>> {
  const values = [after.projectId, after.mode, refundsMax];
  const { rows } = await pool.query<{ project_id: string; mode: number; is_large: boolean | null }>(
    { ...NEXT_PROJECT, values },
  );
  const [next] = rows;
  if (next === undefined) return { last: undefined, broken: [] };
  const last = { projectId: next.project_id, mode: next.mode };
  if (next.is_large) return { last, broken: [] };
  const compared = await pool.query<{ totals: boolean; wallets: boolean }>({
    ...PROJECT,
    values: [last.projectId, last.mode],
  });
  const { totals = false, wallets = false } = compared.rows[0] ?? {};
  const name = `${last.projectId} mode ${last.mode}`;
  return {
    last,
    broken: [...(totals ? [`totals of ${name}`] : []), ...(wallets ? [`wallets of ${name}`] : [])],
  };
}
