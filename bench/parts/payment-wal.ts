// What the life of a payment writes to the log of the database: creation, hash, proof. Images of full pages are left
// out, because their number depends on the time between checkpoints; so are the outbox and what it needs.
import { Client, Pool } from "pg";
import { createList, moveList } from "./payment-lives.ts";

const LISTS = 1_500;
const PROJECTS = 50;
const NOT_COUNTED = ["outbox", "outbox_pkey", "outbox_id_seq"];

/** Bytes per payment, in lists of this length; the database is one of the superuser's, and empty. */
export async function walPerPayment(url: string, listLength: number): Promise<number> {
  const admin = new Client(url);
  const pool = new Pool({ connectionString: url, max: 1 });
  await admin.connect();
  try {
    await admin.query("create extension if not exists pg_walinspect");
    const from = await position(admin);
    const lists = Math.ceil(LISTS / listLength);
    for (let list = 0; list < lists; list++) await live(pool, list, listLength);
    const { rows } = await admin.query<{ bytes: string }>(
      `with block as (
         select distinct on (start_lsn) start_lsn, relfilenode from pg_get_wal_block_info($1, $2) order by start_lsn, block_id
       )
       select sum(record.record_length - record.fpi_length) as bytes
       from pg_get_wal_records_info($1, $2) record
       left join block using (start_lsn)
       left join pg_class on pg_relation_filenode(pg_class.oid) = block.relfilenode
       where resource_manager <> 'XLOG' and coalesce(relname, '') <> all ($3::text[])`,
      [from, await position(admin), NOT_COUNTED],
    );
    return Number(rows[0]?.bytes) / (lists * listLength);
  } finally {
    await pool.end();
    await admin.end();
  }
}

async function position(admin: Client): Promise<string> {
  // The functions that read the log need a position that is written.
  await admin.query("select pg_switch_wal()");
  const { rows } = await admin.query<{ at: string }>("select pg_current_wal_flush_lsn() as at");
  return rows[0]?.at ?? "";
}

async function live(pool: Pool, list: number, length: number): Promise<void> {
  const projectId = `proj_${String(list % PROJECTS).padStart(24, "0")}`;
  const now = new Date();
  const orderIds = Array.from({ length }, (_, at) => `order-${list}-${at}`);
  let payments = await createList(pool, { projectId, now, orderIds });
  for (const trigger of ["submit", "confirm"] as const) {
    payments = await moveList(pool, { payments, trigger, now });
  }
}
