// Biome holds some of the project's rules. Without this test, a rule that an option or an update turns off would go
// unnoticed.
// A small tree with one fault per file is linted with the configuration of the repository. It lies below a folder
// that Biome would skip inside a tree, because a clone may lie there and must be checked like any other.
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const FAULTS: [rule: string, path: string, code: string][] = [
  [
    "correctness/noUndeclaredDependencies",
    "services/shop/src/undeclared.ts",
    'import { pino } from "pino";\n\nexport const log = pino();\n',
  ],
  ["style/noProcessEnv", "services/shop/src/start.ts", "export const port = process.env.PORT;\n"],
  [
    "nursery/noFloatingPromises",
    "services/shop/src/operations/buy.ts",
    'import { save } from "../storage.ts";\n\nexport const buy = () => {\n  save();\n};\n',
  ],
  [
    "nursery/noMisusedPromises",
    "services/shop/src/operations/sell.ts",
    'import { save } from "../storage.ts";\n\nexport const sell = () => (save() ? 1 : 2);\n',
  ],
  [
    "complexity/noExcessiveLinesPerFunction",
    "services/shop/src/long.ts",
    `export const long = (see: () => void) => {\n${"  see();\n".repeat(81)}};\n`,
  ],
  [
    "suspicious/noExplicitAny",
    "services/shop/src/loose.ts",
    "export const loose = (value: any): unknown => value;\n",
  ],
  [
    "suspicious/noConsole",
    "services/shop/src/loud.ts",
    'export const loud = () => console.log("paid");\n',
  ],
];

/** The same code in places where it is allowed. */
const SOUND: [path: string, code: string][] = [
  ["services/shop/src/storage.ts", "export const save = async (): Promise<void> => {};\n"],
  ["services/shop/src/main.ts", "export const port = process.env.PORT;\n"],
  [
    "services/shop/src/fine.ts",
    `import { z } from "zod";\n\nexport const fine = (see: () => void) => {\n${"  see();\n".repeat(79)}  return z;\n};\n`,
  ],
];

function biome(folder: string): Promise<{ category: string; path: string }[]> {
  return new Promise((resolve, reject) => {
    const command = join(ROOT, "node_modules", ".bin", "biome");
    const args = ["lint", "--vcs-enabled=false", "--max-diagnostics=none", "--reporter=json", "."];
    execFile(command, args, { cwd: folder, timeout: 20_000 }, (error, stdout) => {
      const at = stdout.indexOf("{");
      if (at === -1) return reject(error ?? new Error("biome printed nothing"));
      resolve(
        (
          JSON.parse(stdout.slice(at)) as {
            diagnostics: { category: string; location: { path: string } }[];
          }
        ).diagnostics.map(({ category, location }) => ({ category, path: location.path })),
      );
    });
  });
}

let above = "";
let found: { category: string; path: string }[] = [];

beforeAll(async () => {
  above = mkdtempSync(join(tmpdir(), "lint-"));
  const folder = join(above, ".cache", "clone");
  const dependencies = { zod: "0.0.0" };
  const files: [string, string][] = [
    ["package.json", JSON.stringify({ name: "root", workspaces: ["services/*"] })],
    ["services/shop/package.json", JSON.stringify({ name: "@pay/shop", dependencies })],
    ...FAULTS.map(([, path, code]): [string, string] => [path, code]),
    ...SOUND,
  ];
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const name of ["biome.json", "tsconfig.json"]) {
    copyFileSync(join(ROOT, name), join(folder, name));
  }
  found = await biome(folder);
});

afterAll(() => rmSync(above, { recursive: true, force: true }));

test.each(FAULTS)("%s fires in %s", (rule, path) => {
  const here = found.filter((other) => other.path === path).map(({ category }) => category);
  expect(here).toEqual([`lint/${rule}`]);
});

test("no rule fires where the same code is allowed", () => {
  const sound = SOUND.map(([path]) => path);
  expect(found.filter(({ path }) => sound.includes(path))).toEqual([]);
});
