// Objects held against the schemas of Kubernetes' own API, which a Python package carries for each version. It is
// installed once, into a cache folder.
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll } from "@jest/globals";
import { describeUnless } from "@pay/testing";
import type { Manifest } from "./chart.ts";

const PACKAGE = "kubernetes-validate==1.37.0";
const FOLDER = resolve("node_modules/.cache/kubernetes-validate/1.37.0");
const PYTHON = join(FOLDER, "bin", "python");
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const TIMEOUT_MS = 5 * 60_000;
/** Prints a line for each fault; kinds of other projects have no schema and are left out. */
const PROGRAM = `
import functools, json, sys
import kubernetes_validate.utils as k
k.schema_contents = functools.lru_cache(None)(k.schema_contents)
given = json.load(sys.stdin)
for one in given["objects"]:
    for version in given["versions"]:
        try:
            k.validate(one, version, strict=True)
        except k.SchemaNotFoundError:
            print("unknown", one["apiVersion"], one["kind"])
        except k.ValidationError as error:
            print(version, one["kind"], one["metadata"]["name"], error.message[:300])
`;

function missingPython(): string | undefined {
  if (existsSync(PYTHON)) return undefined;
  const status = spawnSync("python3", ["-c", "import ensurepip, venv"]).status;
  return status === 0 ? undefined : "no Python with venv to install kubernetes-validate";
}

export function describeWithApiSchemas(name: string, body: () => void): void {
  describeUnless(missingPython(), name, () => {
    beforeAll(install, INSTALL_TIMEOUT_MS);
    body();
  });
}

async function install(): Promise<void> {
  if (existsSync(join(FOLDER, "installed"))) return;
  rmSync(FOLDER, { recursive: true, force: true });
  const options = { timeout: INSTALL_TIMEOUT_MS };
  await promisify(execFile)("python3", ["-m", "venv", FOLDER], options);
  await promisify(execFile)(PYTHON, ["-m", "pip", "install", "--quiet", PACKAGE], options);
  mkdirSync(join(FOLDER, "installed"));
}

/** A line for each fault, and for each kind that Kubernetes itself does not have; equal objects are looked at once. */
export async function findApiFaults(
  objects: readonly Manifest[],
  versions: readonly string[],
): Promise<string[]> {
  const distinct = [...new Map(objects.map((one) => [JSON.stringify(one), one])).values()];
  const run = promisify(execFile)(PYTHON, ["-c", PROGRAM], { timeout: TIMEOUT_MS });
  run.child.stdin?.end(JSON.stringify({ objects: distinct, versions }));
  const { stdout } = await run;
  return [...new Set(stdout.split("\n"))].filter((line) => line !== "").sort();
}
