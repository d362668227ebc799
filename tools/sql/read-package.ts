// Reads the statements of a package with a database that has the package's tables.
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type pg from "pg";
import { readColumnTypes } from "./column-types.ts";
import { type Catalog, describeStatement, readCatalog } from "./describe.ts";
import {
  findLine,
  parseStatementFile,
  rewriteStatement,
  StatementError,
  type StatementFile,
} from "./statement-file.ts";
import { type ReadStatement, writeModule } from "./write-module.ts";

export interface PackageFolders {
  statements: string;
  migrations: string;
  /** The file of narrower types, which a package need not have. */
  columnTypes: string;
}

/** A wrong file: where and why. */
export interface Fault {
  path: string;
  line: number;
  message: string;
}

export async function findSqlFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return names
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => join(folder, name));
}

/** Applies the migrations; the module is of use only without faults. */
export async function readPackage(
  client: pg.Client,
  { statements, migrations, columnTypes }: PackageFolders,
  runtime: string,
): Promise<{ module: string; faults: Fault[] }> {
  for (const path of await findSqlFiles(migrations)) {
    if (basename(path) === "migration.sql") await client.query(await readFile(path, "utf8"));
  }
  const catalog = await readCatalog(client);
  const types = readColumnTypes(await readFile(columnTypes, "utf8").catch(() => undefined));
  const faults = findUnknownColumns(types.narrowed, catalog, columnTypes);
  const paths = new Map<StatementFile, string>();
  const read: ReadStatement[] = [];
  for (const path of await findSqlFiles(statements)) {
    const text = await readFile(path, "utf8");
    try {
      const file = parseStatementFile(basename(path, ".sql"), text);
      paths.set(file, path);
      read.push(await readStatement(client, catalog, file));
    } catch (error) {
      faults.push({ path, ...readFault(error, text) });
    }
  }
  const written = writeModule(read, { catalog, types }, runtime);
  for (const { file, fault } of written.faults) {
    faults.push({ path: paths.get(file) ?? file.name, line: fault.line, message: fault.message });
  }
  return { module: written.module, faults };
}

async function readStatement(
  client: pg.Client,
  catalog: Catalog,
  file: StatementFile,
): Promise<ReadStatement> {
  const source = await describeStatement(client, file.text);
  const run = rewriteStatement(file, (table) => catalog.tables.get(table));
  const described = await describeStatement(client, run.text).catch((error: Error) => {
    throw new StatementError(`the text that runs is refused (${error.message}): ${run.text}`, 1);
  });
  return { file, run, source, described };
}

function readFault(error: unknown, text: string): Pick<Fault, "line" | "message"> {
  const { message, position, hint } = error as Error & { position?: string; hint?: string };
  if (error instanceof StatementError) return { line: error.line, message };
  if (position === undefined) throw error;
  const advice = hint === undefined ? "" : ` (${hint})`;
  return { line: findLine(text, Number(position)), message: `${message}${advice}` };
}

function findUnknownColumns(
  narrowed: ReadonlySet<string>,
  { columns }: Catalog,
  path: string,
): Fault[] {
  const known = new Set(Array.from(columns.values(), ({ table, name }) => `${table}.${name}`));
  return [...narrowed]
    .filter((column) => !known.has(column))
    .map((column) => ({ path, line: 1, message: `there is no column ${column}` }));
}
