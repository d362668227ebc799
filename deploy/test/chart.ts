// The chart as helm renders it, for tests.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll } from "@jest/globals";
import { describeUnless } from "@pay/testing";
import { missingHelm, obtainHelm } from "../../tools/helm.ts";

export const CHART = resolve("deploy/helm");
export const EXAMPLES = ["minimal", "ha"] as const;
/** Values for one purpose each, beside those of minimal.yaml. */
export const PURPOSES = [
  "air-gapped",
  "alb",
  "external-secrets",
  "gateway-api",
  "gce",
  "gitops",
  "hpa",
  "keda",
  "mesh",
  "monitoring",
  "mutual-tls",
  "openshift",
  "sidecars",
  "tracing",
] as const;
const KUBERNETES = "1.34.0";
const TIMEOUT_MS = 120_000;
/** Enough for building helm on a small machine that has never seen it. */
const OBTAIN_TIMEOUT_MS = 20 * 60_000;

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects are read where a rule expects something
export type Manifest = Record<string, any>;
export type Values = Record<string, unknown>;

const yaml = createRequire(import.meta.url)("js-yaml") as {
  safeLoadAll(text: string): unknown[];
};

/** With helm built first. */
export function describeWithHelm(name: string, body: () => void): void {
  const missing = missingHelm();
  describeUnless(missing && `no ${missing}`, name, () => {
    beforeAll(() => helm("version"), OBTAIN_TIMEOUT_MS);
    body();
  });
}

export function example(name: string): string {
  return join(CHART, "examples", `${name}.yaml`);
}

/** Runs helm; a failure is an error with helm's output. */
export async function helm(...args: string[]): Promise<string> {
  const path = await obtainHelm((line) => process.stderr.write(`${line}\n`));
  try {
    const run = await promisify(execFile)(path, args, {
      timeout: TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    });
    return run.stdout;
  } catch (error) {
    throw new Error((error as { stderr?: string }).stderr || String(error));
  }
}

/** What an install with these values would create; later values win. */
export async function render(
  values: readonly (string | Values)[],
  { chart = CHART, release = "pay" } = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pay-values-"));
  try {
    const files = values.map((one, index) => {
      if (typeof one === "string") return one;
      const path = join(folder, `${index}.json`);
      writeFileSync(path, JSON.stringify(one));
      return path;
    });
    const from = files.flatMap((file) => ["-f", file]);
    return await helm("template", release, chart, "--kube-version", KUBERNETES, ...from);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parseManifests(text: string): Manifest[] {
  return yaml.safeLoadAll(text).filter((one): one is Manifest => one !== null && one !== undefined);
}

export async function manifests(...values: (string | Values)[]): Promise<Manifest[]> {
  return parseManifests(await render(values));
}

/** Everything that holds containers, by its kind in Kubernetes. */
export function listPods(all: readonly Manifest[]): { name: string; pod: Manifest }[] {
  return all.flatMap((one) => {
    const pod = one.kind === "Pod" ? one.spec : one.spec?.template?.spec;
    return pod === undefined ? [] : [{ name: `${one.kind} ${one.metadata.name}`, pod }];
  });
}

export function named(all: readonly Manifest[], kind: string, name: string): Manifest {
  const found = all.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}
