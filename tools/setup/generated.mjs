// What is generated or built: messages from protos, database clients from schemas, pages for browsers.
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import {
  computeHash,
  filesBelow,
  MODULES,
  NODE,
  ROOT,
  readIfThere,
  readVersion,
} from "./files.mjs";
import { run, say, seconds } from "./run.mjs";

function generationEnv() {
  return {
    ...process.env,
    PATH: [join(MODULES, ".bin"), process.env.PATH ?? ""].join(delimiter),
    // Prisma asks for the path of an engine that generation never runs; any executable spares the download.
    PRISMA_SCHEMA_ENGINE_BINARY: NODE,
    CHECKPOINT_DISABLE: "1",
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
  };
}

function protoUnit() {
  return {
    what: "messages from proto",
    output: join(ROOT, "proto", "gen"),
    cwd: join(ROOT, "proto"),
    command: join(MODULES, ".bin", "buf"),
    args: ["generate"],
    hash: computeHash(
      ["@bufbuild/buf", "@bufbuild/protoc-gen-es"].map(readVersion),
      filesBelow(join(ROOT, "proto")).filter((file) => /\.(proto|yaml)$/.test(file)),
    ),
  };
}

function prismaUnit(folder) {
  return {
    what: `database client of ${folder}`,
    output: join(ROOT, folder, "src", "generated", "prisma"),
    cwd: join(ROOT, folder),
    command: NODE,
    args: [join(MODULES, "prisma", "build", "index.js"), "generate"],
    hash: computeHash(
      [readVersion("prisma"), readIfThere(join(ROOT, "tools", "prisma-columns.mjs")) ?? ""],
      filesBelow(join(ROOT, folder, "prisma")).filter((file) => !file.endsWith(".sql")),
    ),
  };
}

/** What shoppers' browsers load is built; everything else runs as it is written. */
function pageUnits() {
  const script = join(ROOT, "tools", "page.mjs");
  const names = existsSync(join(ROOT, "web")) ? readdirSync(join(ROOT, "web")) : [];
  const homes = names.map((name) => join(ROOT, "web", name));
  const sdk = join(ROOT, "sdk", "typescript", "src");
  const lookHome = join(ROOT, "web", "look");
  const look = existsSync(lookHome) ? filesBelow(lookHome) : [];
  return homes
    .filter((home) => existsSync(join(home, "package.json")))
    .map((home) => ({
      what: `the page ${basename(home)}`,
      output: join(home, "dist"),
      cwd: home,
      command: NODE,
      args: [script],
      hash: computeHash(
        [readVersion("esbuild")],
        [
          script,
          join(home, "package.json"),
          ...filesBelow(join(home, "src")),
          ...filesBelow(sdk),
          ...look,
        ],
      ),
    }));
}

/** Not every service uses Prisma's client: a schema without a generator is only for migrations. */
function withClient() {
  return [
    ...readdirSync(join(ROOT, "services")).map((name) => `services/${name}`),
    "libs/database/test/sample",
  ].filter((folder) =>
    /^generator /m.test(readIfThere(join(ROOT, folder, "prisma", "schema.prisma")) ?? ""),
  );
}

/** Names and public addresses of the chains that the service chains knows. */
function networksUnits() {
  const home = join(ROOT, "services", "chains", "src");
  const policies = join(home, "catalog", "chain-policies.ts");
  if (!existsSync(policies)) return [];
  const script = join(ROOT, "tools", "networks.mjs");
  return [
    {
      what: "the list of known chains",
      output: join(home, "generated", "networks"),
      cwd: ROOT,
      command: NODE,
      args: [script],
      hash: computeHash([readVersion("@revoke.cash/chains")], [script, policies]),
    },
  ];
}

/** The stamp lies inside the output, so that deleting generated code is enough to have it made again. */
function getStamps(unit) {
  return unit.stamps ?? [{ path: join(unit.output, ".generated-from"), hash: unit.hash }];
}

/** Folders with statements in files, and where these and the tables that they name lie. */
function sqlPackages() {
  const samples = ["libs/database/test/sample"];
  const folders = ["libs", "services"]
    .filter((group) => existsSync(join(ROOT, group)))
    .flatMap((group) => readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`));
  return [...samples, ...folders]
    .map((folder) => {
      const isService = existsSync(join(ROOT, folder, "prisma"));
      return {
        folder,
        statements: join(ROOT, folder, isService ? "prisma/sql" : "sql"),
        migrations: join(ROOT, folder, isService ? "prisma" : "test/sample/prisma", "migrations"),
      };
    })
    .filter(({ statements }) => existsSync(statements));
}

/** One unit for all packages, because describing statements needs a PostgreSQL. */
function sqlUnits() {
  const packages = sqlPackages();
  if (packages.length === 0) return [];
  const generator = [
    join(ROOT, "tools", "sql.ts"),
    ...filesBelow(join(ROOT, "tools", "sql")).filter((file) => !file.endsWith(".test.ts")),
  ];
  const stale = packages
    .map(({ folder, statements, migrations }) => {
      const types = join(ROOT, folder, "src", "column-types.ts");
      const output = join(ROOT, folder, "src", "generated");
      return {
        folder,
        isWritten: existsSync(join(output, "sql.ts")),
        path: join(output, ".sql-generated-from"),
        hash: computeHash(
          [],
          [
            ...generator,
            ...filesBelow(statements),
            ...filesBelow(migrations),
            ...(existsSync(types) ? [types] : []),
          ],
        ),
      };
    })
    .filter(({ isWritten, path, hash }) => !isWritten || readIfThere(path) !== hash);
  if (stale.length === 0) return [];
  return [
    {
      what: `statements of ${stale.map(({ folder }) => folder).join(", ")}`,
      cwd: ROOT,
      command: NODE,
      args: [join(ROOT, "tools", "sql.ts"), ...stale.map(({ folder }) => folder)],
      stamps: stale,
    },
  ];
}

export function staleUnits() {
  const units = [
    protoUnit(),
    ...networksUnits(),
    ...pageUnits(),
    ...withClient().map(prismaUnit),
  ].filter((unit) => getStamps(unit).some(({ path, hash }) => readIfThere(path) !== hash));
  return [...sqlUnits(), ...units];
}

export async function generate() {
  const queue = staleUnits();
  async function worker() {
    for (let unit = queue.shift(); unit !== undefined; unit = queue.shift()) {
      const startedMs = Date.now();
      for (const { path } of getStamps(unit)) rmSync(path, { force: true });
      await run(`generating ${unit.what}`, unit.command, unit.args, {
        cwd: unit.cwd,
        env: generationEnv(),
      });
      for (const { path, hash } of getStamps(unit)) writeFileSync(path, hash);
      say(`generated ${unit.what} (${seconds(startedMs)})`);
    }
  }

  await Promise.all([worker(), worker()]);
}
