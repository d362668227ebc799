// Pages of payments. A page and its total come from one statement, so they are of one instant and cost one round
// trip. Rows are read in the order of an index: where a list spans several shapes or states, each is a lane read in
// order, and the lanes are merged, so that a rare state of a large project is not searched for among the common ones.
import { bigints } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Payment } from "../domain/payment.ts";
import {
  allOf,
  type Condition,
  coarse,
  created,
  type Filter,
  fine,
  given,
  ownedBy,
  stretchOf,
  tenantIs,
  VARIANTS,
} from "./conditions.ts";
import { totalOf } from "./total.ts";

export interface Position {
  id: string;
  created_at: Date;
}

export const findPage = async (
  db: Pool | ClientBase,
  tenant: Tenant,
  filter: Filter,
  { limit, offset, after }: { limit: number; offset: number; after: Position | undefined },
): Promise<{ payments: Payment[]; total: bigint }> => {
  const values: unknown[] = [];
  const total = totalOf(tenant, filter, values);
  // With an order and an end of its own each lane is read off its index, however many rows it has.
  const most = `$${values.push(offset + limit)}`;
  const lanes = lanesOf(filter).map((lane) => {
    const listed = [...tenantIs(tenant), ...coarse(lane), ...fine(lane), ...beyond(filter, after)];
    return `(select * from payments where ${allOf(listed, values)}
      order by created_at desc, id desc limit ${most})`;
  });
  const text = `
    select (${total})::bigint as list_total, page.* from (select) as always
    left join (
      select * from (${lanes.join(" union all ")}) lanes
      order by created_at desc, id desc
      limit $${values.push(limit)} offset $${values.push(offset)}
    ) page on true
    order by page.created_at desc, page.id desc`;
  const { rows } = await db.query<Payment & { list_total: bigint }>({
    ...nameOf(text),
    text,
    values,
    types: bigints,
  });
  // An empty page still has one row, which carries the total alone.
  return { payments: rows.filter(({ id }) => id !== null), total: rows[0]?.list_total ?? 0n };
};

/** A fine filter and the chain have indexes of their own, in which shape and state are looked at row by row. */
const lanesOf = (filter: Filter): Filter[] => {
  if (filter.chainId !== undefined || fine(filter).length > 0) return [filter];
  const variants = filter.variant === undefined ? VARIANTS : [filter.variant];
  const statuses = filter.statuses.length === 0 ? [[]] : filter.statuses.map((status) => [status]);
  return variants.flatMap((variant) =>
    statuses.map((only) => ({ ...filter, variant, statuses: only })),
  );
};

const beyond = (filter: Filter, after: Position | undefined): Condition[] => [
  ...created(stretchOf(filter)),
  ...(after === undefined
    ? []
    : [{ text: "(created_at, id) < (?, ?)", values: [after.created_at, after.id] }]),
];

/** Where the list goes on; undefined when the caller's list has no such payment. */
export const findPosition = async (
  db: Pool | ClientBase,
  tenant: Tenant,
  owner: Filter["owner"],
  id: string,
): Promise<Position | undefined> => {
  const values: unknown[] = [];
  const own = allOf([...tenantIs(tenant), ...ownedBy(owner), ...given("id = ?", id)], values);
  const { rows } = await db.query<Position>(
    `select id, created_at from payments where ${own}`,
    values,
  );
  return rows[0];
};

// A statement's text depends on which filters are given, never on their values. Each is prepared once per
// connection; the rarest combinations, beyond a bound, are planned each time.
const NAMES_MAX = 300;
const names = new Map<string, string>();
const nameOf = (text: string): { name?: string } => {
  if (!names.has(text) && names.size < NAMES_MAX) names.set(text, `list-payments-${names.size}`);
  const name = names.get(text);
  return name === undefined ? {} : { name };
};
