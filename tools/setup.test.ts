// The set-up as a fresh clone sees it: a small tree of its own with a copy of tools/setup.mjs and its folder, whose
// node_modules are links to the real ones.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NO_PROCESS = 2 ** 22 - 1;

const PROTO = `syntax = "proto3";\npackage shop.v1;\nmessage Item { string name = 1; }\n`;
const SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "../src/generated/prisma"
}
datasource db {
  provider = "postgresql"
}
model Item {
  id String @id
}
`;
const FILES: Record<string, string> = {
  "package.json": `{ "name": "tree", "private": true }`,
  "package-lock.json": `{ "name": "tree", "lockfileVersion": 3, "packages": {
    "": { "name": "tree" }, "services/shop": { "name": "shop", "version": "2.0.0" } } }`,
  "node_modules/.package-lock.json": `{ "packages": {} }`,
  "proto/buf.yaml": "version: v2\n",
  "proto/buf.gen.yaml": "version: v2\nplugins:\n  - local: protoc-gen-es\n    out: gen\n",
  "proto/shop/v1/shop.proto": PROTO,
  "services/shop/prisma/schema.prisma": SCHEMA,
};
const MESSAGES = "set-up: generated messages from proto";
const CLIENT = "set-up: generated database client of services/shop";

let tree: string;

async function write(path: string, text: string) {
  await mkdir(dirname(join(tree, path)), { recursive: true });
  await writeFile(join(tree, path), text);
}

beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), "pay-setup-"));
  for (const [path, text] of Object.entries(FILES)) await write(path, text);
  for (const name of [".bin", "prisma", "@prisma", "@bufbuild"]) {
    await symlink(join(ROOT, "node_modules", name), join(tree, "node_modules", name));
  }
  for (const part of ["setup.mjs", "setup"]) {
    await cp(join(ROOT, "tools", part), join(tree, "tools", part), { recursive: true });
  }
});
afterEach(() => rm(tree, { recursive: true, force: true }));

function setUp(path = process.env.PATH): Promise<{ code: number | null; lines: string[] }> {
  return new Promise((resolve) => {
    const env = { PATH: path, HOME: process.env.HOME };
    const child = spawn(process.execPath, [join(tree, "tools", "setup.mjs")], {
      env,
      cwd: tmpdir(),
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    child.on("close", (code) => {
      // Durations differ from run to run, and a slow machine prints more of them.
      const lines = said.split("\n").map((line) => line.replace(/ \([\d.]+ s\)$/, ""));
      const printed = lines.filter((line) => line !== "" && !line.endsWith("still working"));
      resolve({ code, lines: printed.sort() });
    });
  });
}

test("a fresh tree gets its generated code, and a second set-up has nothing to do", async () => {
  expect(await setUp()).toEqual({ code: 0, lines: [CLIENT, MESSAGES] });
  expect(existsSync(join(tree, "proto/gen/shop/v1/shop_pb.js"))).toBe(true);
  expect(existsSync(join(tree, "services/shop/src/generated/prisma/client.ts"))).toBe(true);
  expect(await setUp()).toEqual({ code: 0, lines: [] });
});

test("only changed or deleted output is generated again", async () => {
  await setUp();
  await write("proto/shop/v1/shop.proto", PROTO.replace("name", "title"));
  expect(await setUp()).toEqual({ code: 0, lines: [MESSAGES] });
  await rm(join(tree, "services/shop/src/generated"), { recursive: true });
  expect(await setUp()).toEqual({ code: 0, lines: [CLIENT] });
});

test("two concurrent set-ups do the work once", async () => {
  const [first, second] = await Promise.all([setUp(), setUp()]);
  const lines = [...first.lines, ...second.lines];
  expect(lines.filter((line) => line === MESSAGES || line === CLIENT).sort()).toEqual([
    CLIENT,
    MESSAGES,
  ]);
  expect([first.code, second.code]).toEqual([0, 0]);
});

test("a set-up that was killed does not block the next one", async () => {
  await write(".data/setup.lock", String(NO_PROCESS));
  expect(await setUp()).toEqual({ code: 0, lines: [CLIENT, MESSAGES] });
});

test("a fault in a source is shown with its place, and again by the next set-up", async () => {
  await write("proto/shop/v1/shop.proto", `${PROTO}oops\n`);
  for (const { code, lines } of [await setUp(), await setUp()]) {
    expect(code).toBe(1);
    expect(lines.join("\n")).toMatch(/generating messages from proto failed/);
    expect(lines.join("\n")).toMatch(/shop\.proto:4/);
  }
});

test("statements in files become a module, and a wrong one fails with its line", async () => {
  for (const name of ["@pay", "pg"]) {
    await symlink(join(ROOT, "node_modules", name), join(tree, "node_modules", name));
  }
  for (const part of ["sql.ts", "sql"]) {
    await cp(join(ROOT, "tools", part), join(tree, "tools", part), { recursive: true });
  }
  const statement = "-- Finds all items.\nselect item.*\nfrom items item\n";
  await write(
    "services/shop/prisma/migrations/0001_init/migration.sql",
    "create table items (id text)",
  );
  await write("services/shop/prisma/sql/findItems.sql", statement);
  const statements = "set-up: generated statements of services/shop";
  expect(await setUp()).toEqual({ code: 0, lines: [CLIENT, MESSAGES, statements] });
  expect(existsSync(join(tree, "services/shop/src/generated/sql.ts"))).toBe(true);
  await write("services/shop/prisma/sql/findItems.sql", statement.replace("items item", "item"));
  const { code, lines } = await setUp();
  expect(code).toBe(1);
  expect(lines.join("\n")).toContain('findItems.sql:3: relation "item" does not exist');
});

test("where the lock file has no Node for the machine, npm run uses the installed Node", async () => {
  const commands = join(tree, "node_modules", ".bin");
  await rm(commands);
  await mkdir(commands);
  for (const name of await readdir(join(ROOT, "node_modules", ".bin"))) {
    const command = join(ROOT, "node_modules", ".bin", name);
    if (name !== "node") await symlink(command, join(commands, name));
  }
  expect(await setUp()).toEqual({ code: 0, lines: [CLIENT, MESSAGES] });
  expect(await readlink(join(commands, "node"))).toBe(process.execPath);
  expect(await setUp()).toEqual({ code: 0, lines: [] });
});

test("a failed installation is reported with npm's reason", async () => {
  await write("package.json", `{ "name": "tree", "dependencies": { "absent": "file:./absent" } }`);
  await rm(join(tree, "node_modules/.package-lock.json"));
  const { code, lines } = await setUp();
  expect(code).toBe(1);
  expect(lines.join("\n")).toMatch(/npm ci failed \(exit code 1\)/);
  expect(lines.join("\n")).toMatch(/package\.json and package-lock\.json/);
});

test("a machine without npm gets a message that names npm", async () => {
  await rm(join(tree, "node_modules/.package-lock.json"));
  const { code, lines } = await setUp("/nonexistent");
  expect(code).toBe(1);
  expect(lines).toContain(`set-up: npm ci could not start: "npm" was not found`);
});
