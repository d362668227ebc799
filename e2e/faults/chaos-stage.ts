// The distributed product with a proxy on each way that a run cuts, and a supervisor that starts what has ended, as
// Kubernetes does.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { leasePort } from "@pay/embedded";
import { SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { type Cluster, startCluster } from "../harness/distributed.ts";
import { type Forward, startForward } from "../harness/forward.ts";
import type { Merchant } from "../harness/merchant.ts";
import { mountSmallDisk, type SmallDisk } from "../harness/small-disk.ts";
import { newDataDir } from "../harness/standalone.ts";

export interface Routes {
  database: ReadonlyMap<ServiceName, Forward>;
  callers: ReadonlyMap<ServiceName, Forward>;
  /** From the payers' wallets to the chain. */
  payers: Forward;
}

export interface Stage {
  cluster: Cluster;
  chain: TestChain;
  /** One of two; the other one is honest. */
  provider: FaultProxy;
  routes: Routes;
  /** Under the tables of all services; undefined where none can be mounted. */
  disk: SmallDisk | undefined;
  shop: Merchant;
  /** Kills a service, and keeps it from being started again. */
  take(name: ServiceName): Promise<void>;
  giveBack(name: ServiceName): void;
  /** From then on its clock is off by this much. */
  setClock(name: ServiceName, jumpMs: number): void;
}

export interface Theatre extends Omit<Stage, "shop"> {
  /** Ends when every service is ready. */
  untilReady(): Promise<void>;
  /** How often a service ended that no fault had killed. */
  countOwnEnds(): number;
  stop(): Promise<void>;
}

const DISK_SIZE = "2g";
const BLOCK_MS = 1_000;
/** More than a reorganisation replaces. */
const CONFIRMATIONS = 5;
const RESTART_TIMEOUT_MS = 300_000;
const RESTART_PAUSE_MS = 1_000;
const READY_TIMEOUT_MS = 120_000;
const LOCAL = "127.0.0.1";
/** Of the chart. */
const CONNECT_TIMEOUT_S = "3";

const CLOCK = new URL("jumping-clock.mjs", import.meta.url).href;

export async function openTheatre(): Promise<Theatre> {
  const undo: (() => unknown)[] = [];
  async function open(targetPort: () => number): Promise<Forward> {
    const forward = await startForward(LOCAL, targetPort);
    undo.push(forward.stop);
    return forward;
  }

  const chain = await testChain();
  undo.push(chain.stop);
  const provider = await chain.faultProxy();
  const payers = await open(() => Number(new URL(chain.rpcUrl).port));
  const clocks = newDataDir();
  undo.push(clocks.remove);
  let postgresPort = 0;
  const database = new Map<ServiceName, Forward>();
  const callers = new Map<ServiceName, Forward>();
  for (const name of SERVICE_NAMES) {
    database.set(name, await open(() => postgresPort));
  }
  const addresses: Record<string, string> = {};
  for (const name of SERVICE_NAMES) {
    if (name === "gateway") continue;
    const port = await leasePort();
    const route = await open(() => port);
    callers.set(name, route);
    addresses[`${name.toUpperCase()}_GRPC_PORT`] = `${port}`;
    addresses[`${name.toUpperCase()}_ADDRESS`] = `${LOCAL}:${route.port}`;
  }
  const disk = mountSmallDisk(DISK_SIZE);
  if (disk !== undefined) undo.push(disk.remove);
  const cluster = await startCluster(
    {
      ...addresses,
      NODE_OPTIONS: `--import=${CLOCK}`,
      CLOCKS_FOLDER: clocks.path,
      CHAINS_LOCAL: JSON.stringify({ rpcUrl: chain.rpcUrl }),
      CHAINS_PROVIDERS: JSON.stringify({ [chain.chainId]: [provider.url, chain.rpcUrl] }),
      CHAINS_FINALITY: JSON.stringify({
        [chain.chainId]: { mode: "confirmations", confirmations: CONFIRMATIONS },
      }),
    },
    {
      disk: disk && { folder: disk.folder, services: SERVICE_NAMES },
      routeDatabase: (url, name) => {
        const routed = new URL(url);
        postgresPort = Number(routed.port);
        routed.port = `${database.get(name)?.port}`;
        routed.searchParams.set("connect_timeout", CONNECT_TIMEOUT_S);
        return routed.href;
      },
    },
  );
  undo.push(cluster.stop);
  const { product } = cluster;
  const blocks = setInterval(() => void chain.mine().catch(() => {}), BLOCK_MS);
  undo.push(() => clearInterval(blocks));

  const taken = new Set<ServiceName>();
  let ownEnds = 0;
  let isStopping = false;
  undo.push(() => {
    isStopping = true;
  });
  async function supervise(name: ServiceName): Promise<void> {
    while (!isStopping) {
      const child = product.children.get(name);
      await child?.exited;
      if (isStopping) return;
      if (!taken.has(name)) ownEnds++;
      await until(
        async () => {
          if (isStopping) return true;
          if (taken.has(name)) return false;
          await new Promise((resolve) => setTimeout(resolve, RESTART_PAUSE_MS));
          return product.restart(name).catch(() => undefined);
        },
        { timeoutMs: RESTART_TIMEOUT_MS, what: `${name} again` },
      );
    }
  }

  for (const name of SERVICE_NAMES) void supervise(name);

  return {
    cluster,
    chain,
    provider,
    routes: { database, callers, payers },
    disk,
    take: async (name) => {
      taken.add(name);
      await product.children.get(name)?.kill();
    },
    giveBack: (name) => void taken.delete(name),
    setClock: (name, jumpMs) => writeFileSync(join(clocks.path, name), `${jumpMs}`),
    untilReady: () =>
      until(
        async () => {
          const answers = await Promise.all(
            [...product.children.values()].map(({ adminUrl }) =>
              fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(RESTART_PAUSE_MS) }).then(
                ({ ok }) => ok,
                () => false,
              ),
            ),
          );
          return answers.every(Boolean);
        },
        { timeoutMs: READY_TIMEOUT_MS, what: "every service ready" },
      ).then(() => {}),
    countOwnEnds: () => ownEnds,
    stop: async () => {
      for (const end of undo.reverse()) await end();
    },
  };
}
