// Pages of payments. A page and its total come from one statement, so they are of one snapshot and cost one round trip.
import { type Condition, condition, joinConditions } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import type { Payment } from "../../domain/payment.ts";
import { PAYMENT_COLUMNS, paymentTypes } from "./columns.ts";
import {
  buildCoarse,
  buildFine,
  checkAll,
  createdWithin,
  type Filter,
  getPeriod,
  ownerIs,
  type Position,
  tenantIs,
} from "./conditions.ts";
import { jumpTo } from "./jump.ts";
import { buildKindPage, buildKinds } from "./list-by-status.ts";
import { buildValuePage, findValueFilter } from "./list-by-value.ts";
import { buildSearched, buildSearchPage, isSearch, SEARCHED_COUNT } from "./search.ts";
import { buildTotal } from "./total.ts";

interface FoundPage {
  payments: Payment[];
  total: bigint;
  /** Rows that were read one by one: to find where the page begins, or by a search. */
  counted: bigint;
}

export async function findPage(
  db: Pool | ClientBase,
  tenant: Tenant,
  filter: Filter,
  { limit, offset, after }: { limit: number; offset: number; after: Position | undefined },
): Promise<FoundPage> {
  const values: unknown[] = [];
  const kinds = buildKinds(tenant, filter, values);
  const searched = isSearch(filter) ? buildSearched(tenant, filter, values) : undefined;
  const total = buildTotal(tenant, filter, values);
  const jump = jumpTo(offset, { tenant, filter }, values);
  const skipped =
    jump === undefined
      ? `$${values.push(offset)}::bigint`
      : "(select rows_left from place)::bigint";
  const wanted = `$${values.push(limit)}::bigint`;
  const place = { filter, after, wanted: `${skipped} + ${wanted}` };
  const rows = readRows(tenant, { ...place, isJump: jump !== undefined }, values);
  const counted = searched === undefined ? (jump?.counted ?? 0) : SEARCHED_COUNT;
  const text = `
    with ${[kinds, searched, jump?.place].filter(Boolean).join(", ")}
    select (${total})::bigint as list_total, ${counted}::bigint as list_counted, page.* from (select) as always
    left join (
      select * from (${rows}) listed
      order by created_at desc, id desc
      limit ${wanted} offset ${skipped}
    ) page on true
    order by page.created_at desc, page.id desc`;
  const found = await db.query<Payment & { list_total: bigint; list_counted: bigint }>({
    ...getStatementName(text),
    text,
    values,
    types: paymentTypes,
  });
  // An empty page still has one row, which carries the total alone.
  return {
    payments: found.rows.filter(({ id }) => id !== null),
    total: found.rows[0]?.list_total ?? 0n,
    counted: found.rows[0]?.list_counted ?? 0n,
  };
}

interface Part {
  filter: Filter;
  after: Position | undefined;
  /** The expression of a number. */
  wanted: string;
  /** Whether the list begins in the second that was looked up. */
  isJump: boolean;
}

function readRows(
  tenant: Tenant,
  { filter, after, wanted, isJump }: Part,
  values: unknown[],
): string {
  if (isSearch(filter)) return buildSearchPage(tenant, { after, wanted }, values);
  const valueFilter = findValueFilter(filter);
  if (valueFilter !== undefined)
    return buildValuePage(valueFilter, tenant, { filter, after, wanted }, values);
  const finer = buildFine(tenant, filter);
  if (finer.length > 0) {
    const tenants = checkAll([...tenantIs(tenant), ...buildCoarse(filter)]);
    return `select ${PAYMENT_COLUMNS} from payments payment
      where ${joinConditions([...finer, tenants, ...buildNarrowing(filter, after)], values)}
      order by created_at desc, id desc limit ${wanted}`;
  }
  const period = getPeriod(filter);
  const before = isJump ? "(select ends_at from place)" : period.before;
  return buildKindPage(tenant, { ...period, before, after, wanted }, values);
}

function buildNarrowing(filter: Filter, after: Position | undefined): Condition[] {
  return [
    ...createdWithin(getPeriod(filter)),
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
  const own = joinConditions(
    [...tenantIs(tenant), ...ownerIs(tenant, owner), ...condition("id = ?", id)],
    values,
  );
  const { rows } = await db.query<Position>(
    `select id, created_at from payments where ${own}`,
    values,
  );
  return rows[0];
}

// The text depends on the filters that are given, never on their values. The rarest combinations are not prepared.
const NAMES_MAX = 300;
const names = new Map<string, string>();
function getStatementName(text: string): { name?: string } {
  if (!names.has(text) && names.size < NAMES_MAX) names.set(text, `list-payments-${names.size}`);
  const name = names.get(text);
  return name === undefined ? {} : { name };
}
