// Whose row a row is, as the database itself says it: each table of a service names the project, and its unique keys
// begin with it. The catalog is read and not the schema, which has no words for partial indexes and expressions.
import { expect } from "@jest/globals";
import { testDatabase } from "./postgres.ts";

/** Of every service: what belongs to the database or to the bus, not to a merchant. */
const SHARED = [
  "_prisma_migrations",
  "dead_letters",
  "idempotency_keys",
  "inbox_ids",
  "inbox_positions",
  "outbox",
  "time_partitions",
];

const FIND = `
  select table_class.relname || coalesce('.' || index_class.relname, '') as name
  from pg_class table_class
  left join pg_index key on key.indrelid = table_class.oid and key.indisunique
    and exists (select from pg_attribute
      where attrelid = table_class.oid and attname = 'project_id' and not attisdropped)
  left join pg_class index_class on index_class.oid = key.indexrelid
  where table_class.relnamespace = 'public'::regnamespace and table_class.relkind in ('r', 'p')
    and not table_class.relispartition and table_class.relname <> all ($1)
    and not coalesce(pg_get_indexdef(key.indexrelid, 1, true) = 'project_id', false)`;

/**
 * Proves that each table and each unique key of the service begins with the project, but for those named here, each
 * with a reason; a name that is not needed is found as well. A key is "table.index", and a table without a project its
 * name.
 */
export async function expectKeysOfProjects(
  servicePath: string,
  exceptions: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { pool, drop } = await testDatabase(servicePath);
  try {
    const names = async () =>
      (await pool.query<{ name: string }>(FIND, [SHARED])).rows.map(({ name }) => name).sort();
    expect(await names()).toEqual(Object.keys(exceptions).sort());
    await pool.query(`create table notes (id text primary key, project_id text not null);
      create table lines (id text primary key)`);
    expect(await names()).toEqual([...Object.keys(exceptions), "lines", "notes.notes_pkey"].sort());
  } finally {
    await drop();
  }
}
