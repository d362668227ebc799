// What the chart expects to find outside the cluster: PostgreSQL, Kafka and a chain, started here on loopback and
// handed to pods under an address of this machine.
import { mkdtempSync, rmSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startAnvil, startKafka, startPostgres } from "@pay/embedded";
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
export const hostAddress = (): string => {
  const given = process.env.E2E_HOST_ADDRESS;
  if (given) return given;
  const found = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  if (found === undefined) throw new Error("this machine has no address: set E2E_HOST_ADDRESS");
  return found.address;
};

export const startOutside = async (): Promise<Outside> => {
  const host = hostAddress();
  const folder = mkdtempSync(join(tmpdir(), "pay-cluster-"));
  await chmod(folder, 0o711); // PostgreSQL may run as another account.
  const undo: (() => Promise<void>)[] = [];
  const open = async (targetPort: number, port = 0): Promise<number> => {
    const forward = await startForward(host, targetPort, port);
    undo.push(forward.stop);
    return forward.port;
  };

  const settings = { max_connections: 300 };
  const postgres = await startPostgres({ dataDir: join(folder, "postgres"), settings });
  undo.push(() => postgres.stop());
  const postgresPort = await open(postgres.port);
  const databaseUrls = {} as Record<ServiceName, string>;
  for (const name of SERVICE_NAMES) {
    databaseUrls[name] = moved(await postgres.provide(name), host, postgresPort);
  }

  // The broker tells its clients where to come back to, so its outer port must be known before it starts.
  const [inner, outer] = [await freePort(), await freePort(host)];
  const kafka = await startKafka({
    dataDir: join(folder, "kafka"),
    port: inner,
    settings: { "advertised.listeners": `PLAINTEXT://${host}:${outer}` },
  });
  undo.push(() => kafka.stop());
  await open(inner, outer);

  const chain = await startAnvil({ blockTimeSeconds: 2 });
  undo.push(() => chain.stop());
  const chainPort = await open(chain.port);
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
};

const moved = (address: string, host: string, port: number): string =>
  Object.assign(new URL(address), { hostname: host, port: `${port}` }).href;
