// The transfers to recipients of a tenant, and what each of them pays there.
import { bigints, condition, type Page, type PageRequest, selectPage } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import type { FindCountedTransfersRow } from "../../generated/sql.ts";
import { NATIVE } from "../../providers/domain/transfer.ts";

export interface Arrival extends Omit<FindCountedTransfersRow, "subject_id"> {
  id: bigint;
  created_at: Date;
  chain_id: bigint;
  currency: string;
  status: "seen" | "final";
  /** What it pays; null where it pays nothing. */
  subject_id: string | null;
  reason: string | null;
  /** Of its currency. */
  decimals: number;
}

// The hashes of a transfer that pays something are not looked up, which the case makes sure of.
// A recipient of refunds is known for the transfers of the paying wallet only, unless it is one of payments too.
const ARRIVALS = `(
  select r.project_id, r.mode, t.id, t.block_time as created_at, t.chain_id, t.tx_hash, t.kind, t.ordinal, t.currency,
    t.sender, t.recipient, t.value, t.block_number, t.block_time, t.status, a.subject_id, a.created_at as confirmed_at,
    case when a.subject_id is null then not exists (
      select from candidates c where c.chain_id = t.chain_id and c.tx_hash = t.tx_hash and c.recipient = t.recipient
        and c.currency = t.currency and c.project_id = r.project_id and c.mode = r.mode and c.state = 'waiting'
    ) else false end as unmatched
  from known_recipients r join transfers t on t.chain_id = r.chain_id and t.recipient = r.recipient
      and t.currency = r.currency and t.block_time >= date_trunc('second', r.known_since)
    left join allocations a on a.transfer_id = t.id and a.project_id = r.project_id and a.mode = r.mode
  where t.status <> 'orphaned' and (r.sender = '' or r.sender = t.sender and not exists (
    select from known_recipients p where p.project_id = r.project_id and p.mode = r.mode and p.chain_id = r.chain_id
      and p.recipient = r.recipient and p.currency = r.currency and p.sender = ''))
) arrivals`;

// Read for the rows of a page only.
const COLUMNS = `arrivals.*, (
  select c.reason from candidates c
  where c.chain_id = arrivals.chain_id and c.tx_hash = arrivals.tx_hash and c.recipient = arrivals.recipient
    and c.currency = arrivals.currency and c.project_id = arrivals.project_id and c.mode = arrivals.mode
    and c.state = 'rejected' and arrivals.subject_id is null
  order by c.judged_at desc limit 1) as reason, (
  select native_decimals from chains where chain_id = arrivals.chain_id and arrivals.currency = '${NATIVE}'
  union all
  select decimals from tokens where chain_id = arrivals.chain_id and address = arrivals.currency) as decimals`;

export function listArrivals(
  pool: Pool,
  { projectId, mode }: Tenant,
  {
    page,
    unmatched,
    chainId,
  }: {
    page: PageRequest;
    unmatched: boolean | undefined;
    chainId: bigint | undefined;
  },
): Promise<Page<Arrival>> {
  return selectPage<Arrival>(pool, {
    table: ARRIVALS,
    scope: [...condition("project_id = ?", projectId), ...condition("mode = ?", mode)],
    filter: [...condition("unmatched = ?", unmatched), ...condition("chain_id = ?", chainId)],
    columns: COLUMNS,
    page,
  });
}

const FIND = {
  name: "find-arrival",
  text: `select ${COLUMNS} from ${ARRIVALS} where project_id = $1 and mode = $2::smallint and id = $3`,
};

export async function findArrival(
  pool: Pool,
  { projectId, mode }: Tenant,
  id: bigint,
): Promise<Arrival | undefined> {
  const { rows } = await pool.query<Arrival>({
    ...FIND,
    types: bigints,
    values: [projectId, mode, id],
  });
  return rows[0];
}
