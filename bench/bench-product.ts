import { join } from "node:path";
import { migrate } from "@pay/database";
import { leasePort, type Postgres, startAnvil, startPostgres } from "@pay/embedded";
import { createLog } from "@pay/process";
import {
  type Child,
  createProjectByCommand,
  type Environment,
  getSchema,
  type ServiceName,
  startChild,
} from "@pay/standalone";
import type { Undo } from "./parts/with-undo.ts";

const SERVICES = ["chains", "webhooks", "payments", "gateway"] as const satisfies ServiceName[];
const CHAIN_ID = 31_337;

export interface BenchProduct {
  port: number;
  key: string;
  projectId: string;
  chainId: number;
  postgres: Postgres;
  environment: Environment;
  gateway: Child;
  /** The replicas of payments. */
  payments: Child[];
}

interface Options {
  paymentsReplicas?: number;
  /** Variables of all processes. */
  given?: Environment;
  ofGateway?: Environment;
}

/**
 * The processes that handle a creation, and the two that they call once before. Unless a broker is given, none answers
 * at the configured address, so relays publish nothing, like the baselines.
 */
export async function startGatewayAndPayments(
  folder: string,
  undo: Undo,
  { paymentsReplicas = 1, given = {}, ofGateway = {} }: Options = {},
): Promise<BenchProduct> {
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  undo.push(() => postgres.stop());
  const anvil = await startAnvil({});
  undo.push(() => anvil.stop());

  const environment: Environment = { ...(await variables(anvil.rpcUrl)), ...given };
  const paymentsPorts = [Number(environment.PAYMENTS_GRPC_PORT)];
  while (paymentsPorts.length < paymentsReplicas) paymentsPorts.push(await leasePort());
  environment.PAYMENTS_ADDRESS = `ipv4:${paymentsPorts.map((port) => `127.0.0.1:${port}`).join(",")}`;
  const log = createLog("bench", "error");
  for (const name of SERVICES) {
    const url = await postgres.provide(name);
    environment[`${name.toUpperCase()}_DATABASE_URL`] = url;
    await migrate({ url, ...getSchema(name), log });
  }
  async function start(name: ServiceName, own: Environment = {}): Promise<Child> {
    const all = { ...environment, ...own };
    const child = await startChild(name, all, await leasePort(), {
      onLine: (_, line) => void process.stderr.write(`${line}\n`),
    });
    undo.push(async () => void (await child.stop()));
    return child;
  }

  for (const name of ["chains", "webhooks"] as const) await start(name);
  const payments: Child[] = [];
  for (const port of paymentsPorts) {
    payments.push(await start("payments", { PAYMENTS_GRPC_PORT: `${port}` }));
  }
  const gateway = await start("gateway", ofGateway);
  const { secretKey, projectId } = await createProjectByCommand("Bench", environment);
  return {
    port: Number(environment.PORT),
    key: secretKey,
    projectId,
    chainId: CHAIN_ID,
    postgres,
    environment,
    gateway,
    payments,
  };
}

async function variables(rpcUrl: string): Promise<Environment> {
  const environment: Environment = {
    NODE_ENV: "production",
    PATH: process.env.PATH,
    LOG_LEVEL: "fatal",
    DRAIN_DELAY_MS: "0",
    PORT: `${await leasePort()}`,
    REQUIRE_HTTPS: "0",
    // Without limits: the benchmark measures work, not refusals.
    RATE_LIMITS: JSON.stringify({
      live: { perSecond: 0 },
      routePerSecond: 0,
      addressPerSecond: 0,
      publicPerSecond: 0,
    }),
    KAFKA_BROKERS: `127.0.0.1:${await leasePort()}`,
    GATEWAY_KEY_PEPPER: "a pepper for benchmarks, 32 characters",
    PAYMENTS_CLIENT_SECRET_KEYS: "1:a secret for benchmarks of 32 characters",
    GATEWAY_CALLER_TOKENS: "the gateway's token for benchmarks",
    PAYMENTS_CALLER_TOKENS: "the token of payments for benchmarks",
    REFUNDS_CALLER_TOKENS: "the token of refunds for benchmarks",
    CHAINS_CALLER_TOKENS: "the token of chains for benchmarks",
    WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
    CHAINS_LOCAL: JSON.stringify({ rpcUrl, chainId: CHAIN_ID }),
  };
  for (const name of ["PAYMENTS", "CUSTOMERS", "REFUNDS", "CHAINS", "WEBHOOKS"]) {
    const port = await leasePort();
    environment[`${name}_GRPC_PORT`] = `${port}`;
    environment[`${name}_ADDRESS`] = `127.0.0.1:${port}`;
  }
  return environment;
}
