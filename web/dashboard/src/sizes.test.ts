// What a browser loads, compressed as it is sent, stays within the budget of each page.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const DIST = join(import.meta.dirname, "..", "dist");
const FILE = /\/dashboard\/files\/([\w.-]+)"/g;
/** Not `import("./…")`, which is loaded with another page. */
const IMPORT = /(?:from|import)"\.\/([\w.-]+\.js)"/g;
const LAZY = /import\("\.\/([\w.-]+\.js)"\)/g;

function find(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name ?? "");
}

/** A script and all that it imports. */
function collect(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  for (const next of find(readFileSync(join(DIST, name), "utf8"), IMPORT)) collect(next, known);
  return known;
}

function sum(names: Iterable<string>): number {
  return [...names].reduce((total, name) => total + statSync(join(DIST, `${name}.br`)).size, 0);
}

function readFiles(page: string) {
  const files = find(readFileSync(join(DIST, page), "utf8"), FILE);
  const [script = ""] = files.filter((name) => name.endsWith(".js"));
  return { script, style: files.filter((name) => name.endsWith(".css")) };
}

test("the sign-in page needs at most 14 kB of script", () => {
  expect(sum(collect(readFiles("sign-in.html").script))).toBeLessThan(14_000);
});

test("the first page needs at most 170 kB of script, and each further page 35 kB more", () => {
  const { script, style } = readFiles("page.html");
  const frame = collect(script);
  const pages = find(readFileSync(join(DIST, script), "utf8"), LAZY);
  expect(pages.length).toBeGreaterThan(1);
  const more = pages.map((page) => sum([...collect(page)].filter((name) => !frame.has(name))));
  expect(sum(frame) + Math.max(...more)).toBeLessThan(170_000);
  expect(Math.max(...more)).toBeLessThan(35_000);
  expect(sum(style)).toBeLessThan(16_000);
});
