// Which migrations a run applies. A script that takes away what the version before needs is held: pods of that version serve
// while the new ones start, and a roll back brings them back. It is applied by the first run that finds the migrations before it
// applied for a week, and at once where the database is new. No build needs it, so none waits for it.
import type pg from "pg";
import type { Migration } from "./migrations-folder.ts";

const HELD_DAYS = 7;

const SETTLED = `
  select migration_name as name from _prisma_migrations
  where rolled_back_at is null and finished_at < now() - interval '${HELD_DAYS} days'`;

/** Without those that are held still; what was begun is ended. */
export async function dueMigrations(
  pool: pg.Pool,
  migrations: readonly Migration[],
  recorded: ReadonlySet<string>,
): Promise<Migration[]> {
  if (recorded.size === 0) return [...migrations];
  const { rows } = await pool.query<{ name: string }>(SETTLED);
  const settled = new Set(rows.map(({ name }) => name));
  return migrations.filter(({ name, isHeld }, at) => {
    const before = migrations.slice(0, at).findLast((one) => !one.isHeld);
    return !isHeld || recorded.has(name) || before === undefined || settled.has(before.name);
  });
}
