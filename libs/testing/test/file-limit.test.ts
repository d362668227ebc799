import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const LIMIT_MS = 6000;
const TIMEOUT_MS = 120_000;
const GLOBALS = 'import { test } from "@jest/globals";';

const folder = mkdtempSync(join(tmpdir(), "file-limit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(files: Record<string, string>): Promise<string> {
  const settings = {
    testEnvironment: join(ROOT, "libs/testing/src/file-limit/environment.mjs"),
    testEnvironmentOptions: { limitMs: LIMIT_MS },
    testMatch: ["<rootDir>/*.test.mjs"],
    transform: {},
    maxWorkers: 2,
  };
  writeFileSync(join(folder, "jest.config.json"), JSON.stringify(settings));
  for (const [name, code] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.test.mjs`), `${GLOBALS}\n${code}`);
  }
  const program = ["--experimental-vm-modules", join(ROOT, "node_modules/jest/bin/jest.js")];
  const child = spawn(process.execPath, program, { cwd: folder, timeout: TIMEOUT_MS });
  return await text(child.stderr);
}

test("a file that hangs counts as failed, with its place and what failed before, and the others are run", async () => {
  const output = await run({
    loop: 'test("wrong", () => { throw new Error("why"); }); test("endless", () => { for (;;); });',
    loading: 'await new Promise(() => setInterval(() => {}, 1000)); test("soon", () => {});',
    sound: 'test("soon", () => {});',
    other: 'test("soon", () => {});',
  });
  expect(output).toContain('loop.test.mjs has not ended after 6 s; it stood in "endless"');
  expect(output).toContain("loading.test.mjs has not ended after 6 s; it stood in its loading");
  expect(output).toContain('Failed before:\n"wrong": why\nIts processes:');
  expect(output).toMatch(/Its processes:\n *\d+ +\d+ .*processChild/);
  expect(output).toContain("Test Suites: 2 failed, 2 passed, 4 total");
});
