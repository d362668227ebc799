// Which migrations a run applies. A script that takes away what the version before needs is held: pods of that version serve
// while the new ones start, and a roll back brings them back. It is applied by the first run that finds the migrations before it
// applied for a week, and at once where the database is new. No build needs it, so none waits for it.
import type { MigrationRecord } from "./migration-records.ts";
import type { Migration } from "./migrations-folder.ts";

/** Without those that are held still; what was begun is ended. */
export function dueMigrations(
  migrations: readonly Migration[],
  records: readonly MigrationRecord[],
): Migration[] {
  if (records.length === 0) return [...migrations];
  const recorded = new Map(records.map((record) => [record.name, record]));
  return migrations.filter(({ name, isHeld }, at) => {
    const before = migrations.slice(0, at).findLast((one) => !one.isHeld);
    const isFree = before === undefined || recorded.get(before.name)?.isSettled === true;
    return !isHeld || recorded.has(name) || isFree;
  });
}
