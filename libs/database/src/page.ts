import { Failure } from "@pay/rpc";
import type pg from "pg";

/** As in tenancy.proto: a page by number, or, when `after` is set, what follows that item. */
export interface PageRequest {
  page: number;
  limit: number;
  /** Id of the last item already seen; empty for pages by number. */
  after: string;
}

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** A page with its defaults; what is out of bounds is refused, so that no list is unbounded. */
export const pageOf = (request: PageRequest | undefined): PageRequest => {
  const { page = 0, limit = 0, after = "" } = request ?? {};
  if (page < 0) throw new Failure("invalid_argument", "page must be 1 or more");
  if (limit < 0 || limit > LIMIT_MAX) {
    throw new Failure("invalid_argument", `limit must be 1 to ${LIMIT_MAX}`);
  }
  return { page: page || 1, limit: limit || LIMIT_DEFAULT, after };
};

export interface Page<Row> {
  rows: Row[];
  /** How many items there are on all pages. */
  total: number;
}

export interface PageQuery {
  table: string;
  /** The list's owner, by column: counts, pages and the item named by `after` never leave it. */
  scope: Readonly<Record<string, unknown>>;
  /** Narrows the list further; an undefined value is no condition. */
  filter?: Readonly<Record<string, unknown>>;
  columns?: string;
  page: PageRequest;
}

type Row = Record<string, unknown>;

/** Rows are listed newest first, with the id to break ties, so that the order is total and never changes. */
export const NEWEST_FIRST = [{ created_at: "desc" }, { id: "desc" }] as const;

/** The same page for Prisma's findMany, together with NEWEST_FIRST. */
export const pageRange = ({ page, limit, after }: PageRequest) =>
  after === ""
    ? { skip: (page - 1) * limit, take: limit }
    : { cursor: { id: after }, skip: 1, take: limit };

/** Table, column and scope names are the caller's own constants; only values travel as parameters. */
export const selectPage = async <R extends Row = Row>(
  pool: pg.Pool,
  { table, scope, filter = {}, columns = "*", page }: PageQuery,
): Promise<Page<R>> => {
  const within = conditions(scope);
  const listed = conditions(filter, within);
  const total = await countRows(pool, table, listed);
  const offset = page.after === "" ? (page.page - 1) * page.limit : 0;
  // A page past the end is empty; asking for it would only make the server count again.
  if (offset >= total) return { rows: [], total };

  const start = page.after === "" ? undefined : await findStart(pool, table, within, page.after);
  const values = [...listed.values, page.limit, ...(start ?? [offset])];
  const [limitAt, firstAt, secondAt] = [1, 2, 3].map((nth) => `$${listed.values.length + nth}`);
  const beyond = start ? `and (created_at, id) < (${firstAt}, ${secondAt})` : "";
  const { rows } = await pool.query<R>(
    `select ${columns} from ${table} where ${listed.text} ${beyond}
     order by created_at desc, id desc limit ${limitAt} ${start ? "" : `offset ${firstAt}`}`,
    values,
  );
  return { rows, total };
};

interface Conditions {
  text: string;
  values: unknown[];
}

const conditions = (
  equals: Readonly<Record<string, unknown>>,
  base: Conditions = { text: "true", values: [] },
): Conditions => {
  const values = [...base.values];
  const parts = Object.entries(equals).flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = $${values.push(value)}`],
  );
  return { text: [base.text, ...parts].join(" and "), values };
};

const countRows = async (pool: pg.Pool, table: string, { text, values }: Conditions) => {
  const { rows } = await pool.query<{ total: string }>(
    `select count(*) as total from ${table} where ${text}`,
    values,
  );
  return Number(rows[0]?.total ?? 0);
};

const findStart = async (
  pool: pg.Pool,
  table: string,
  { text, values }: Conditions,
  after: string,
): Promise<[Date, string]> => {
  const { rows } = await pool.query<{ created_at: Date; id: string }>(
    `select created_at, id from ${table} where ${text} and id = $${values.length + 1}`,
    [...values, after],
  );
  const [row] = rows;
  if (row === undefined) {
    throw new Failure("invalid_argument", "after must be the id of an item of this list");
  }
  return [row.created_at, row.id];
};
