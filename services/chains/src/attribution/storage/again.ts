// Payments that are looked for again: what could not pay them when it was followed may pay them now, because the hash that
// was judged first came to nothing, or another wallet or more time is known. All that came since they were opened is stored,
// so no provider is asked, and a hash that means nothing costs a read.
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import { type Watch, watchedSince } from "../domain/watch.ts";
import type { SettledTransfer } from "./final-transfers.ts";
import { type TransferRow, toTransfer } from "./rows.ts";

const NOW_XID = "pg_current_xact_id()::text::bigint";

/** Null where the watch `w` was not followed before. A cursor from another server's count says nothing. */
export const AGAIN_XID = `case when w.again_xid = w.opened_xid or exists (
  select from cursors f where f.chain_id = w.chain_id and f.watched_xid > w.opened_xid and f.watched_xid <= ${NOW_XID}
) then ${NOW_XID} end`;

/** Of an update of watches `w`: its leader looks for them again. */
export const LOOK_AGAIN = `opened_xid = ${NOW_XID}, again_xid = ${AGAIN_XID}`;

// Payments of one recipient are looked for together.
const UNUSED = {
  name: "list-unused-transfers",
  text: `
    with wanted as (
      select recipient, currency, project_id, mode, min(since) as since, max(until) as until
      from unnest($2::text[], $3::text[], $4::text[], $5::smallint[], $6::timestamptz[], $7::timestamptz[])
        as w (recipient, currency, project_id, mode, since, until)
      group by recipient, currency, project_id, mode
    )
    select distinct on (t.id) t.*
    from wanted w join transfers t on t.chain_id = $1 and t.recipient = w.recipient and t.currency = w.currency
      and t.block_time >= w.since and t.block_time <= w.until
    where t.status <> 'orphaned' and t.id > $8 and not exists (
      select from allocations a where a.transfer_id = t.id and a.project_id = w.project_id and a.mode = w.mode)
    order by t.id limit $9`,
};

const PAGE = 1_000;

interface Row extends TransferRow {
  id: string;
  block_number: string;
  block_hash: string;
  block_time: Date;
}

/** Pages of the transfers that came in the time of the payments and pay nothing of their tenants. */
export async function* listUnused(
  pool: Pool,
  chainId: ChainId,
  watches: readonly Watch[],
): AsyncGenerator<SettledTransfer[]> {
  const wanted = [
    watches.map(({ recipient }) => recipient),
    watches.map(({ currency }) => currency),
    watches.map(({ projectId }) => projectId),
    watches.map(({ mode }) => mode),
    watches.map(watchedSince),
    watches.map(({ expiresAt }) => expiresAt),
  ];
  for (let after = "0"; ; ) {
    const { rows } = await pool.query<Row>({
      ...UNUSED,
      values: [chainId, ...wanted, after, PAGE],
    });
    if (rows.length > 0) yield rows.map(toSettled);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

function toSettled(row: Row): SettledTransfer {
  return {
    ...toTransfer(row),
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash,
    blockTime: row.block_time,
  };
}
