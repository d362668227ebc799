// Writes `src/generated/sql.ts` of packages from their `.sql` files; set-up runs it with the packages' folders.
// A PostgreSQL that lives meanwhile takes the migrations and describes each statement.
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { missingPostgres, startPostgres } from "@pay/embedded";
import pg from "pg";
import { type Fault, findSqlFiles, type PackageFolders, readPackage } from "./sql/read-package.ts";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SETTINGS = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/** A library owns statements and no database, so its tests' sample has the tables. */
function findFolders(name: string): PackageFolders {
  const home = join(ROOT, name);
  const isService = existsSync(join(home, "prisma"));
  return {
    statements: join(home, isService ? "prisma/sql" : "sql"),
    migrations: join(home, isService ? "prisma" : "test/sample/prisma", "migrations"),
    columnTypes: join(home, "src/column-types.ts"),
  };
}

/** The library of the runtime cannot import itself by its name. */
function findRuntime(name: string): string {
  return name === "libs/database" ? "../statements/statement.ts" : "@pay/database";
}

async function generate(client: pg.Client, name: string): Promise<Fault[]> {
  const { module, faults } = await readPackage(client, findFolders(name), findRuntime(name));
  if (faults.length > 0) return faults;
  const output = join(ROOT, name, "src/generated");
  await mkdir(output, { recursive: true });
  await writeFile(join(output, "sql.ts"), module);
  return [];
}

/** The statements of a library run on the connections of services, where a name stands for one text. */
async function findSharedNames(): Promise<Fault[]> {
  const names = await Promise.all(
    ["libs", "services"].map(async (group) => {
      const folders = await readdir(join(ROOT, group)).catch(() => []);
      const statements = folders
        .map((folder) => findFolders(`${group}/${folder}`).statements)
        .filter((folder) => existsSync(folder));
      const files = await Promise.all(statements.map(findSqlFiles));
      return files.map((paths) => paths.map((path) => [basename(path), path] as const));
    }),
  );
  const [libraries = [], services = []] = names;
  const ofLibraries = libraries.flat();
  return [ofLibraries, ...services.map((own) => [...ofLibraries, ...own])].flatMap((together) => {
    const first = new Map<string, string>();
    return together.flatMap(([name, path]) => {
      const other = first.get(name);
      first.set(name, path);
      if (other === undefined) return [];
      return [{ path, line: 1, message: `has the name of ${relative(ROOT, other)}` }];
    });
  });
}

async function withServer(work: (adminUrl: string) => Promise<void>): Promise<void> {
  const { SQL_DATABASE_URL: given } = process.env;
  if (given !== undefined) return work(given);
  const missing = missingPostgres();
  if (missing !== undefined) {
    throw new Error(
      `a PostgreSQL describes the statements, and this machine has none (${missing}); ` +
        "set SQL_DATABASE_URL to the address of a role that may create databases",
    );
  }
  const folder = await mkdtemp(join(tmpdir(), "pay-sql-"));
  await chmod(folder, 0o755); // PostgreSQL runs as another account when we are root.
  try {
    const server = await startPostgres({ dataDir: join(folder, "data"), settings: SETTINGS });
    await work(server.url()).finally(() => server.stop());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function withDatabase<T>(
  adminUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const name = `sql_${crypto.randomUUID().replaceAll("-", "")}`;
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return withClient(adminUrl, async (admin) => {
    await admin.query(`create database ${name}`);
    try {
      return await withClient(url.href, work);
    } finally {
      await admin.query(`drop database ${name} with (force)`);
    }
  });
}

const packages = process.argv.slice(2);
const faults = await findSharedNames();
await withServer(async (adminUrl) => {
  const found = await Promise.all(
    packages.map((name) => withDatabase(adminUrl, (client) => generate(client, name))),
  );
  faults.push(...found.flat());
});
for (const { path, line, message } of faults) {
  console.error(`${relative(ROOT, path)}:${line}: ${message}`);
}
if (faults.length > 0) process.exitCode = 1;
