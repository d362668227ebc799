// The distributed form with every part in the test's own hands: Postgres, broker and each service can be killed,
// frozen and brought back while the others go on.
import { join } from "node:path";
import { freePort, type Kafka, type Postgres, startKafka, startPostgres } from "@pay/embedded";
import { createLog } from "@pay/process";
import {
  type Credentials,
  createProjectByCommand,
  type NewProject,
  openDataFolder,
  type Product,
  SERVICE_NAMES,
  startProduct,
} from "@pay/standalone";
import { newDataDir } from "./standalone.ts";

export interface Parts {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export interface Cluster {
  product: Product;
  credentials: Credentials;
  postgres: Parts & { superuserUrl(database: string): string };
  kafka: Parts & { brokers: string[]; freeze(): void; thaw(): void };
  /** What the services logged, newest last. */
  log(): string[];
  /** A further project beside the first. */
  createProject(name: string): Promise<Credentials>;
  stop(): Promise<void>;
}

const LOG_LINES_MAX = 2_000;

export const startCluster = async (
  given: Record<string, string> = {},
  /** Hears every line of every service. */
  onLine: (line: string) => void = () => {},
): Promise<Cluster> => {
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
    databases[`${name.toUpperCase()}_DATABASE_URL`] = await postgres.provide(name);
  }
  const product = await startProduct({
    folder,
    given: {
      PATH: process.env.PATH,
      PORT: `${await freePort()}`,
      WEBHOOKS_ALLOW_HTTP: "1",
      // Stories under load ask faster than a merchant may.
      RATE_LIMIT_LIVE_PER_SECOND: "0",
      RATE_LIMIT_ROUTE_PER_SECOND: "0",
      RATE_LIMIT_CONFIRM_PER_MINUTE: "0",
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
  const credentialsOf = (project: NewProject): Credentials => ({
    ...project,
    baseUrl: product.environment.PUBLIC_URL ?? "",
    chainRpcUrl: product.parts.rpcUrl,
    chainId: product.parts.chainId,
    tokenAddress: product.parts.tokenAddress,
  });
  const createProject = async (name: string) =>
    credentialsOf(await createProjectByCommand(name, product.environment));

  return {
    product,
    credentials: await createProject("End to end"),
    createProject,
    log: () => lines,
    postgres: {
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
      for (const stop of undo.reverse()) await stop();
      dataDir.remove();
    },
  };
};
