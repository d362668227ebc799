// kubectl and helm as a person would use them, with the cluster KUBECONFIG names and in one namespace.
import { execFile } from "node:child_process";
import { obtainHelm } from "../../tools/helm.ts";

const TIMEOUT_MS = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes are read where a step expects something
type Json = any;

export interface Kube {
  namespace: string;
  kubectl(args: string[], options?: { timeoutMs?: number; input?: string }): Promise<string>;
  get(...args: string[]): Promise<Json>;
  apply(...objects: object[]): Promise<void>;
  helm(args: string[], options?: { timeoutMs?: number }): Promise<string>;
}

export function run(
  command: string,
  args: string[],
  options: { timeoutMs?: number; input?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<string> {
  const { timeoutMs = TIMEOUT_MS, input = "", env = {}, cwd } = options;
  return new Promise((resolve, reject) => {
    const settings = {
      timeout: timeoutMs,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, ...env },
      ...(cwd === undefined ? {} : { cwd }),
    };
    const child = execFile(command, args, settings, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const late = error.killed ? ` (ended after ${timeoutMs} ms)` : "";
      reject(new Error(`${command} ${args.join(" ")} failed${late}:\n${stderr}${stdout}`));
    });
    child.stdin?.end(input);
  });
}

export async function openKube(namespace: string): Promise<Kube> {
  const kubectlPath = process.env.KUBECTL || "kubectl";
  const helmPath = await obtainHelm((line) => process.stderr.write(`${line}\n`));
  const kubectl: Kube["kubectl"] = (args, options) =>
    run(kubectlPath, ["-n", namespace, ...args], options);
  return {
    namespace,
    kubectl,
    get: async (...args) => JSON.parse(await kubectl(["get", ...args, "-o", "json"])),
    apply: async (...objects) => {
      const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
      await kubectl(["apply", "-f", "-"], { input });
    },
    helm: (args, options) => run(helmPath, ["-n", namespace, ...args], options),
  };
}

export function makeSecret(name: string, stringData: Record<string, string>): object {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    stringData,
  };
}
