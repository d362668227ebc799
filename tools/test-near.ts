// Unit and service tests of the packages that a change touches: never those of the whole product, and of the longest
// ones only those that the change touches.
//   npm run test:near            the working tree against the commit where it left main, else the last commit
//   npm run test:near -- -t pay  further arguments go to jest
import { spawnSync } from "node:child_process";
import { LONGEST } from "../libs/testing/src/longest-files.ts";

const PACKAGE = /^(?:(?:libs|services|sdk|web)\/[^/]+|standalone|deploy|tools)\//;
const JEST = "node_modules/jest/bin/jest.js";

function git(...args: string[]): string[] {
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  return status === 0 ? stdout.split("\n").filter((line) => line !== "") : [];
}

function findTouchedFiles(): string[] {
  const [base = "HEAD"] = ["origin/main", "main"].flatMap((ref) => git("merge-base", ref, "HEAD"));
  const files = [
    ...git("diff", "--name-only", base),
    ...git("ls-files", "--others", "--exclude-standard"),
  ];
  return files.length > 0 ? files : git("diff", "--name-only", "HEAD~1", "HEAD");
}

const touched = findTouchedFiles();
const packages = new Set(touched.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []));
const omitted = LONGEST.filter((file) => !touched.includes(file));

/** The tests of a package, as jest reads a path. */
function toPattern(name: string): string {
  const files = omitted.flatMap((file) => (file.startsWith(name) ? file.slice(name.length) : []));
  return files.length === 0 ? `/${name}` : `/${name}(?!${files.join("|")})`;
}

if (packages.size === 0) {
  process.stdout.write("no package with tests is touched\n");
} else {
  process.stdout.write(`tests of ${[...packages].join(", ")}\n`);
  const { status } = spawnSync(
    process.execPath,
    [
      // Each file loads a thousand modules anew: with room for them, V8 collects less garbage on the way.
      "--max-semi-space-size=64",
      "--experimental-vm-modules",
      "--disable-warning=ExperimentalWarning",
      JEST,
      ...[...packages].map(toPattern),
      ...process.argv.slice(2),
      "--selectProjects",
      "unit",
      "service",
    ],
    { stdio: "inherit" },
  );
  process.exitCode = status ?? 1;
}
