import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where a service's schema and migrations are. */
export interface MigrationFiles {
  schemaPath: string;
  migrationsPath: string;
}

export interface Migration {
  name: string;
  script: string;
  /** The script, divided where each part is a transaction of its own. */
  parts: string[];
  /** As Prisma records it. */
  checksum: string;
}

const NEXT_PART = /^-- next part$/m;

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
      const script = await readFile(join(migrationsPath, name, "migration.sql"), "utf8");
      const checksum = createHash("sha256").update(script).digest("hex");
      return { name, script, parts: script.split(NEXT_PART), checksum };
    }),
  );
}
