import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ITEM = `syntax = "proto3";\npackage shop.v1;\nmessage Item { string name = 1; }\n`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pay-proto-"));
  await mkdir(join(folder, "proto", "shop", "v1"), { recursive: true });
  await writeFile(join(folder, "proto", "buf.yaml"), "version: v2\n");
  await writeItem(ITEM);
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "shop");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function git(...args: string[]) {
  execFileSync("git", args, { cwd: folder });
}

function writeItem(text: string) {
  return writeFile(join(folder, "proto", "shop", "v1", "shop.proto"), text);
}

function compare() {
  const PATH = [join(ROOT, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH };
  const script = join(ROOT, "tools", "proto-breaking.ts");
  const { status, stdout } = spawnSync(process.execPath, [script], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { status, stdout };
}

test("nothing is compared before the first release", async () => {
  await writeItem(ITEM.replace("name", "title"));
  expect(compare()).toEqual({
    status: 0,
    stdout: "proto: there is no release yet to compare with\n",
  });
});

test("a new field passes, and a renamed one breaks the newest release", async () => {
  git("tag", "v0.1.0");
  await writeItem(ITEM.replace("}", "string colour = 2; }"));
  expect(compare()).toEqual({ status: 0, stdout: "" });
  await writeItem(ITEM.replace("name", "title"));
  expect(compare()).toMatchObject({ status: 100, stdout: expect.stringContaining('"name"') });
});
