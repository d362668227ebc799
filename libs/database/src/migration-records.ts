// What a database has recorded of its migrations.
import type pg from "pg";

export interface MigrationRecord {
  name: string;
  checksum: string;
  state: "begun" | "applied";
  /** Applied for so long that no pod of the version before is left, nor a reason to go back to it. */
  isSettled: boolean;
}

const SETTLED_DAYS = 7;

export async function readMigrationRecords(pool: pg.Pool): Promise<MigrationRecord[]> {
  const { rows: found } = await pool.query(
    "select where to_regclass('_prisma_migrations') is not null",
  );
  if (found.length === 0) return [];
  const { rows } = await pool.query<MigrationRecord>(
    `select migration_name as name, checksum,
       case when finished_at is null then 'begun' else 'applied' end as state,
       coalesce(finished_at < now() - interval '${SETTLED_DAYS} days', false) as "isSettled"
     from _prisma_migrations where rolled_back_at is null order by started_at`,
  );
  return rows;
}

export async function appliedChecksums(pool: pg.Pool): Promise<Map<string, string>> {
  const records = await readMigrationRecords(pool);
  return new Map(
    records.flatMap(({ name, checksum, state }) => (state === "applied" ? [[name, checksum]] : [])),
  );
}
