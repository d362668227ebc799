// The built images as containers in one network, hardened as the chart hardens its pods: no writes to the root file
// system, no capabilities, no new privileges. PostgreSQL, Kafka and the chain are real and reached from that network
// under an address of this machine.
import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { type Credentials, SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { GenericContainer, Network, type StartedTestContainer, Wait } from "testcontainers";
import { type Outside, startOutside } from "./outside.ts";

const TAG = "e2e";
const REPOSITORY = "pay-e2e";
const BUILD_TIMEOUT_MS = 10 * 60_000;
const START_TIMEOUT_MS = 120_000;

export interface Containers {
  credentials: Credentials;
  outside: Outside;
  /** What a script for Node prints inside a service's container. */
  inside(name: ServiceName, script: string): Promise<string>;
  stop(): Promise<void>;
}

/** What is missing for building and starting images, or undefined. */
export const missingForContainers = (): string | undefined => {
  const docker = (...args: string[]) =>
    spawnSync("docker", args, { stdio: "ignore", timeout: 120_000 }).status === 0;
  if (!docker("info")) return "no docker daemon answers";
  const base = process.env.NODE_IMAGE || "node:24-slim";
  const isHere = docker("image", "inspect", base) || docker("pull", base);
  return isHere ? undefined : `image ${base} cannot be had (NODE_IMAGE may name another)`;
};

export const startContainers = async (): Promise<Containers> => {
  const env = { ...process.env, IMAGE_REPOSITORY: REPOSITORY, IMAGE_TAG: TAG };
  await promisify(execFile)("npm", ["run", "images"], { env, timeout: BUILD_TIMEOUT_MS });
  // The library's own helper, which clears up after a crash, is an image that must be had too.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= "true";
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const one of undo.reverse()) await one();
  };
  try {
    const outside = await startOutside();
    undo.push(() => outside.stop());
    const network = await new Network().start();
    undo.push(() => network.stop());
    const environment = environmentOf(outside);
    const started = new Map<ServiceName, StartedTestContainer>();
    const start = async (name: ServiceName) => {
      const container = await serviceContainer(name, environment).withNetwork(network).start();
      undo.push(() => container.stop({ timeout: 30_000 }));
      started.set(name, container);
      return container;
    };
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
};

const GRPC_PORT = 50_051;

const environmentOf = (outside: Outside): Record<string, string> => ({
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
  SERVICE_TOKENS: randomBytes(32).toString("base64url"),
  CHAINS_LOCAL_RPC_URL: outside.rpcUrl,
  PUBLIC_URL: "https://pay.example.com",
  WEBHOOKS_ALLOW_HOSTS: outside.host,
  WEBHOOKS_ALLOW_HTTP: "1",
  DRAIN_DELAY_MS: "0",
});

class HardenedContainer extends GenericContainer {
  constructor(service: ServiceName) {
    super(`${REPOSITORY}/${service}:${TAG}`);
    this.hostConfig.ReadonlyRootfs = true;
  }
}

const hardened = (name: ServiceName, environment: Record<string, string>) =>
  new HardenedContainer(name)
    .withEnvironment(environment)
    .withTmpFs({ "/tmp": "rw" })
    .withDroppedCapabilities("ALL")
    .withSecurityOpt("no-new-privileges")
    .withStartupTimeout(START_TIMEOUT_MS);

const migration = (name: ServiceName, environment: Record<string, string>) =>
  hardened(name, environment)
    .withCommand(["migrate.js"])
    .withWaitStrategy(Wait.forOneShotStartup());

const serviceContainer = (name: ServiceName, environment: Record<string, string>) =>
  hardened(name, environment)
    .withNetworkAliases(name)
    .withExposedPorts(8080, 9090)
    .withWaitStrategy(Wait.forHttp("/readyz", 9090).forStatusCode(200));

const createProject = async (
  gateway: StartedTestContainer,
  outside: Outside,
): Promise<Credentials> => {
  const command = ["node", "create-project.js", "--name", "Containers", "--json"];
  const stdout = await said(gateway, command);
  const { projectId, secretKey, publishableKey, webhookSecret } = JSON.parse(stdout);
  return {
    ...{ projectId, secretKey, publishableKey, webhookSecret },
    baseUrl: `http://${gateway.getHost()}:${gateway.getMappedPort(8080)}`,
    chainRpcUrl: outside.rpcUrl,
    chainId: 31_337,
    tokenAddress: "",
  };
};

const said = async (
  container: StartedTestContainer | undefined,
  command: string[],
): Promise<string> => {
  if (container === undefined) throw new Error("the container was not started");
  const { exitCode, stdout, stderr } = await container.exec(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr}`);
  return stdout;
};
