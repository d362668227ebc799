// A review cannot read bytecode, so the committed bytecode must be what the committed source gives. A change of a
// source, of the compiler, of its settings or of OpenZeppelin's contracts fails here until `npm run contracts` is run.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDERS = [
  "libs/values/contracts",
  "libs/embedded/contracts",
  "services/chains/contracts",
  "services/chains/test/contracts",
];

function compiledIn(root: string, folder: string) {
  return Object.fromEntries(
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".json"))
      .map((name) => [name, readFileSync(join(root, folder, name), "utf8")]),
  );
}

let target = "";

beforeAll(() => {
  target = mkdtempSync(join(tmpdir(), "contracts-"));
  const script = join(ROOT, "tools", "contracts.ts");
  execFileSync(process.execPath, [script, target], { cwd: ROOT, timeout: 60_000 });
});

afterAll(() => rmSync(target, { recursive: true, force: true }));

test.each(FOLDERS)("the bytecode in %s is the output of its sources", (folder) => {
  const fresh = compiledIn(target, folder);
  expect(Object.keys(fresh)).not.toEqual([]);
  expect(compiledIn(ROOT, folder)).toEqual(fresh);
});
