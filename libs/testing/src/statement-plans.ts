// The plan of each statement in a file, as a connection keeps it: for tables with rows and statistics, and without
// values. Tables are filled by the types of their columns, so a new table or statement is covered by itself.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Pool } from "pg";
import { describeWithPostgres, type TestDatabase, testDatabase } from "./postgres.ts";

interface StatementPlans {
  /** The folder of the migrations, e.g. services/payments. */
  folder: string;
  /** The generated module. */
  statements: object;
  /** SQL of the nth row's value, by `table.column`, where the type and name of the column are not enough. */
  values?: Readonly<Record<string, string>>;
  /** Tables that never have many rows, and why. */
  small?: Readonly<Record<string, string>>;
  /** Statements that read a table as a whole, and why. */
  whole?: Readonly<Record<string, string>>;
}

const ROWS = 20_000;
/** A part of a partitioned table with fewer rows is not judged. */
const LARGE = 1_000;

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  Plans?: Plan[];
}

/** A test for each statement: it finds its rows by an index. */
export function describeStatementPlans(options: StatementPlans): void {
  const { folder, statements, small = {}, whole = {} } = options;
  const texts = Object.entries(statements as Record<string, unknown>).flatMap(([name, exported]) =>
    isStatement(exported) ? [[name, exported.description.text] as const] : [],
  );

  describeWithPostgres(`plans of the statements of ${folder}`, () => {
    let db: TestDatabase;
    let large: Set<string>;
    beforeAll(async () => {
      db = await testDatabase(folder);
      await fillTables(db.pool, options);
      const { rows } = await db.pool.query<{ relname: string }>(
        `select relname from pg_class where relkind = 'r' and reltuples >= ${LARGE}
           and relnamespace = 'public'::regnamespace`,
      );
      large = new Set(rows.map(({ relname }) => relname));
    });
    afterAll(() => db?.drop());

    test.each(texts)("%s reads no large table as a whole", async (name, text) => {
      const { rows } = await db.pool.query(`explain (generic_plan, format json) ${text}`);
      const found = findWholeReads(rows[0]["QUERY PLAN"][0].Plan, large);
      if (whole[name] === undefined) expect(found).toEqual([]);
      else expect(found).not.toEqual([]);
    });

    test("each exception names a statement or a table", async () => {
      const { rows } = await db.pool.query<{ relname: string }>(
        "select relname from pg_class where relkind in ('r', 'p')",
      );
      const tables = rows.map(({ relname }) => relname);
      expect(Object.keys(small).filter((table) => !tables.includes(table))).toEqual([]);
      expect(Object.keys(whole).filter((name) => !texts.some(([own]) => own === name))).toEqual([]);
    });
  });
}

function isStatement(value: unknown): value is { description: { text: string } } {
  return typeof value === "function" && "description" in value;
}

/** A scan of the table, or of a whole index where nothing ends it early. */
function findWholeReads(plan: Plan, large: ReadonlySet<string>, isLimited = false): string[] {
  const { "Node Type": node, "Relation Name": table = "" } = plan;
  const isWhole =
    node.endsWith("Seq Scan") ||
    (/^Index (Only )?Scan$/.test(node) && plan["Index Cond"] === undefined && !isLimited);
  return [
    ...(isWhole && large.has(table) ? [`${table} is read as a whole (${node})`] : []),
    ...(plan.Plans ?? []).flatMap((part) =>
      findWholeReads(part, large, isLimited || node === "Limit"),
    ),
  ];
}

interface Column {
  table: string;
  name: string;
  type: string;
  is_required: boolean;
  has_default: boolean;
  is_partition_key: boolean;
}

const COLUMNS = `
  select relname as table, attname as name, format_type(atttypid, null) as type, attnotnull as is_required,
    atthasdef or attidentity <> '' as has_default, coalesce(attnum = any (partattrs), false) as is_partition_key
  from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    left join pg_partitioned_table on partrelid = pg_class.oid
  where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
  order by relname, attnum`;

// What rows mean is no matter of plans, so that no value needs to satisfy a check, a reference or a trigger.
const WITHOUT_RULES = `
  select format('alter table %s drop constraint if exists %I cascade', conrelid::regclass, conname) as change
  from pg_constraint where contype in ('c', 'f') and conrelid <> 0 and conparentid = 0 and coninhcount = 0
    and connamespace = 'public'::regnamespace
  union all
  select format('alter table %s disable trigger user', oid::regclass) from pg_class
  where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`;

/** Of the house and not of the service. */
const NOT_FILLED = ["time_partitions", "_prisma_migrations"];

async function fillTables(pool: Pool, { values = {}, small = {} }: StatementPlans): Promise<void> {
  const changes = await pool.query<{ change: string }>(WITHOUT_RULES);
  for (const { change } of changes.rows) await pool.query(change);
  const { rows } = await pool.query<Column>(COLUMNS);
  for (const [table, columns] of Map.groupBy(rows, (column) => column.table)) {
    if (small[table] !== undefined || NOT_FILLED.includes(table)) continue;
    const filled = columns.flatMap((column) => {
      const value = values[`${table}.${column.name}`] ?? writeValue(column);
      return value === undefined ? [] : [{ name: column.name, value }];
    });
    await pool.query(
      `insert into ${table} (${filled.map(({ name }) => name).join(", ")})
       select ${filled.map(({ value }) => value).join(", ")} from generate_series(1, ${ROWS}) as n
       on conflict do nothing`,
    );
  }
  await pool.query("vacuum analyze");
}

/** Columns of these names have few values each. */
const FEW: Readonly<Record<string, string>> = {
  project_id: "'proj_' || n % 20",
  mode: "1 + n % 2",
  chain_id: "1 + n % 3",
  consumer: "'consumer ' || n % 3",
  topic: "'topic ' || n % 3",
};
const FEW_BY_TYPE = /(?:^|_)(?:status|state|type|kind|variant|reason)$/;

const BY_TYPE: Readonly<Record<string, string>> = {
  text: "'text ' || n",
  bigint: "n",
  integer: "n",
  smallint: "n % 10",
  numeric: "n",
  "double precision": "n",
  boolean: "n % 2 = 0",
  bytea: "sha256(n::text::bytea)",
  "timestamp with time zone": "now() + (n - 10000) * interval '1 second'",
  date: "current_date - n % 100",
  jsonb: "'{}'::jsonb",
  uuid: "gen_random_uuid()",
};

/** Undefined where the column fills itself. */
function writeValue({ name, type, ...column }: Column): string | undefined {
  if (column.is_partition_key && column.has_default) return undefined;
  if (column.has_default && type !== "timestamp with time zone") return undefined;
  const few =
    FEW[name] ?? (type === "text" && FEW_BY_TYPE.test(name) ? "'of ' || n % 5" : undefined);
  const value = few ?? (type.endsWith("[]") ? `'{}'::${type}` : BY_TYPE[type]);
  if (value === undefined) return undefined;
  return column.is_required ? value : `case when n % 2 = 0 then ${value} end`;
}
