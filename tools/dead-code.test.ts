// Knip reads much of a repository by itself, so what it finds depends on `knip.jsonc` and on its version. A small tree
// with one unused item of each kind is checked with the configuration of the repository.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAM = join(ROOT, "node_modules", "knip", "bin", "knip.js");

const FILES: [path: string, text: string][] = [
  ["package.json", JSON.stringify({ name: "root", workspaces: ["libs/*", "services/*"] })],
  [
    "libs/values/package.json",
    JSON.stringify({ name: "@pay/values", type: "module", exports: "./src/index.ts" }),
  ],
  ["libs/values/src/index.ts", 'export { deadOutside, used } from "./amount.ts";\n'],
  [
    "libs/values/src/amount.ts",
    "export const used = 1;\nexport const deadOutside = 2;\nexport const deadExport = 3;\n" +
      "export interface DeadType {\n  amount: string;\n}\n",
  ],
  ["libs/values/src/dead-file.ts", "export const amount = 1;\n"],
  [
    "services/shop/package.json",
    JSON.stringify({
      name: "@pay/shop",
      type: "module",
      exports: "./src/index.ts",
      dependencies: { "@pay/values": "0.0.0", "dead-dependency": "1.0.0" },
    }),
  ],
  [
    "services/shop/src/index.ts",
    'import { used } from "@pay/values";\n\nprocess.exitCode = used;\n',
  ],
];

interface Issue {
  file: string;
  [kind: string]: string | { name: string }[];
}

let folder = "";
let found: string[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "dead-code-"));
  for (const [path, text] of FILES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  copyFileSync(join(ROOT, "knip.jsonc"), join(folder, "knip.jsonc"));
  const { stdout } = spawnSync(process.execPath, [PROGRAM, "--reporter", "json"], {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
  });
  const { issues } = JSON.parse(stdout) as { issues: Issue[] };
  found = issues.flatMap(({ file, ...kinds }) =>
    Object.entries(kinds).flatMap(([kind, items]) =>
      Array.isArray(items) ? items.map(({ name }) => `${kind} ${file} ${name}`) : [],
    ),
  );
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every unused item is found, and nothing else", () => {
  expect(found.sort()).toEqual([
    "dependencies services/shop/package.json dead-dependency",
    "exports libs/values/src/amount.ts deadExport",
    "exports libs/values/src/amount.ts deadOutside",
    "exports libs/values/src/index.ts deadOutside",
    "files libs/values/src/dead-file.ts libs/values/src/dead-file.ts",
    "types libs/values/src/amount.ts DeadType",
  ]);
});
