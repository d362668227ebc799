import { join } from "node:path";
import { migrate } from "@pay/database";
import { freePort, type Postgres, startAnvil, startPostgres } from "@pay/embedded";
import { createLog } from "@pay/process";
import {
  createProjectByCommand,
  type Environment,
  type ServiceName,
  schemaOf,
  startChild,
} from "@pay/standalone";

const SERVICES = ["chains", "webhooks", "payments", "gateway"] as const satisfies ServiceName[];
const CHAIN_ID = 31_337;

export interface BenchProduct {
  port: number;
  key: string;
  projectId: string;
  chainId: number;
  postgres: Postgres;
  environment: Environment;
}

/**
 * The processes a creation goes through, and the two that must be asked once before it. The broker's address
 * leads nowhere: relays stand still, as they do in the baselines.
 */
export const startGatewayAndPayments = async (
  folder: string,
  undo: (() => Promise<void>)[],
): Promise<BenchProduct> => {
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  undo.push(() => postgres.stop());
  const anvil = await startAnvil({});
  undo.push(() => anvil.stop());

  const environment: Environment = { ...(await variables(anvil.rpcUrl)) };
  const log = createLog("bench", "error");
  for (const name of SERVICES) {
    const url = await postgres.provide(name);
    environment[`${name.toUpperCase()}_DATABASE_URL`] = url;
    await migrate({ url, ...schemaOf(name), log });
  }
  for (const name of SERVICES) {
    const child = await startChild(name, environment, await freePort(), (_, line) => {
      process.stderr.write(`${line}\n`);
    });
    undo.push(async () => void (await child.stop()));
  }
  const { secretKey, projectId } = await createProjectByCommand("Bench", environment);
  return {
    port: Number(environment.PORT),
    key: secretKey,
    projectId,
    chainId: CHAIN_ID,
    postgres,
    environment,
  };
};

const variables = async (rpcUrl: string): Promise<Environment> => {
  const environment: Environment = {
    NODE_ENV: "production",
    PATH: process.env.PATH,
    LOG_LEVEL: "fatal",
    DRAIN_DELAY_MS: "0",
    PORT: `${await freePort()}`,
    REQUIRE_HTTPS: "0",
    // Without limits: what is measured is the work, not the refusal of it.
    RATE_LIMIT_LIVE_PER_SECOND: "0",
    RATE_LIMIT_ROUTE_PER_SECOND: "0",
    RATE_LIMIT_ADDRESS_PER_SECOND: "0",
    KAFKA_BROKERS: `127.0.0.1:${await freePort()}`,
    GATEWAY_KEY_PEPPER: "a pepper for benchmarks, 32 characters",
    PAYMENTS_CLIENT_SECRET_KEYS: "1:a secret for benchmarks of 32 characters",
    WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
    CHAINS_LOCAL_RPC_URL: rpcUrl,
    CHAINS_LOCAL_CHAIN_ID: `${CHAIN_ID}`,
  };
  for (const name of ["PAYMENTS", "CUSTOMERS", "REFUNDS", "CHAINS", "WEBHOOKS"]) {
    const port = await freePort();
    environment[`${name}_GRPC_PORT`] = `${port}`;
    environment[`${name}_ADDRESS`] = `127.0.0.1:${port}`;
  }
  return environment;
};
