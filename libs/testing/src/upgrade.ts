// A database in the state of an earlier version, to be upgraded step by step.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findMigrationFiles, migrate, readMigrations } from "@pay/database";
import { createLog } from "@pay/process";
import { type TestDatabase, testDatabase } from "./postgres.ts";

/** An empty database with the migrations of a service before the named one. */
export async function databaseBefore(servicePath: string, first: string): Promise<TestDatabase> {
  const db = await testDatabase(servicePath);
  await db.pool.query("drop schema public cascade; create schema public");
  await migrateTo(servicePath, db.url, (name) => name < first);
  return db;
}

/** Applies those migrations of the service that are wanted and not applied yet. */
export async function migrateTo(
  servicePath: string,
  url: string,
  isWanted: (name: string) => boolean,
): Promise<void> {
  const part = await mkdtemp(join(tmpdir(), "pay-upgrade-"));
  try {
    await cp(join(servicePath, "prisma"), join(part, "prisma"), { recursive: true });
    const files = findMigrationFiles(part);
    for (const { name } of await readMigrations(files.migrationsPath)) {
      if (!isWanted(name)) await rm(join(files.migrationsPath, name), { recursive: true });
    }
    await migrate({ url, ...files, log: createLog("test", "fatal") });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
