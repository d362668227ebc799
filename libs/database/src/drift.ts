import { readFile } from "node:fs/promises";
import pg from "pg";
import { findMigrationFiles } from "./migrations-folder.ts";
import { withSchemaEngine } from "./schema-engine.ts";

const TIMEOUT_MS = 60_000;
const NOTHING = /^(--.*|\s*)$/;

/**
 * The SQL that would take a migrated database to what schema.prisma says; empty when they agree. What Prisma's
 * schema has no words for (checks, partial indexes, functions, triggers) is not compared.
 */
export async function migrationDrift(servicePath: string, url: string): Promise<string> {
  const { schemaPath } = findMigrationFiles(servicePath);
  const files = [{ path: schemaPath, content: await readFile(schemaPath, "utf8") }];
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  try {
    const { stdout } = await withSchemaEngine(pool, (engine) =>
      engine.diff({
        from: { tag: "schemaDatasource", files, configDir: servicePath },
        to: { tag: "schemaDatamodel", files },
        script: true,
        exitCode: null,
        filters: { externalTables: [], externalEnums: [] },
      }),
    );
    const script = stdout ?? "";
    return script.split("\n").every((line) => NOTHING.test(line)) ? "" : script;
  } finally {
    await pool.end();
  }
}
