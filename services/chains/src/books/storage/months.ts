// The months of wallets: what the chain moved, beside what is recorded for a tenant.
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";

export type BookRow = sql.FindBookMonthsRow;

const NEWEST = 2n ** 63n - 1n;

/** A page of its wallets in a month, after one of them. */
export async function listMonth(
  pool: Pool,
  tenant: Tenant,
  { after = 0n, ...page }: { month: string; after: bigint | undefined; limit: number },
): Promise<BookRow[]> {
  return findInOrder(pool, tenant, await sql.pageBookMonth(pool, { ...tenant, after, ...page }));
}

/** The months in which the chain is not known to say what the records do, newest first. */
export async function listOpen(
  pool: Pool,
  tenant: Tenant,
  { after: before = NEWEST, limit }: { after: bigint | undefined; limit: number },
): Promise<BookRow[]> {
  return findInOrder(pool, tenant, await sql.pageOpenBooks(pool, { ...tenant, before, limit }));
}

export async function findBook(
  pool: Pool,
  tenant: Tenant,
  id: bigint,
): Promise<BookRow | undefined> {
  return (await findInOrder(pool, tenant, [{ id }]))[0];
}

async function findInOrder(
  pool: Pool,
  { projectId, mode }: Tenant,
  places: readonly { id: bigint }[],
): Promise<BookRow[]> {
  if (places.length === 0) return [];
  const ids = places.map(({ id }) => id);
  const rows = await sql.findBookMonths(pool, { projectId, mode, ids });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Until when records are in the books, and whether a wallet of the tenant is not read to the end of the month. */
export async function readProgress(pool: Pool, { projectId, mode }: Tenant, month: string) {
  const [row] = await sql.readBookProgress(pool, { projectId, mode, month });
  return { recordedUntil: row?.compared_until ?? undefined, isUnfinished: row?.is_unfinished };
}
