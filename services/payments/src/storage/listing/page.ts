// Pages of payments. A page and its total come from one statement, so they are of one instant and cost one round
// trip. Rows are read in the order of an index. Each variant and status of a list is a branch of its own, and the branches
// are merged in order, so that a rare status of a large project is not searched for among the common ones.
import { allOf, type Condition, condition } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Payment } from "../../domain/payment.ts";
import { PAYMENT_COLUMNS, paymentTypes } from "../columns.ts";
import {
  coarse,
  created,
  type Filter,
  fine,
  ownedBy,
  STATUSES,
  stretchOf,
  tenantIs,
  VARIANTS,
} from "./conditions.ts";
import { jumpTo } from "./jump.ts";
import { totalOf } from "./total.ts";

export interface Position {
  id: string;
  created_at: Date;
}

export async function findPage(
  db: Pool | ClientBase,
  tenant: Tenant,
  filter: Filter,
  { limit, offset, after }: { limit: number; offset: number; after: Position | undefined },
): Promise<{ payments: Payment[]; total: bigint }> {
  const values: unknown[] = [];
  const total = totalOf(tenant, filter, values);
  const jump = jumpTo(offset, { tenant, filter }, values);
  const skipped =
    jump === undefined ? `$${values.push(offset)}::bigint` : "(select rows_left from hour)";
  const wanted = `$${values.push(limit)}::bigint`;
  const until = jump === undefined ? "" : " and created_at < (select ends_at from hour)";
  // With an order and a limit of its own each branch is read from its index, however many rows match.
  const branches = branchesOf(filter).map((branch) => {
    const listed = [
      ...tenantIs(tenant),
      ...coarse(branch),
      ...fine(branch),
      ...beyond(filter, after),
    ];
    return `(select ${PAYMENT_COLUMNS} from payment_records payment where ${allOf(listed, values)}${until}
      order by created_at desc, id desc limit ${skipped} + ${wanted})`;
  });
  const text = `
    ${jump === undefined ? "" : `with ${jump.hour}`}
    select (${total})::bigint as list_total, page.* from (select) as always
    left join (
      select * from (${branches.join(" union all ")}) branches
      order by created_at desc, id desc
      limit ${wanted} offset ${skipped}
    ) page on true
    order by page.created_at desc, page.id desc`;
  const { rows } = await db.query<Payment & { list_total: bigint }>({
    ...nameOf(text),
    text,
    values,
    types: paymentTypes,
  });
  // An empty page still has one row, which carries the total alone.
  return { payments: rows.filter(({ id }) => id !== null), total: rows[0]?.list_total ?? 0n };
}

/** A fine filter and the chain have indexes of their own, in which variant and status are checked row by row. */
function branchesOf(filter: Filter): Filter[] {
  if (filter.chainId !== undefined || fine(filter).length > 0) return [filter];
  const variants = filter.variant === undefined ? VARIANTS : [filter.variant];
  const statuses = filter.statuses.length === 0 ? STATUSES : filter.statuses;
  return variants.flatMap((variant) =>
    statuses.map((status) => ({ ...filter, variant, statuses: [status] })),
  );
}

function beyond(filter: Filter, after: Position | undefined): Condition[] {
  return [
    ...created(stretchOf(filter)),
    ...(after === undefined
      ? []
      : [
          // The first condition reads the index, which has no id; the second skips what has the same time.
          { text: "created_at <= ?::timestamptz", values: [after.created_at] },
          { text: "(created_at, id) < (?::timestamptz, ?)", values: [after.created_at, after.id] },
        ]),
  ];
}

/** Where the list continues; undefined when the caller's list has no such payment. */
export async function findPosition(
  db: Pool | ClientBase,
  tenant: Tenant,
  owner: Filter["owner"],
  id: string,
): Promise<Position | undefined> {
  const values: unknown[] = [];
  const own = allOf([...tenantIs(tenant), ...ownedBy(owner), ...condition("id = ?", id)], values);
  const { rows } = await db.query<Position>(
    `select id, created_at from payment_records where ${own}`,
    values,
  );
  return rows[0];
}

// A statement's text depends on which filters are given, never on their values. Each is prepared once per
// connection; the rarest combinations, beyond a bound, are planned each time.
const NAMES_MAX = 300;
const names = new Map<string, string>();
function nameOf(text: string): { name?: string } {
  if (!names.has(text) && names.size < NAMES_MAX) names.set(text, `list-payments-${names.size}`);
  const name = names.get(text);
  return name === undefined ? {} : { name };
}
