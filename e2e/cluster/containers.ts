// The built images as containers in one network, hardened as the chart hardens its pods: no writes to the root file
// system, no capabilities, no new privileges. PostgreSQL, Kafka and the chain are real and reached from that network
// under an address of this machine.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { CALLERS } from "@pay/rpc";
import { type Credentials, SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { GenericContainer, Network, type StartedTestContainer, Wait } from "testcontainers";
import { type Outside, startOutside } from "../harness/outside.ts";

const TAG = "e2e";
const REPOSITORY = "pay-e2e";
const BUILD_TIMEOUT_MS = 10 * 60_000;
const START_TIMEOUT_MS = 120_000;

export interface Containers {
  credentials: Credentials;
  outside: Outside;
  /** Runs a Node script inside a service's container and returns its output. */
  inside(name: ServiceName, script: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startContainers(): Promise<Containers> {
  const env = { ...process.env, IMAGE_REPOSITORY: REPOSITORY, IMAGE_TAG: TAG };
  await promisify(execFile)("npm", ["run", "images"], { env, timeout: BUILD_TIMEOUT_MS });
  // The library's clean-up helper is one more image, which may not be available.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= "true";
  const undo: (() => Promise<unknown>)[] = [];
  async function stop() {
    for (const one of undo.reverse()) await one();
  }

  try {
    const outside = await startOutside();
    undo.push(() => outside.stop());
    const network = await new Network().start();
    undo.push(() => network.stop());
    const environment = buildEnvironment(outside);
    const started = new Map<ServiceName, StartedTestContainer>();
    async function start(name: ServiceName) {
      const container = await serviceContainer(name, environment).withNetwork(network).start();
      undo.push(() => container.stop({ timeout: 30_000 }));
      started.set(name, container);
      return container;
    }

    for (const name of SERVICE_NAMES) {
      const done = await migration(name, environment).withNetwork(network).start();
      await done.stop();
    }
    const others = SERVICE_NAMES.filter((name) => name !== "gateway");
    await Promise.all(others.map(start));
    const gateway = await start("gateway");
    const inside: Containers["inside"] = (name, script) =>
      said(started.get(name), ["node", "-e", script]);
    return { credentials: await createProject(gateway, outside), outside, inside, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const GRPC_PORT = 50_051;

function buildEnvironment(outside: Outside): Record<string, string> {
  return {
    ...Object.fromEntries(
      SERVICE_NAMES.flatMap((name) => [
        [`${name.toUpperCase()}_DATABASE_URL`, outside.databaseUrls[name]],
        [`${name.toUpperCase()}_GRPC_PORT`, `${GRPC_PORT}`],
        [`${name.toUpperCase()}_ADDRESS`, `dns:///${name}:${GRPC_PORT}`],
      ]),
    ),
    KAFKA_BROKERS: outside.brokers.join(","),
    GATEWAY_KEY_PEPPER: randomBytes(32).toString("base64url"),
    PAYMENTS_CLIENT_SECRET_KEYS: `1:${randomBytes(32).toString("base64url")}`,
    WEBHOOKS_SECRET_KEYS: `1:${randomBytes(32).toString("base64")}`,
    ...Object.fromEntries(
      CALLERS.map((name) => [
        `${name.toUpperCase()}_CALLER_TOKENS`,
        randomBytes(32).toString("base64url"),
      ]),
    ),
    CHAINS_LOCAL: JSON.stringify({ rpcUrl: outside.rpcUrl }),
    CHAINS_ALLOW_HTTP_PROVIDERS: "1",
    PUBLIC_URL: "https://pay.example.com",
    WEBHOOKS_ALLOW_HOSTS: outside.host,
    WEBHOOKS_ALLOW_HTTP: "1",
    DRAIN_DELAY_MS: "0",
  };
}

class HardenedContainer extends GenericContainer {
  constructor(service: ServiceName) {
    super(`${REPOSITORY}/${service}:${TAG}`);
    this.hostConfig.ReadonlyRootfs = true;
  }
}

function hardened(name: ServiceName, environment: Record<string, string>) {
  return new HardenedContainer(name)
    .withEnvironment(environment)
    .withTmpFs({ "/tmp": "rw" })
    .withDroppedCapabilities("ALL")
    .withSecurityOpt("no-new-privileges")
    .withStartupTimeout(START_TIMEOUT_MS);
}

function migration(name: ServiceName, environment: Record<string, string>) {
  return hardened(name, environment)
    .withCommand(["migrate.js"])
    .withWaitStrategy(Wait.forOneShotStartup());
}

function serviceContainer(name: ServiceName, environment: Record<string, string>) {
  return hardened(name, environment)
    .withNetworkAliases(name)
    .withExposedPorts(8080, 9090)
    .withWaitStrategy(Wait.forHttp("/readyz", 9090).forStatusCode(200));
}

async function createProject(
  gateway: StartedTestContainer,
  outside: Outside,
): Promise<Credentials> {
  const command = ["node", "create-project.js", "--name", "Containers", "--json"];
  const stdout = await said(gateway, command);
  const { projectId, secretKey, publishableKey, webhookSecret } = JSON.parse(stdout);
  return {
    projectId,
    secretKey,
    publishableKey,
    webhookSecret,
    baseUrl: `http://${gateway.getHost()}:${gateway.getMappedPort(8080)}`,
    chainRpcUrl: outside.rpcUrl,
    chainId: 31_337,
    tokenAddress: "",
  };
}

async function said(
  container: StartedTestContainer | undefined,
  command: string[],
): Promise<string> {
  if (container === undefined) throw new Error("the container was not started");
  const { exitCode, stdout, stderr } = await container.exec(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr}`);
  return stdout;
}
