// Payments that were opened since the leader of their chain read last.
import type { Address, ChainId, Currency } from "@pay/values";
import type { Pool } from "pg";
import { type ReadOpenedWatchesRow, readOpenedWatches } from "../../generated/sql.ts";

/** A payment whose recipient is followed. */
export interface OpenedPayment {
  projectId: string;
  paymentId: string;
  recipient: Address;
  /** Its deposit address. */
  payTo: Address | undefined;
  currency: Currency;
  openedAt: Date;
}

export interface OpenedWatch {
  watch: OpenedPayment;
  /** The transaction that opened it. */
  xid: bigint;
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
function toOpened(row: ReadOpenedWatchesRow): OpenedWatch | undefined {
  if (row.payment_id === null) return undefined;
  return {
    watch: {
      projectId: row.project_id,
      paymentId: row.payment_id,
      recipient: row.recipient,
      payTo: row.pay_to ?? undefined,
      currency: row.currency,
      openedAt: row.opened_at,
    },
    xid: row.opened_xid,
  };
}
