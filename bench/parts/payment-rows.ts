// Many payments as they lie in the tables after a year: ids and times spread, most of them closed, in projects of different
// sizes. Rows go into the parts themselves, because triggers for each list would take hours; the counts follow at the end.
import { transaction } from "@pay/database";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import {
  foldSpans,
  HOURS_ABOVE,
  UNFOLDED_SHARD,
} from "../../services/payments/src/storage/spans.ts";

const LIST = 20_000;
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
    payer_address, sender_address, received_base_amount, attempts, version, steps)
  select id, project_id, 1, 1, status, '1.5', 1500000000000000000, 18, payment_spelling('native'), 31337,
    payment_spelling('0x70997970C51812dc3A010C7d01b50e0d17dc79C8'), false, order_id, 1, created_at + interval '30 minutes', created_at,
    case when status = 'confirmed' then created_at + interval '2 minutes' end,
    case when status <> 'expired' then sha256(convert_to(id, 'UTF8')) end,
    case when status = 'confirmed' then 21000000 end,
    case when status = 'confirmed' then substr(sha256(convert_to(id || 'payer', 'UTF8')), 1, 20) end,
    case when status = 'confirmed' then substr(sha256(convert_to(id || 'payer', 'UTF8')), 1, 20) end,
    case when status = 'confirmed' then 1500000000000000000 end,
    case when status = 'expired' then 0 else 1 end, case when status = 'expired' then 2 else 3 end,
    case when status = 'expired' then payment_step('expired', 'expired', created_at + interval '30 minutes', null, null)
    else payment_steps_with(
      payment_step('transaction_submitted', 'processing', created_at + interval '1 minute', null, null),
      payment_step(status, status, created_at + interval '2 minutes', null, null))
    end
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
    as input (id, project_id, status, order_id, created_at)`;

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
  await database.query("set synchronous_commit = off");
  await database.query("truncate payment_records, payment_totals, payment_spans");
  for (let from = 0; from < rows; from += LIST) {
    const list = Array.from({ length: Math.min(LIST, rows - from) }, (_, at) => {
      const n = from + at;
      const isOwn = n % OWN_EVERY === 0;
      const ms = Math.floor(start + (n / rows) * (YEAR_MS - 3_600_000));
      const id = newId("pay", ms);
      if (isOwn && n % (OWN_EVERY * 50) === 0) ids.push(id);
      return {
        id,
        project: isOwn ? projectId : otherProject(n),
        status: STATUSES[Math.floor(n / OWN_EVERY) % STATUSES.length],
        order: isOwn && n % (OWN_EVERY * 2) === 0 ? CONSTANT_ORDER : `order-${n}`,
        createdAt: new Date(ms),
      };
    });
    await database.query(INSERT, [
      list.map(({ id }) => id),
      list.map(({ project }) => project),
      list.map(({ status }) => status),
      list.map(({ order }) => order),
      list.map(({ createdAt }) => createdAt),
    ]);
    await countList(database, list);
  }
  await finish(database);
  return { ids };
}

/** Few projects have many payments, many have few. */
function otherProject(n: number): string {
  const share = (n * 7_919) % 10_007;
  const nth = Math.floor(OTHER_PROJECTS * (share / 10_007) ** 3);
  return `proj_other${String(nth).padStart(19, "0")}`;
}

const COUNT = `
  insert into payment_spans as kept (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, 1, 'hour', date_trunc('hour', created_at, 'UTC'), 1, status, 31337, ${UNFOLDED_SHARD}, count(*)
  from unnest($1::text[], $2::text[], $3::timestamptz[]) as input (project_id, status, created_at)
  group by 1, 4, 6
  on conflict (project_id, mode, grain, since, variant, status, chain_id, shard)
  do update set payments = kept.payments + excluded.payments`;

interface Counted {
  project: string;
  status: string | undefined;
  createdAt: Date;
}

// As in life: counts are written by the hour, and folded once their day is over.
async function countList(database: Pool, list: readonly Counted[]): Promise<void> {
  await database.query(COUNT, [
    list.map(({ project }) => project),
    list.map(({ status }) => status),
    list.map(({ createdAt }) => createdAt),
  ]);
  const before = list.at(-1)?.createdAt ?? new Date();
  const round = { before, most: 2_000, hoursAbove: HOURS_ABOVE };
  // The product that is measured folds, too, so one of the two may have to begin again.
  while (
    await transaction(database, (tx) => foldSpans(tx, round), { isolation: "repeatable read" })
  );
  await database.query("vacuum (analyze) payment_spans");
}

async function finish(database: Pool): Promise<void> {
  await database.query(`
    insert into payment_totals (project_id, mode, variant, status, chain_id, shard, payments)
    select project_id, mode, variant, status, chain_id, 0, count(*) from payment_records group by 1, 2, 3, 4, 5`);
  for (const table of ["payment_records", "payment_totals", "payment_spans"]) {
    await database.query(`vacuum (analyze) ${table}`);
  }
  await database.query("checkpoint");
}

/** What payments take on disk, with indexes, counts and timelines, by a million of them. */
export async function diskMbPerMillion(database: Pool, rows: number): Promise<number> {
  const { rows: sizes } = await database.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(oid)) as bytes from pg_class
     where relkind = 'r' and relname in
       ('payments_awaiting', 'payments_processing', 'payments_closed', 'payment_totals', 'payment_spans')`,
  );
  return Number(sizes[0]?.bytes) / rows;
}
