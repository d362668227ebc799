// Many payments as they lie in the tables after a year: ids and times spread, most of them closed, in projects of
// different sizes. Rows go into the parts themselves, because triggers for each list would take hours; the counts
// follow at the end.
import { createHash } from "node:crypto";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import { HOURS_ABOVE } from "../../services/payments/src/storage/hourly-counts.ts";

const LIST = 20_000;
const CONNECTIONS = 4;
const CHECKPOINTS = [
  ["max_wal_size", "8GB"],
  ["checkpoint_timeout", "1h"],
] as const;
const OTHER_PROJECTS = 400;
const YEAR_MS = 365 * 86_400_000;
/** Every fifth payment is of the project that is measured. */
export const OWN_EVERY = 5;
/** Of twenty payments of a project. */
const STATUSES = [...Array(16).fill("confirmed"), "expired", "expired", "expired", "failed"];
/** The order of every second payment of the measured project, as of a subscription. */
export const CONSTANT_ORDER = "subscription";

const INSERT = `
  insert into payments_closed (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
    recipient_address, qr_mode, order_id, secret_version, expires_at, created_at, confirmed_at, tx_hash, block_number,
    payer_address, sender_address, received_base_amount, final_base_amount, money_turn, hashes,
    version, steps)
  select id, project_id, 1, 1, status, '1.5', 1500000000000000000, 18, 'native', 31337,
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', false, order_id, 1, created_at + interval '30 minutes', created_at,
    case when status = 'confirmed' then created_at + interval '2 minutes' end,
    case when status <> 'expired' then sha256(convert_to(id, 'UTF8')) end,
    case when status = 'confirmed' then 21000000 end,
    case when status = 'confirmed' then substr(sha256(convert_to(id || 'payer', 'UTF8')), 1, 20) end,
    case when status = 'confirmed' then substr(sha256(convert_to(id || 'payer', 'UTF8')), 1, 20) end,
    case when status = 'confirmed' then 1500000000000000000 end,
    case when status = 'confirmed' then 1500000000000000000 end,
    case when status = 'confirmed' then 1 end,
    case when status <> 'expired' then jsonb_build_array(jsonb_build_object('hash', '0x' || encode(sha256(convert_to(id, 'UTF8')), 'hex'),
      'mined', true, 'outcome', case when status = 'confirmed' then 'counted' else 'reverted' end)) end,
    case when status = 'expired' then 2 else 3 end,
    case when status = 'expired' then format('ee%s', created_ms + 1800000)
    else format(e'tp%s\\n%s%s', created_ms + 60000, repeat(left(status, 1), 2), created_ms + 120000)
    end
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
    as input (id, project_id, status, order_id, created_at)
  cross join lateral (select (extract(epoch from created_at) * 1000)::bigint as created_ms) moment`;

/** Of a payment that is not expired. */
export function getHash(id: string): string {
  return `0x${createHash("sha256").update(id).digest("hex")}`;
}

/** Of a payment that is confirmed. */
export function getPayer(id: string): string {
  return getHash(`${id}payer`).slice(0, 42);
}

export interface Filled {
  /** Ids of the measured project, spread over all times. */
  ids: string[];
}

/** Fills empty tables; the oldest payment is a year old. */
export async function fillPayments(
  database: Pool,
  { projectId, rows }: { projectId: string; rows: number },
): Promise<Filled> {
  const ids: string[] = [];
  const start = Date.now() - YEAR_MS;
  await database.query("truncate payments, payment_totals, payment_counts");
  await withoutCheckpoints(database, async () => {
    for (let from = 0; from < rows; from += LIST) {
      const list = Array.from({ length: Math.min(LIST, rows - from) }, (_, at) => {
        const n = from + at;
        const isOwn = n % OWN_EVERY === 0;
        const ms = Math.floor(start + (n / rows) * (YEAR_MS - 3_600_000));
        const id = newId("pay", ms);
        if (isOwn && n % (OWN_EVERY * 50) === 0) ids.push(id);
        const other = otherProject(n);
        return {
          ...(isOwn
            ? { connection: 0, project: projectId }
            : { connection: 1 + (other % (CONNECTIONS - 1)), project: getName(other) }),
          id,
          status: STATUSES[Math.floor(n / OWN_EVERY) % STATUSES.length],
          order: isOwn && n % (OWN_EVERY * 2) === 0 ? CONSTANT_ORDER : `order-${n}`,
          createdAt: new Date(ms),
        };
      });
      await insertAtOnce(database, list);
    }
    await count(database);
  });
  return { ids };
}

interface Row {
  connection: number;
  id: string;
  project: string;
  status: string | undefined;
  order: string;
  createdAt: Date;
}

/** In several connections; the payments of one project stay in their order. */
async function insertAtOnce(database: Pool, list: readonly Row[]): Promise<void> {
  const parts: Row[][] = Array.from({ length: CONNECTIONS }, () => []);
  for (const row of list) parts[row.connection]?.push(row);
  await Promise.all(
    parts.map((part) =>
      database.query(INSERT, [
        part.map(({ id }) => id),
        part.map(({ project }) => project),
        part.map(({ status }) => status),
        part.map(({ order }) => order),
        part.map(({ createdAt }) => createdAt),
      ]),
    ),
  );
}

/** A checkpoint would write whole pages of the indexes to the log again. */
async function withoutCheckpoints(database: Pool, work: () => Promise<void>): Promise<void> {
  for (const [name, value] of CHECKPOINTS) {
    await database.query(`alter system set ${name} = '${value}'`);
  }
  await database.query("select pg_reload_conf()");
  try {
    await work();
  } finally {
    for (const [name] of CHECKPOINTS) await database.query(`alter system reset ${name}`);
    await database.query("select pg_reload_conf()");
  }
}

/** Few projects have many payments, many have few. */
function otherProject(n: number): number {
  const share = (n * 7_919) % 10_007;
  return Math.floor(OTHER_PROJECTS * (share / 10_007) ** 3);
}

function getName(nth: number): string {
  return `proj_other${String(nth).padStart(19, "0")}`;
}

const COUNT_TOTALS = `
  insert into payment_totals (project_id, mode, variant, status, chain_id, shard, payments)
  select project_id, mode, variant, status, chain_id, 0, count(*) from payments group by 1, 2, 3, 4, 5`;

// As the triggers and the job leave them: by the day, by the hour where a day has many, and by the hour alone where the
// day is not over.
const COUNT_SPANS = `
  with hours as materialized (
    select project_id, status, date_trunc('hour', created_at, 'UTC') as since, count(*) as payments
    from payments group by 1, 2, 3
  ), sized as (
    select *, date_trunc('day', since, 'UTC') as day,
      sum(payments) over (partition by project_id, date_trunc('day', since, 'UTC')) > ${HOURS_ABOVE} as has_hours,
      since >= (select date_trunc('day', max(since), 'UTC') from hours) as is_new
    from hours
  ), spans as (
    select project_id, 'day' as grain, day as since, status, 0 as shard, sum(payments) as payments
    from sized where not is_new group by project_id, day, status
    union all
    select project_id, 'hour', since, status, case when is_new then 1 else 0 end, payments
    from sized where is_new or has_hours
  )
  insert into payment_counts (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, 1, grain, since, 1, status, 31337, shard, payments from spans order by since`;

async function count(database: Pool): Promise<void> {
  await database.query(COUNT_TOTALS);
  await database.query(COUNT_SPANS);
  for (const table of ["payments", "payment_totals", "payment_counts"]) {
    await database.query(`vacuum (analyze) ${table}`);
  }
  await database.query("checkpoint");
}

/** What payments take on disk, with indexes, counts and timelines, by a million of them. */
export async function diskMbPerMillion(database: Pool, rows: number): Promise<number> {
  const { rows: sizes } = await database.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relkind = 'r' and relname in
       ('payments_awaiting', 'payments_processing', 'payments_closed', 'payment_totals', 'payment_counts')`,
  );
  return Number(sizes[0]?.bytes) / rows;
}
