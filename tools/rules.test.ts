// The rules of the project as a test: every file is read once, every breach is one line `path:line: rule`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { CONNECTION_RULE } from "./rules/connections.ts";
import { CONTRACT_RULES } from "./rules/contract.ts";
import { EXCEPTIONS } from "./rules/exceptions.ts";
import { findSlowExpressions } from "./rules/expressions.ts";
import { HOP_RULE } from "./rules/hops.ts";
import { LINE_RULES } from "./rules/lines.ts";
import { MIGRATION_RULE } from "./rules/migrations.ts";
import { NAME_RULES } from "./rules/names.ts";
import { buildTree, type Rule, type Sample, type Tree } from "./rules/rule.ts";
import { STATEMENT_RULE } from "./rules/statements.ts";
import { SURFACE_RULES } from "./rules/surface.ts";
import { TABLE_RULE } from "./rules/tables.ts";
import { TENANT_RULE } from "./rules/tenant.ts";

const RULES: readonly Rule[] = [
  ...NAME_RULES,
  ...LINE_RULES,
  ...SURFACE_RULES,
  ...CONTRACT_RULES,
  TENANT_RULE,
  TABLE_RULE,
  MIGRATION_RULE,
  HOP_RULE,
  CONNECTION_RULE,
  STATEMENT_RULE,
];

function breaches(rule: Rule, tree: Tree): string[] {
  return rule.find(tree).map(({ path, line }) => `${path}:${line}: ${rule.name}`);
}

function samples(kind: "bad" | "good"): [string, number, Sample, Rule][] {
  return RULES.flatMap((rule) =>
    (rule[kind] ?? []).map((sample, at): [string, number, Sample, Rule] => [
      rule.name,
      at + 1,
      sample,
      rule,
    ]),
  );
}

describe("a rule fires on what it forbids", () => {
  test.each(samples("bad"))("%s: sample %i", (_name, _at, sample, rule) => {
    const found = breaches(rule, buildTree(sample));
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(`${Object.keys(sample)[0]}:`)).toBe(true);
  });
});

describe("a rule lets pass what it allows", () => {
  test.each(samples("good"))("%s: sample %i", (_name, _at, sample, rule) => {
    expect(breaches(rule, buildTree(sample))).toEqual([]);
  });
});

const tree = readTree(dirname(dirname(fileURLToPath(import.meta.url))));

describe("the repository keeps its rules", () => {
  test.each(RULES.map((rule): [string, Rule] => [rule.name, rule]))("%s", (name, rule) => {
    const excepted = Object.keys(EXCEPTIONS[name] ?? {});
    const found = breaches(rule, tree);
    expect(found.filter((line) => !excepted.includes(line.split(":")[0] ?? ""))).toEqual([]);
  });
});

test("every exception names a rule and a file that needs it", () => {
  for (const [name, paths] of Object.entries(EXCEPTIONS)) {
    const rule = RULES.find((other) => other.name === name);
    expect(rule?.name).toBe(name);
    const found = rule?.find(tree).map(({ path }) => path);
    for (const path of Object.keys(paths)) expect(found).toContain(path);
  }
});

test("every regular expression that ships reads 16 kB of hostile text at once", () => {
  const quadratic = {
    "services/shop/src/read.ts": "const a = /([\\d,]+)\\s*(k)?[\\s-]*blocks?/i;\n",
  };
  const linear = { "services/shop/src/read.ts": "const a = /(?<![\\d,])([\\d,]+) blocks?/i;\n" };
  expect(findSlowExpressions(buildTree(quadratic))).toHaveLength(1);
  expect(findSlowExpressions(buildTree(linear))).toEqual([]);
  expect(findSlowExpressions(tree)).toEqual([]);
});

/** Every file of the repository, also those not yet added, without files that git ignores; pictures have no text. */
function readTree(root: string): Tree {
  return execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return text.includes("\0")
        ? [{ path, text: "", lines: [] }]
        : [{ path, text, lines: text.split("\n") }];
    });
}
