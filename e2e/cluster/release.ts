// One installation of the chart of the working tree, as an operator handles it.

import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { CALLERS } from "@pay/rpc";
import { type Credentials, SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { until } from "@pay/testing";
import type { Outside } from "../harness/outside.ts";
import { type Kube, makeSecret, openKube } from "./kube.ts";

export const RELEASE = "pay";
const CHART = resolve("deploy/helm");
const WAIT_MS = 300_000;

/** A namespace of its own that lets only restricted pods in. */
export async function createNamespace(name: string): Promise<Kube> {
  const kube = await openKube(name);
  await kube.apply({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
  });
  return kube;
}

export function deleteNamespace(kube: Kube): Promise<string> {
  return kube.kubectl(["delete", "namespace", kube.namespace, "--timeout=120s"], {
    timeoutMs: 130_000,
  });
}

export function databaseSecret(name: ServiceName, url: string): object {
  return makeSecret(`pay-${name}-db`, { url });
}

function keysSecret(): object {
  return makeSecret("pay-keys", {
    "key-pepper": `1:${randomBytes(32).toString("base64url")}`,
    "client-secret-keys": `1:${randomBytes(32).toString("base64url")}`,
    "webhook-secret-keys": `1:${randomBytes(32).toString("base64")}`,
    ...Object.fromEntries(
      CALLERS.map((name) => [`${name}-tokens`, randomBytes(32).toString("base64url")]),
    ),
  });
}

export function createSecrets(kube: Kube, outside: Outside): Promise<void> {
  return kube.apply(
    keysSecret(),
    ...SERVICE_NAMES.map((name) => databaseSecret(name, outside.databaseUrls[name])),
  );
}

export interface Values {
  image: { local: boolean; repository: string; tag: string; pullPolicy: string };
  kafka: object;
  chains: object;
  services: Partial<Record<ServiceName, object>>;
  [name: string]: unknown;
}

export function buildValues(outside: Outside, repository: string, tag: string): Values {
  return {
    image: {
      local: true,
      repository,
      tag,
      pullPolicy: process.env.IMAGE_PULL_POLICY || "IfNotPresent",
    },
    publicUrl: "https://pay.example.com",
    kafka: { brokers: outside.brokers, insecure: true, tls: { enabled: false } },
    keys: { existingSecret: "pay-keys" },
    postgres: Object.fromEntries(
      SERVICE_NAMES.map((name) => [name, { existingSecret: `pay-${name}-db` }]),
    ),
    chains: {
      allowHttpProviders: true,
      local: { rpcUrl: outside.rpcUrl, chainId: 31_337, tokens: [] },
    },
    webhooks: { allowHosts: [outside.host], allowHttp: true },
    // Without effect where the cluster's network has no policies.
    networkPolicy: { egress: [{ to: [{ ipBlock: { cidr: `${outside.host}/32` } }] }] },
    services: {
      gateway: { service: { type: "NodePort" }, env: UNLIMITED },
      chains: { env: { CHAINS_BOOKS_INTERVAL_MS: 2_000 } },
      // A new entry of the address book counts at once: the run does not last a day.
      refunds: { env: { SETTLEMENT_DESTINATION_DELAY_HOURS: 0 } },
    },
  };
}

export function withReplicas(
  services: Values["services"],
  counts: Partial<Record<ServiceName, number>>,
): Values["services"] {
  const own = Object.entries(counts) as [ServiceName, number][];
  return {
    ...services,
    ...Object.fromEntries(own.map(([name, replicas]) => [name, { ...services[name], replicas }])),
  };
}

/** The load comes from one merchant and one address. */
const UNLIMITED = {
  RATE_LIMITS: '{"live": {"perSecond": 0}, "routePerSecond": 0, "addressPerSecond": 0}',
};

/** Values are passed as one JSON argument, so that no secret stays in a file. */
export function upgrade(kube: Kube, values: object, ...options: string[]): Promise<string> {
  return kube.helm(
    [
      "upgrade",
      RELEASE,
      CHART,
      "--install",
      "--reset-values",
      "--timeout",
      "5m",
      ...Object.entries(values).flatMap(([key, value]) => [
        "--set-json",
        `${key}=${JSON.stringify(value)}`,
      ]),
      ...options,
    ],
    { timeoutMs: WAIT_MS + 10_000 },
  );
}

export function waitReady(kube: Kube): Promise<string> {
  return kube.kubectl(
    [
      "wait",
      "--for=condition=Available",
      "deployment",
      "-l",
      `app.kubernetes.io/instance=${RELEASE}`,
      "--timeout=300s",
    ],
    { timeoutMs: WAIT_MS + 10_000 },
  );
}

/** Pods of the configuration before serve for some seconds after an upgrade. Resolves when the last one is gone. */
export async function waitReplaced(kube: Kube): Promise<void> {
  const release = ["-l", `app.kubernetes.io/instance=${RELEASE}`];
  await until(
    async () => {
      const deployments = await kube.get("deployments", ...release);
      const pods = await kube.get("pods", ...release);
      return deployments.items.every(({ metadata, spec }: Deployment) => {
        const own = pods.items.filter(
          (pod: Pod) => getComponent(pod) === getComponent({ metadata }),
        );
        return own.length === spec.replicas;
      });
    },
    { what: "the end of the pods before" },
  );
}

interface Pod {
  metadata: { labels: Record<string, string> };
}

interface Deployment extends Pod {
  spec: { replicas: number };
}

function getComponent({ metadata }: Pod): string | undefined {
  return metadata.labels["app.kubernetes.io/component"];
}

/** The gateway's Service as this machine reaches it: by its port on a node. */
async function gatewayUrl(kube: Kube): Promise<string> {
  const service = await kube.get("service", `${RELEASE}-gateway`);
  const nodes = await kube.get("nodes");
  const addresses = nodes.items[0].status.addresses as { type: string; address: string }[];
  const address = addresses.find(({ type }) => type === "InternalIP")?.address;
  return `http://${process.env.E2E_NODE_ADDRESS || address}:${service.spec.ports[0].nodePort}`;
}

/** The documented way to the first project. */
export async function createProject(kube: Kube, outside: Outside): Promise<Credentials> {
  const command = ["node", "create-project.js", "--name", "End to end", "--json"];
  const said = await kube.kubectl(["exec", `deploy/${RELEASE}-gateway`, "--", ...command]);
  const { projectId, secretKey, publishableKey, webhookSecret } = JSON.parse(said);
  return {
    projectId,
    secretKey,
    publishableKey,
    webhookSecret,
    baseUrl: await gatewayUrl(kube),
    chainRpcUrl: outside.rpcUrl,
    chainId: 31_337,
    tokenAddress: "",
  };
}

/** The first log lines of a component's pods, of the current container and of the one before it. */
export async function firstLines(kube: Kube, component: string): Promise<string> {
  const selector = `app.kubernetes.io/component=${component}`;
  const logs = ["logs", "-l", selector, "--tail=-1", "--limit-bytes=4000"];
  const said = await Promise.all(
    [logs, [...logs, "--previous"]].map((args) => kube.kubectl(args).catch(() => "")),
  );
  return said.map((text) => text.split("\n").slice(0, 3).join("\n")).join("\n");
}

/** Whatever still carries the release's name. */
export async function leftovers(kube: Kube): Promise<string[]> {
  const kinds = (
    await kube.kubectl(["api-resources", "--namespaced", "--verbs=list", "-o", "name"])
  )
    .trim()
    .split("\n")
    .filter((kind) => !/^(events|podmetrics)/.test(kind));
  const found = await kube.kubectl([
    "get",
    kinds.join(","),
    "-l",
    `app.kubernetes.io/instance=${RELEASE}`,
    "-o",
    "name",
    "--ignore-not-found",
  ]);
  const own = await kube.kubectl(["get", "secrets", "-l", "owner=helm", "-o", "name"]);
  return `${found}\n${own}`.split("\n").filter((line) => line.trim() !== "");
}
