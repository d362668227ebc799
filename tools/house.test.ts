// The rules of the house, kept by a test: every file is read once, every breach is one line `path:line: rule`.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { EXCEPTIONS } from "./house/exceptions.ts";
import { IMPORT_RULES } from "./house/imports.ts";
import { LINE_RULES } from "./house/lines.ts";
import { NAME_RULES } from "./house/names.ts";
import { type Rule, type Sample, type Tree, treeOf } from "./house/rule.ts";
import { SURFACE_RULES } from "./house/surface.ts";
import { TENANT_RULE } from "./house/tenant.ts";
import { readTree } from "./house/tree.ts";

const RULES: readonly Rule[] = [
  ...IMPORT_RULES,
  ...NAME_RULES,
  ...LINE_RULES,
  ...SURFACE_RULES,
  TENANT_RULE,
];

const breaches = (rule: Rule, tree: Tree): string[] =>
  rule.find(tree).map(({ path, line }) => `${path}:${line}: ${rule.name}`);

const samples = (kind: "bad" | "good"): [string, number, Sample, Rule][] =>
  RULES.flatMap((rule) =>
    (rule[kind] ?? []).map((sample, at): [string, number, Sample, Rule] => [
      rule.name,
      at + 1,
      sample,
      rule,
    ]),
  );

describe("a rule fires on what it forbids", () => {
  test.each(samples("bad"))("%s: sample %i", (_name, _at, sample, rule) => {
    const found = breaches(rule, treeOf(sample));
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(`${Object.keys(sample)[0]}:`)).toBe(true);
  });
});

describe("a rule lets pass what it allows", () => {
  test.each(samples("good"))("%s: sample %i", (_name, _at, sample, rule) => {
    expect(breaches(rule, treeOf(sample))).toEqual([]);
  });
});

const tree = readTree(dirname(dirname(fileURLToPath(import.meta.url))));

describe("the house keeps its rules", () => {
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
