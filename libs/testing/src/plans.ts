// How PostgreSQL answers the queries of a service on tables with rows and statistics. What reads a table as a whole, or
// many rows that it then leaves out, gets slower with every row.
import { expect } from "@jest/globals";
import type { Pool, QueryConfig } from "pg";

/** So many rows may a query read in vain, e.g. those of the same time as the last one of a page. */
const LEFT_OUT_MAX = 100;

export interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Function Name"?: string;
  "Actual Rows": number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Actual Loops": number;
  Plans?: Plan[];
}

/** Where queries of the work read these tables as a whole, or in vain. All they write is undone. */
export async function wastefulReads(
  pool: Pool,
  tables: readonly string[],
  work: (db: Pool) => Promise<unknown>,
): Promise<string[]> {
  const found: string[] = [];
  let queries = 0;
  const client = await pool.connect();
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, as each is explained first. */
  function query(config: QueryConfig | string, values?: unknown[]) {
    const run = last.then(() => explainAndRun(config, values));
    last = run.catch(() => undefined);
    return run;
  }

  async function explainAndRun(config: QueryConfig | string, values?: unknown[]) {
    const {
      name,
      text,
      values: own,
    } = typeof config === "string" ? { name: undefined, text: config, values } : config;
    if (/^(?:begin|commit)\b/.test(text)) return { command: text.toUpperCase(), rows: [] };
    if (/^[\s(]*(?:with|select|insert|update|delete)\b/i.test(text)) {
      queries++;
      await client.query("savepoint explained");
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, own);
      await client.query("rollback to savepoint explained");
      const waste = findWaste(rows[0]["QUERY PLAN"][0].Plan, tables);
      found.push(...waste.map((one) => (name === undefined ? one : `${name}: ${one}`)));
    }
    return client.query(config, values);
  }

  try {
    await client.query("begin");
    const connect = async () => ({ query, release: () => undefined });
    await work({ query, connect, options: pool.options } as unknown as Pool);
  } finally {
    await client.query("rollback");
    client.release();
  }
  expect(queries).toBeGreaterThan(0);
  return found;
}

/** The plan of the one query that the work makes, with what it has read. */
export async function readPlan(pool: Pool, work: (db: Pool) => Promise<unknown>): Promise<Plan> {
  const plans: Plan[] = [];
  async function query(config: QueryConfig) {
    const text = `explain (analyze, buffers, format json) ${config.text}`;
    const { rows } = await pool.query(text, config.values);
    plans.push(rows[0]["QUERY PLAN"][0].Plan);
    return pool.query(config);
  }

  await work({ query } as unknown as Pool);
  const [plan, ...others] = plans;
  if (plan === undefined || others.length > 0) throw new Error(`${plans.length} queries`);
  return plan;
}

/** The pages of tables and indexes that it has read. */
export function countPages(plan: Plan): number {
  return (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
}

function findWaste(plan: Plan, tables: readonly string[]): string[] {
  const table = plan["Relation Name"];
  const within = (plan.Plans ?? []).flatMap((part) => findWaste(part, tables));
  if (table === undefined || !tables.includes(table)) return within;
  const leftOut =
    ((plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0)) *
    plan["Actual Loops"];
  return [
    ...within,
    ...(plan["Node Type"].endsWith("Seq Scan") ? [`${table} is read as a whole`] : []),
    ...(leftOut > LEFT_OUT_MAX ? [`${leftOut} rows of ${table} are left out`] : []),
  ];
}
