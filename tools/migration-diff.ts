// Proposes the next migration of a service: the difference between its schema.prisma and its migrations, as SQL.
//   node tools/migration-diff.ts services/payments              prints it
//   node tools/migration-diff.ts services/payments add-memo     writes prisma/migrations/0002_add_memo/migration.sql
// The proposal is for a person to review: checks, partial indexes, functions and triggers are not in a Prisma
// schema and have to be written by hand.
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findMigrationFiles, migrate, migrationDrift } from "@pay/database";
import { startPostgres } from "@pay/embedded";
import { createLog } from "@pay/process";

async function propose(servicePath: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "pay-migration-"));
  await chmod(folder, 0o755); // PostgreSQL runs as another account when we are root.
  const server = await startPostgres({ dataDir: join(folder, "postgres") });
  try {
    const url = await server.provide("proposal");
    const files = findMigrationFiles(servicePath);
    await mkdir(files.migrationsPath, { recursive: true });
    await migrate({ url, ...files, log: createLog("migration-diff", "silent") });
    return await migrationDrift(servicePath, url);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The number behind that of the newest migration. */
async function nextNumber(migrationsPath: string): Promise<string> {
  const numbers = (await readdir(migrationsPath)).map((name) => Number.parseInt(name, 10) || 0);
  return `${Math.max(0, ...numbers) + 1}`.padStart(4, "0");
}

async function write(servicePath: string, what: string, sql: string): Promise<string> {
  const { migrationsPath } = findMigrationFiles(servicePath);
  const name = `${await nextNumber(migrationsPath)}_${what.replaceAll(/[^a-z0-9]+/gi, "_")}`;
  const folder = join(migrationsPath, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "migration.sql"), sql);
  return join(folder, "migration.sql");
}

const [service, what] = process.argv.slice(2);
if (service === undefined) {
  process.stderr.write("usage: node tools/migration-diff.ts <service folder> [<what it does>]\n");
  process.exit(2);
}
const servicePath = resolve(service);
if (!existsSync(findMigrationFiles(servicePath).schemaPath)) {
  process.stderr.write(`${service} has no prisma/schema.prisma\n`);
  process.exit(1);
}
const sql = await propose(servicePath);
if (sql === "")
  process.stdout.write(`${service}: migrations yield the schema, nothing to propose\n`);
else if (what === undefined) process.stdout.write(sql);
else process.stdout.write(`written for review: ${await write(servicePath, what, sql)}\n`);
