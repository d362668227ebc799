import { Failure } from "@pay/failures";
import type pg from "pg";
import { bigints } from "../bigints.ts";
import { type Condition, condition, joinConditions } from "./conditions.ts";

/** As in tenancy.proto: a page by number, or, when `after` is set, what follows that item. */
export interface PageRequest {
  page: number;
  limit: number;
  /** Id of the last item already seen; empty for pages by number. */
  after: string;
}

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;
/** A page by number reads all rows before it, so rows further back are reached by `after`. */
const ROWS_MAX = 100_000;
/** Rows that no kept sum counts are counted up to here, so that no list costs more than the others can bear. */
export const COUNTED_MAX = 10_000;
/** Rows that a list reads for conditions without an index: a tenth of a second. */
export const SEARCHED_MAX = 100_000;

/** A page with its defaults; what is out of bounds is refused, so that no list is unbounded. */
export function parsePage(request: PageRequest | undefined): PageRequest {
  const { page = 0, limit = 0, after = "" } = request ?? {};
  if (page < 0) throw new Failure("page_invalid", "page must be 1 or more");
  if (limit < 0 || limit > LIMIT_MAX) {
    throw new Failure("page_invalid", `limit must be 1 to ${LIMIT_MAX}`);
  }
  const chosen = { page: page || 1, limit: limit || LIMIT_DEFAULT, after };
  if (after === "" && chosen.page * chosen.limit > ROWS_MAX) {
    const reach = `page and limit reach the first ${ROWS_MAX} items`;
    throw new Failure("page_invalid", `${reach}; use after with the id of the last item seen`);
  }
  return chosen;
}

export interface Page<Row> {
  rows: Row[];
  /** How many items there are on all pages. */
  total: number;
  /** Id to continue after; empty at the end. */
  nextAfter: string;
  /** Rows that were read for conditions without an index. */
  searched: number;
}

function tooMany(period: string): Failure {
  const reach = `these filters search at most ${SEARCHED_MAX} items, and the period has more`;
  return new Failure("field_invalid", `${period} must be closer together: ${reach}`);
}

export interface PageQuery {
  table: string;
  /** Conditions that bound the list: counts, pages and the item named by `after` never leave it. */
  scope: readonly Condition[];
  /** Narrows the list further. */
  filter?: readonly Condition[];
  /** Conditions without an index: a bounded number of the rows that scope and filter keep is read for them. */
  search?: readonly Condition[];
  /** The parameters of the time of creation, as a request that searches too much is told. */
  period?: string;
  /** Among them id and created_at. */
  columns?: string;
  /**
   * Where the rows of this list are counted already: the column is summed. Without it they are counted up to a bound.
   */
  kept?: { table: string; column: string; filter?: readonly Condition[] } | undefined;
  page: PageRequest;
}

/**
 * Newest first, ids breaking ties. The page and its total come from one statement, so they are of one instant. Table,
 * columns and conditions are the caller's own constants; only values travel as parameters.
 */
export async function selectPage<R extends { id: unknown }>(
  pool: pg.Pool,
  { columns = "*", page, period = "createdFrom and createdTo", ...list }: PageQuery,
): Promise<Page<R>> {
  const { limit, after } = page;
  const beyond = after === "" ? [] : [await findStart(pool, { ...list, after })];
  const values: unknown[] = [];
  const { before, total, searched, rows } =
    list.search === undefined || list.search.length === 0
      ? buildPlain(list, { columns, beyond }, values)
      : buildSearch(list, { columns, beyond, search: list.search }, values);
  const bounds = `order by created_at desc, id desc
    limit $${values.push(limit + 1)} offset $${values.push(after === "" ? (page.page - 1) * limit : 0)}`;
  const text = `
    ${before} select (${total})::bigint as list_total, (${searched})::bigint as list_searched, page.*
    from (select) as always left join (${rows(bounds)}) page on true
    order by page.created_at desc, page.id desc`;
  const found = await pool.query<R & Counts>({ text, values, types: bigints });
  const { list_total = 0n, list_searched = 0n } = found.rows[0] ?? {};
  if (list_searched > SEARCHED_MAX) throw tooMany(period);
  // An empty page still has one row, which carries the total alone. One row more than asked shows that the list goes
  // on.
  const listed = found.rows.filter(({ id }) => id !== null).slice(0, limit);
  return {
    rows: listed.map(({ list_total: _, list_searched: __, ...row }) => row as unknown as R),
    total: Number(list_total),
    nextAfter: found.rows.length > limit ? String(listed.at(-1)?.id) : "",
    searched: Number(list_searched),
  };
}

interface Counts {
  list_total: bigint;
  list_searched: bigint;
}

type List = Omit<PageQuery, "page" | "columns" | "period">;

interface Parts {
  /** Common table expressions. */
  before: string;
  /** Queries of one number. */
  total: string;
  searched: string;
  /** The page within its order and bounds, as a query. */
  rows: (bounds: string) => string;
}

interface Shown {
  columns: string;
  beyond: readonly Condition[];
}

function buildPlain(list: List, { columns, beyond }: Shown, values: unknown[]): Parts {
  const { table, scope, filter = [] } = list;
  const total = countTotal(list, values);
  const listed = joinConditions([...scope, ...filter, ...beyond], values);
  return {
    before: "",
    total,
    searched: "select 0",
    rows: (bounds) => `select ${columns} from ${table} where ${listed} ${bounds}`,
  };
}

/** One row more than may be read shows that the list was not read to its end. */
function buildSearch(
  { table, scope, filter = [] }: List,
  { columns, beyond, search }: Shown & { search: readonly Condition[] },
  values: unknown[],
): Parts {
  const fits = joinConditions(search, values);
  const listed = joinConditions([...scope, ...filter], values);
  const own = joinConditions(scope, values);
  const wanted = joinConditions([{ text: "fits", values: [] }, ...beyond], values);
  return {
    before: `with searched as materialized (
      select id, created_at, (${fits}) as fits from ${table} where ${listed}
      order by created_at desc, id desc limit ${SEARCHED_MAX + 1})`,
    total: "select count(*) from searched where fits",
    searched: "select count(*) from searched",
    rows: (bounds) => `select ${columns} from ${table} where ${own}
      and id = any (array (select id from searched where ${wanted} ${bounds}))`,
  };
}

function countTotal(
  { table, scope, filter = [], kept }: Omit<PageQuery, "page">,
  values: unknown[],
): string {
  if (kept !== undefined) {
    const counted = joinConditions([...scope, ...(kept.filter ?? [])], values);
    return `select coalesce(sum(${kept.column}), 0) from ${kept.table} where ${counted}`;
  }
  const listed = joinConditions([...scope, ...filter], values);
  return `select count(*) from (select from ${table} where ${listed} limit ${COUNTED_MAX}) counted`;
}

async function findStart(
  pool: pg.Pool,
  { table, scope, after }: { table: string; scope: readonly Condition[]; after: string },
): Promise<Condition> {
  const values: unknown[] = [];
  const own = joinConditions([...scope, ...condition("id = ?", after)], values);
  const { rows } = await pool.query<{ created_at: Date; id: string }>(
    `select created_at, id from ${table} where ${own}`,
    values,
  );
  const [row] = rows;
  if (row === undefined) {
    throw new Failure("cursor_unknown", "after must be the id of an item of this list");
  }
  return { text: "(created_at, id) < (?, ?)", values: [row.created_at, row.id] };
}
