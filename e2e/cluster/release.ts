// One installation of the chart of the working tree, as an operator handles it.

import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { type Credentials, SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { until } from "@pay/testing";
import type { Outside } from "../harness/outside.ts";
import { type Kube, openKube, secretOf } from "./kube.ts";

export const RELEASE = "pay";
const CHART = resolve("deploy/helm");
const WAIT_MS = 300_000;

/** A namespace of its own that lets only restricted pods in. */
export const createNamespace = async (name: string): Promise<Kube> => {
  const kube = await openKube(name);
  await kube.apply({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
  });
  return kube;
};

export const deleteNamespace = (kube: Kube): Promise<string> =>
  kube.kubectl(["delete", "namespace", kube.namespace, "--timeout=120s"], { timeoutMs: 130_000 });

export const databaseSecret = (name: ServiceName, url: string): object =>
  secretOf(`pay-${name}-db`, { url });

export const keysSecret = (): object =>
  secretOf("pay-keys", {
    "key-pepper": randomBytes(32).toString("base64url"),
    "client-secret-keys": `1:${randomBytes(32).toString("base64url")}`,
    "webhook-secret-keys": `1:${randomBytes(32).toString("base64")}`,
    "service-tokens": randomBytes(32).toString("base64url"),
  });

export const createSecrets = (kube: Kube, outside: Outside): Promise<void> =>
  kube.apply(
    keysSecret(),
    ...SERVICE_NAMES.map((name) => databaseSecret(name, outside.databaseUrls[name])),
  );

export const valuesOf = (outside: Outside, repository: string, tag: string): object => ({
  image: { repository, tag, pullPolicy: process.env.IMAGE_PULL_POLICY || "IfNotPresent" },
  publicUrl: "https://pay.example.com",
  kafka: { brokers: outside.brokers },
  keys: { existingSecret: "pay-keys" },
  postgres: Object.fromEntries(
    SERVICE_NAMES.map((name) => [name, { existingSecret: `pay-${name}-db` }]),
  ),
  chains: { local: { rpcUrl: outside.rpcUrl, chainId: 31_337, tokens: [] } },
  webhooks: { allowHosts: [outside.host], allowHttp: true },
  services: { gateway: { service: { type: "NodePort" }, env: UNLIMITED } },
});

/** The load comes from one merchant and one address. */
const UNLIMITED = {
  RATE_LIMIT_LIVE_PER_SECOND: 0,
  RATE_LIMIT_ROUTE_PER_SECOND: 0,
  RATE_LIMIT_ADDRESS_PER_SECOND: 0,
};

/** Values travel as one JSON argument, so that nothing of them is left behind in a file. */
export const upgrade = (kube: Kube, values: object, ...options: string[]): Promise<string> =>
  kube.helm(
    [
      ...["upgrade", RELEASE, CHART, "--install", "--reset-values", "--timeout", "5m"],
      ...Object.entries(values).flatMap(([key, value]) => [
        "--set-json",
        `${key}=${JSON.stringify(value)}`,
      ]),
      ...options,
    ],
    { timeoutMs: WAIT_MS + 10_000 },
  );

export const waitReady = (kube: Kube): Promise<string> =>
  kube.kubectl(
    [
      ...["wait", "--for=condition=Available", "deployment"],
      ...["-l", `app.kubernetes.io/instance=${RELEASE}`, "--timeout=300s"],
    ],
    { timeoutMs: WAIT_MS + 10_000 },
  );

/** The gateway's Service as this machine reaches it: by its port on a node. */
export const gatewayUrl = async (kube: Kube): Promise<string> => {
  const service = await kube.get("service", `${RELEASE}-gateway`);
  const nodes = await kube.get("nodes");
  const addresses = nodes.items[0].status.addresses as { type: string; address: string }[];
  const address = addresses.find(({ type }) => type === "InternalIP")?.address;
  return `http://${process.env.E2E_NODE_ADDRESS || address}:${service.spec.ports[0].nodePort}`;
};

/** The documented way to the first project. */
export const createProject = async (kube: Kube, outside: Outside): Promise<Credentials> => {
  const command = ["node", "create-project.js", "--name", "End to end", "--json"];
  const said = await kube.kubectl(["exec", `deploy/${RELEASE}-gateway`, "--", ...command]);
  const { projectId, secretKey, publishableKey, webhookSecret } = JSON.parse(said);
  return {
    ...{ projectId, secretKey, publishableKey, webhookSecret },
    baseUrl: await gatewayUrl(kube),
    chainRpcUrl: outside.rpcUrl,
    chainId: 31_337,
    tokenAddress: "",
  };
};

/** SIGKILL to the service's process; the pod's containers see each other's processes in this installation. */
export const killProcess = async (kube: Kube, service: ServiceName): Promise<void> => {
  const script = `
    const { readdirSync, readFileSync } = require("node:fs");
    const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
    const own = pids.find((pid) => readFileSync("/proc/" + pid + "/cmdline", "utf8") === "node\\0main.js\\0");
    process.kill(Number(own), "SIGKILL");`;
  const pod = await stayingPod(kube, service);
  const before = await stateOf(kube, pod);
  await kube.kubectl(["exec", pod, "--", "node", "-e", script]);
  await until(
    async () => {
      const { ready, restartCount } = await stateOf(kube, pod);
      return ready && restartCount > before.restartCount;
    },
    { timeoutMs: 120_000, what: `${service} killed and ready again` },
  );
};

/** Pods of an older build may still be leaving, or about to be told to. */
const stayingPod = (kube: Kube, service: ServiceName): Promise<string> =>
  until(
    async () => {
      const pods = await kube.get("pods", "-l", `app.kubernetes.io/component=${service}`);
      const staying = pods.items.filter(
        ({ metadata }: { metadata: object }) => !("deletionTimestamp" in metadata),
      );
      return staying.length === 1 && staying[0].metadata.name;
    },
    { timeoutMs: 60_000, what: `one pod of ${service} that is to stay` },
  );

const stateOf = async (
  kube: Kube,
  pod: string,
): Promise<{ ready: boolean; restartCount: number }> =>
  (await kube.get("pod", pod)).status.containerStatuses[0];

/** What the pods of a component said first, in this life and in the one before it. */
export const firstLines = async (kube: Kube, component: string): Promise<string> => {
  const selector = `app.kubernetes.io/component=${component}`;
  const logs = ["logs", "-l", selector, "--tail=-1", "--limit-bytes=4000"];
  const said = await Promise.all(
    [logs, [...logs, "--previous"]].map((args) => kube.kubectl(args).catch(() => "")),
  );
  return said.map((text) => text.split("\n").slice(0, 3).join("\n")).join("\n");
};

/** Whatever still carries the release's name. */
export const leftovers = async (kube: Kube): Promise<string[]> => {
  const kinds = (
    await kube.kubectl(["api-resources", "--namespaced", "--verbs=list", "-o", "name"])
  )
    .trim()
    .split("\n")
    .filter((kind) => !/^(events|podmetrics)/.test(kind));
  const found = await kube.kubectl([
    ...["get", kinds.join(","), "-l", `app.kubernetes.io/instance=${RELEASE}`],
    ...["-o", "name", "--ignore-not-found"],
  ]);
  const own = await kube.kubectl(["get", "secrets", "-l", "owner=helm", "-o", "name"]);
  return `${found}\n${own}`.split("\n").filter((line) => line.trim() !== "");
};
