import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";

/** Where a service's schema and migrations are. */
export interface MigrationFiles {
  schemaPath: string;
  migrationsPath: string;
}

export interface Migration {
  name: string;
  script: string;
  /** What is run: the script; or instead of a first statement that would hold writers up, smaller ones, and then its rest. */
  parts: string[];
  /** Takes away what the version before needs, see due-migrations.ts. */
  isHeld: boolean;
  /** As Prisma records it. */
  checksum: string;
}

/** The layout every service has. */
export function findMigrationFiles(servicePath: string): MigrationFiles {
  return {
    schemaPath: join(servicePath, "prisma", "schema.prisma"),
    migrationsPath: join(servicePath, "prisma", "migrations"),
  };
}

/** The migrations of a folder in the order in which they are applied. */
export async function readMigrations(migrationsPath: string): Promise<Migration[]> {
  const entries = await readdir(migrationsPath, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  return Promise.all(
    names.map(async (name) => {
      const script = await readFile(join(migrationsPath, name, FILE), "utf8");
      const parts = await readParts(join(migrationsPath, name, PARTS_FILE), script);
      const checksum = createHash("sha256").update(script).digest("hex");
      return { name, script, parts, isHeld: HELD.test(script), checksum };
    }),
  );
}

const FILE = "migration.sql";
const PARTS_FILE = "parts.sql";
const NEXT_PART = /^-- next part$/m;
const HELD = /^-- held for the version before$/m;

async function readParts(path: string, script: string): Promise<string[]> {
  if (!existsSync(path)) return [script];
  const rest = script.slice(script.indexOf(";") + 1);
  return [...(await readFile(path, "utf8")).split(NEXT_PART), rest];
}

/** The same migrations as the schema engine wants to have them. */
export function asMigrationList(
  migrationsPath: string,
  migrations: readonly Migration[],
): MigrationList {
  return {
    baseDir: migrationsPath,
    lockfile: { path: "migration_lock.toml", content: null },
    shadowDbInitScript: "",
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: basename(name),
      migrationFile: { path: FILE, content: { tag: "ok", value: script } },
    })),
  };
}
