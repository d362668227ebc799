// Payments that were opened since the leader of their chain read last, or that have to be searched again.
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import type { Watch } from "../../attribution/domain/watch.ts";
import { toWatch } from "../../attribution/storage/watches.ts";
import { type ReadOpenedWatchesRow, readOpenedWatches } from "../../generated/sql.ts";

export interface OpenedWatch {
  watch: Watch;
  /** The transaction that opened it, or that requested another search. */
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
  /** The oldest open transaction: payments of the older ones are here or on a later page. */
  horizon: bigint;
  /** Undefined for the last page. */
  end: OpenedPlace | undefined;
}

/** At most so many, the oldest first: those from a transaction on, or those behind a page. */
export async function readOpened(
  pool: Pool,
  { chainId, from, max }: { chainId: ChainId; from: bigint | OpenedPlace; max: number },
): Promise<OpenedWatches> {
  const after = typeof from === "bigint" ? { xid: from, projectId: "", paymentId: "" } : from;
  const rows = await readOpenedWatches(pool, { chainId, ...after, max });
  const opened = rows.flatMap((row) => toOpened(row) ?? []);
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

/** Undefined for the row that has only the horizon. */
function toOpened({
  payment_id,
  again_xid,
  ...row
}: ReadOpenedWatchesRow): OpenedWatch | undefined {
  if (payment_id === null) return undefined;
  const xid = row.opened_xid;
  return { watch: toWatch({ ...row, payment_id }), xid, isAgain: again_xid === xid };
}
