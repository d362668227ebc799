// npm ci refuses a lock file that lacks a package of another platform, on every platform. A registry that does not
// have such a package leaves it out without a word, so the file is checked here.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

interface Locked {
  version?: string;
  optionalDependencies?: Record<string, string>;
}

const LOCK = join(dirname(dirname(fileURLToPath(import.meta.url))), "package-lock.json");
const EXACT = /^\d/;

/** Where Node would look for a dependency of the package at this path, nearest first. */
const placesOf = (path: string, name: string): string[] => {
  const at = path.lastIndexOf("node_modules/");
  const outer = at > 0 ? placesOf(path.slice(0, at - 1), name) : [`node_modules/${name}`];
  return [`${path}/node_modules/${name}`, ...outer];
};

test("the lock file has the packages of every platform", () => {
  const { packages } = JSON.parse(readFileSync(LOCK, "utf8")) as {
    packages: Record<string, Locked>;
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, version]) =>
      EXACT.test(version) && !placesOf(path, name).some((place) => packages[place])
        ? [`${name}@${version}`]
        : [],
    ),
  );
  expect(missing).toEqual([]);
});
