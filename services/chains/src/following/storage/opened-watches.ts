// SQL of payments that were opened since the leader of their chain looked last, or that it has to look for again.
import { bigints } from "@pay/database";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import type { Watch } from "../../attribution/domain/watch.ts";
import { toWatch, type WatchRow } from "../../attribution/storage/watches.ts";

// Transactions commit out of order. What is read again from the oldest one that was open at the last reading misses
// nothing; what it holds twice is known by payment and transaction. A position from another server's count starts anew.
const OPENED = {
  name: "read-opened-watches",
  text: `
    with snapshot as (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon)
    select snapshot.horizon, w.*
    from snapshot left join lateral (
      select * from watches w
      where w.chain_id = $1 and w.state = 'open'
        and (w.opened_xid, w.project_id, w.payment_id) > (case when $3 = '' and $2 > horizon then 0 else $2 end, $3, $4)
      order by w.opened_xid, w.project_id, w.payment_id limit $5) w on true
    order by w.opened_xid, w.project_id, w.payment_id`,
};

export interface OpenedWatch {
  watch: Watch;
  /** The transaction that opened it, or after which it is looked for again. */
  xid: bigint;
  /** Whether it was followed before, so that what is stored is all there is. */
  isAgain: boolean;
}

/** Where a page ends. */
export interface OpenedPlace {
  xid: bigint;
  projectId: string;
  paymentId: string;
}

export interface OpenedWatches {
  opened: OpenedWatch[];
  /** The oldest transaction that was open: what the older ones have opened is here or on a later page. */
  horizon: bigint;
  /** Undefined for the last page. */
  end: OpenedPlace | undefined;
}

type Row = WatchRow & { opened_xid: bigint; again_xid: bigint | null };
type NoRow = { payment_id: null };

/** At most so many, the oldest first: those from a transaction on, or those behind a page. */
export async function readOpened(
  pool: Pool,
  { chainId, from, max }: { chainId: ChainId; from: bigint | OpenedPlace; max: number },
): Promise<OpenedWatches> {
  const after = typeof from === "bigint" ? { xid: from, projectId: "", paymentId: "" } : from;
  const { rows } = await pool.query<{ horizon: bigint } & (Row | NoRow)>({
    ...OPENED,
    types: bigints,
    values: [chainId, after.xid, after.projectId, after.paymentId, max],
  });
  const opened = rows.flatMap((row) => (row.payment_id === null ? [] : toOpened(row)));
  const last = opened.length < max ? undefined : opened.at(-1);
  return {
    opened,
    horizon: rows[0]?.horizon ?? after.xid,
    end: last && {
      xid: last.xid,
      projectId: last.watch.projectId,
      paymentId: last.watch.paymentId,
    },
  };
}

function toOpened(row: Row): OpenedWatch {
  const { opened_xid: xid, again_xid } = row;
  return { watch: toWatch(row), xid, isAgain: again_xid === xid };
}
