// The parts that the chart expects outside the cluster: PostgreSQL, Kafka and a chain. They start here on loopback, and
// pods reach them under an address of this machine.
import { mkdtempSync, rmSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { startAnvil, startKafka, startPostgres } from "@pay/embedded";
import { SERVICE_NAMES, type ServiceName } from "@pay/standalone";
import { startForward } from "./forward.ts";

export interface Outside {
  /** Address of this machine as pods see it. */
  host: string;
  databaseUrls: Record<ServiceName, string>;
  /** The superuser's, for reading what a service has stored. */
  adminUrl(database: ServiceName): string;
  brokers: string[];
  rpcUrl: string;
  stop(): Promise<void>;
}

/** E2E_HOST_ADDRESS, else the first address others can reach. */
function hostAddress(): string {
  const given = process.env.E2E_HOST_ADDRESS;
  if (given) return given;
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  if (found === undefined) throw new Error("this machine has no address: set E2E_HOST_ADDRESS");
  return found.address;
}

export async function startOutside(): Promise<Outside> {
  const host = hostAddress();
  const folder = mkdtempSync(join(tmpdir(), "pay-cluster-"));
  await chmod(folder, 0o711); // PostgreSQL may run as another account.
  const undo: (() => Promise<void>)[] = [];
  async function open(targetPort: () => number): Promise<number> {
    const forward = await startForward(host, targetPort);
    undo.push(forward.stop);
    return forward.port;
  }

  const settings = { max_connections: 300 };
  const postgres = await startPostgres({ dataDir: join(folder, "postgres"), settings });
  undo.push(() => postgres.stop());
  const postgresPort = await open(() => postgres.port);
  const databaseUrls = {} as Record<ServiceName, string>;
  for (const name of SERVICE_NAMES) {
    databaseUrls[name] = moved(await postgres.provide(name), host, postgresPort);
  }

  // The broker advertises its address to clients, so its outer port must be known before it starts.
  let inner = 0;
  const outer = await open(() => inner);
  const kafka = await startKafka({
    dataDir: join(folder, "kafka"),
    settings: { "advertised.listeners": `PLAINTEXT://${host}:${outer}` },
  });
  undo.push(() => kafka.stop());
  inner = kafka.port;

  const chain = await startAnvil({ blockTimeSeconds: 2 });
  undo.push(() => chain.stop());
  const chainPort = await open(() => chain.port);
  return {
    host,
    databaseUrls,
    adminUrl: (database) => postgres.url(database),
    brokers: [`${host}:${outer}`],
    rpcUrl: `http://${host}:${chainPort}`,
    stop: async () => {
      for (const stop of undo.reverse()) await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function moved(address: string, host: string, port: number): string {
  return Object.assign(new URL(address), { hostname: host, port: `${port}` }).href;
}
