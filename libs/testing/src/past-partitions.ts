import type { Pool } from "pg";

/**
 * The newest partitions of the past, as a service that has run for a while has them. One of them is there already where
 * the migrations ran before a partition's end and the test runs after it.
 */
export async function addPastPartitions(pool: Pool, table: string, count: number): Promise<void> {
  const { rows } = await pool.query<{ statement: string }>(
    `select format('create table if not exists %I partition of %I for values from (%L) to (%L)',
       table_name || '_' || to_char(start at time zone 'UTC', 'YYYYMMDDHH24'), table_name, start, start + span) as statement
     from time_partitions, make_interval(hours => span_hours) span, generate_series(1, $2::int) nth,
       lateral (select date_bin(span, now(), timestamptz '2000-01-01 00:00+00') - nth * span as start) starts
     where table_name = $1`,
    [table, count],
  );
  for (const { statement } of rows) await pool.query(statement);
}
