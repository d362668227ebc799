// The gateway with every service behind it: real PostgreSQL, gRPC, a local chain, one bus.
import { chainsConfig, startChains } from "@pay/chains";
import { customersConfig, startCustomers } from "@pay/customers";
import { createLocalBus, TOPICS } from "@pay/events";
import { paymentsConfig, startPayments } from "@pay/payments";
import { type Clock, createTestRuntime, readConfig } from "@pay/process";
import { refundsConfig, startRefunds } from "@pay/refunds";
import {
  createProofWatch,
  describeWithChain,
  describeWithPostgres,
  onPort,
  testChain,
  testDatabase,
  until,
} from "@pay/testing";
import { startWebhooks, webhooksConfig } from "@pay/webhooks";
import type { Pool } from "pg";
import { register } from "prom-client";
import { startTestGateway } from "./gateway.ts";

export const CHAIN_ID = 31_337;
export const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

const WALLET = `0x${"e".repeat(40)}`;
const HASH = `0x${"e".repeat(64)}`;
/** For every route that takes something about a payment. */
export const SUBMITTED = {
  txHash: HASH,
  payerAddress: WALLET,
  authorization: {
    from: WALLET,
    to: WALLET,
    value: "1",
    validAfter: "0",
    validBefore: "1",
    nonce: HASH,
  },
  signature: `0x${"e".repeat(130)}`,
};

export type TestProduct = Awaited<ReturnType<typeof startProduct>>;

/** Like describe, where the machine has all that the product needs. */
export function describeWithProduct(name: string, body: () => void): void {
  describeWithPostgres(name, () => describeWithChain("with all services", body));
}

/** Whatever fails on the way is stopped again, or the run would never end. */
export async function startProduct(
  /** Of the gateway and of chains. */
  env: Record<string, string> = {},
  /** Of the gateway alone. */
  clock?: Clock,
) {
  const undo: (() => Promise<unknown>)[] = [];
  async function stop() {
    for (const stopOne of undo.splice(0).reverse()) await stopOne();
  }

  try {
    const proofs = createProofWatch(() => register.metrics());
    return { ...(await open(undo, env, clock)), proofs, stop: () => stop().then(proofs.check) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(
  undo: (() => Promise<unknown>)[],
  own: Record<string, string>,
  clock: Clock | undefined,
) {
  const chain = await testChain();
  undo.push(() => chain.stop());
  const env: Record<string, string> = {
    CHAINS_GRPC_PORT: "0",
    CUSTOMERS_GRPC_PORT: "0",
    PAYMENTS_GRPC_PORT: "0",
    REFUNDS_GRPC_PORT: "0",
    WEBHOOKS_GRPC_PORT: "0",
    CHAINS_LOCAL: JSON.stringify({
      rpcUrl: chain.rpcUrl,
      chainId: CHAIN_ID,
      tokens: [chain.token],
    }),
    PAYMENTS_CLIENT_SECRET_KEYS: `1:${"k".repeat(32)}`,
    WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
  };
  const pools = new Map<string, Pool>();
  for (const name of ["chains", "customers", "payments", "refunds", "webhooks"]) {
    const { url, drop, pool } = await testDatabase(`services/${name}`);
    undo.push(drop);
    pools.set(name, pool);
    env[`${name.toUpperCase()}_DATABASE_URL`] = url;
  }
  const bus = createLocalBus();
  const life = createTestRuntime("product");
  undo.push(() => life.stop());
  // Chains and payments call each other.
  env.PAYMENTS_GRPC_PORT = `${await onPort(undefined, async (port) => port)}`;
  env.PAYMENTS_ADDRESS = `127.0.0.1:${env.PAYMENTS_GRPC_PORT}`;
  const chains = await startChains(readConfig(chainsConfig, { ...env, ...own }), life, { bus });
  env.CHAINS_ADDRESS = chains.address;
  const customers = await startCustomers(readConfig(customersConfig, env), life, { bus });
  env.CUSTOMERS_ADDRESS = customers.address;
  await startPayments(readConfig(paymentsConfig, env), life, { bus });
  const refunds = await startRefunds(readConfig(refundsConfig, env), life, { bus });
  env.REFUNDS_ADDRESS = refunds.address;
  const webhooks = await startWebhooks(readConfig(webhooksConfig, env), life, { bus });
  env.WEBHOOKS_ADDRESS = webhooks.address;
  const addresses = Object.fromEntries(
    Object.entries(env).filter(([name]) => name.endsWith("_ADDRESS")),
  );
  const gateway = await startTestGateway({
    env: { ...addresses, ...own },
    ...(clock && { clock }),
  });
  undo.push(() => gateway.stop());
  await bus.subscribe({
    group: "gateway",
    topics: [TOPICS.payments],
    handle: (records) => gateway.bus.publish(records),
  });
  await until(async () => (await life.readiness()).ready, { what: "readiness" });
  return { gateway, chain, addresses, getPool: (service: string) => pools.get(service) as Pool };
}
