// The distributed form under the control of a test: Postgres, the broker and each service can be killed, frozen and
// restarted while the others run.
import { chownSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Kafka, type Postgres, startKafka, startPostgres } from "@pay/embedded";
import { createLog } from "@pay/process";
import {
  type Credentials,
  createProjectByCommand,
  type NewProject,
  openDataFolder,
  type Product,
  SERVICE_NAMES,
  type ServiceName,
  startProduct,
} from "@pay/standalone";
import { createProofWatch, limitRates, type ProofWatch, patientUrl } from "@pay/testing";
import pg from "pg";
import { fetchMetrics, newDataDir } from "./standalone.ts";

export interface Parts {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export interface Cluster {
  product: Product;
  credentials: Credentials;
  postgres: Parts & { port: number; dataDir: string; superuserUrl(database: string): string };
  kafka: Parts & { brokers: string[]; freeze(): Promise<void>; thaw(): Promise<void> };
  /** What the services logged, newest last. */
  log(): string[];
  /** A further project beside the first. */
  createProject(name: string): Promise<Credentials>;
  /** Counts proofs without effect; stop() fails if a test did not expect them. */
  proofs: ProofWatch;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** Called with every log line of every service. */
  onLine?(line: string): void;
  /** The address at which a service finds its database, where something stands between. */
  routeDatabase?(url: string, name: ServiceName): string;
  /** A folder in which the tables of these services lie. */
  disk?: { folder: string; services: readonly ServiceName[] } | undefined;
}

const LOG_LINES_MAX = 2_000;

export async function startCluster(
  given: Record<string, string> = {},
  { onLine = () => {}, routeDatabase = (url) => url, disk }: ClusterOptions = {},
): Promise<Cluster> {
  const dataDir = newDataDir();
  const folder = openDataFolder(dataDir.path);
  const undo: (() => Promise<void>)[] = [];
  const lines: string[] = [];

  let postgres: Postgres = await startPostgres({ dataDir: join(dataDir.path, "own-postgres") });
  undo.push(() => postgres.stop());
  let kafka: Kafka = await startKafka({ dataDir: join(dataDir.path, "own-kafka") });
  undo.push(() => kafka.stop());
  const databases: Record<string, string> = {};
  for (const name of SERVICE_NAMES) {
    const url = patientUrl(await postgres.provide(name));
    databases[`${name.toUpperCase()}_DATABASE_URL`] = routeDatabase(url, name);
  }
  if (disk !== undefined) await moveTables(postgres, disk);
  const product = await startProduct({
    folder,
    given: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: "0",
      WEBHOOKS_ALLOW_HTTP: "1",
      // The stories send more requests than the limits of a merchant allow.
      ...limitRates(),
      KAFKA_BROKERS: kafka.brokers.join(","),
      ...databases,
      ...given,
    },
    log: createLog("e2e", "silent"),
    say: () => {},
    onStop: (_, stop) => undo.push(stop),
    onLine: (name, line) => {
      if (process.env.E2E_LOG === "1") process.stderr.write(`${name} ${line}\n`);
      onLine(`${name} ${line}`);
      lines.push(`${name} ${line}`);
      if (lines.length > LOG_LINES_MAX) lines.shift();
    },
  });
  function toCredentials(project: NewProject): Credentials {
    return {
      ...project,
      baseUrl: product.environment.PUBLIC_URL ?? "",
      chainRpcUrl: product.parts.rpcUrl,
      chainId: product.parts.chainId,
      tokenAddress: product.parts.tokenAddress,
    };
  }

  async function createProject(name: string) {
    return toCredentials(await createProjectByCommand(name, product.environment));
  }

  // A killed process has no counts any more.
  const proofs = createProofWatch(async () => {
    const metrics = [...product.children.values()].map(({ adminUrl }) =>
      fetchMetrics(adminUrl).catch(() => ""),
    );
    return (await Promise.all(metrics)).join("\n");
  });
  return {
    product,
    proofs,
    credentials: await createProject("End to end"),
    createProject,
    log: () => lines,
    postgres: {
      port: postgres.port,
      dataDir: postgres.dataDir,
      superuserUrl: (database) => postgres.url(database),
      kill: () => postgres.kill(),
      restart: async () => {
        const { dataDir: kept, port } = postgres;
        postgres = await startPostgres({ dataDir: kept, port });
      },
    },
    kafka: {
      brokers: kafka.brokers,
      freeze: () => kafka.freeze(),
      thaw: () => kafka.thaw(),
      kill: () => kafka.kill(),
      restart: async () => {
        kafka = await startKafka({ dataDir: join(dataDir.path, "own-kafka"), port: kafka.port });
      },
    },
    stop: async () => {
      const judged = await proofs.check().catch((error: Error) => error);
      for (const stop of undo.reverse()) await stop();
      dataDir.remove();
      if (judged instanceof Error) throw judged;
    },
  };
}

async function moveTables(
  { dataDir, url }: Postgres,
  { folder, services }: NonNullable<ClusterOptions["disk"]>,
): Promise<void> {
  const { uid, gid } = statSync(dataDir);
  chownSync(folder, uid, gid);
  const client = new pg.Client(url("postgres"));
  await client.connect();
  try {
    await client.query(`create tablespace small location '${folder}'`);
    for (const name of services) {
      await client.query(`alter database ${name} set tablespace small`);
    }
  } finally {
    await client.end();
  }
}
