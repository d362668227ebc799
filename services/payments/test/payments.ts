// The service under test with its real neighbours: Postgres, the chains service on a local chain, the bus.

import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { chainsConfig, startChains } from "@pay/chains";
import { createLocalBus, newsOf, outboxRow } from "@pay/events";
import { type Clock, createTestRuntime, type Life, readConfig } from "@pay/process";
import type { CreatePaymentSchema } from "@pay/proto";
import { type Event, EventSchema, Mode, PaymentsService, Variant } from "@pay/proto";
import { type Client, connect } from "@pay/rpc";
import { type TestChain, testChain, testDatabase, until } from "@pay/testing";
import type { Pool } from "pg";
import { paymentsConfig, startPayments } from "../src/index.ts";

export const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const tenant = { projectId: "proj_AAAAAAAAAAAAAAAAAAAAAAAA", mode: Mode.LIVE };
export const stranger = { projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB", mode: Mode.LIVE };

export interface TestPayments {
  client: Client<typeof PaymentsService>;
  chain: TestChain;
  pool: Pool;
  /** Every event published so far, in order. */
  events: Event[];
  /** What the chains and refunds services would publish. */
  publish(event: MessageInitShape<typeof EventSchema>): Promise<void>;
  create(change?: Order): Promise<Created>;
  status(id: string): Promise<string>;
  stop(): Promise<void>;
}

export interface Created {
  id: string;
  clientSecret: string;
}

type Order = Exclude<MessageInitShape<typeof CreatePaymentSchema>, { $typeName: string }>;

export const order = (change: Order = {}): Order => ({
  tenant,
  requestId: "request-1",
  variant: Variant.PRIMARY,
  amount: "1.5",
  chainId: 31_337n,
  currency: "native",
  recipientAddress: RECIPIENT,
  ...change,
});

export const startTestPayments = async (
  options: { clock?: Clock; rpcUrl?: string } = {},
): Promise<TestPayments> => {
  const chain = await testChain();
  const [own, theirs] = [
    await testDatabase("services/payments"),
    await testDatabase("services/chains"),
  ];
  const bus = createLocalBus();
  const chainsLife = createTestRuntime("chains");
  const life = createTestRuntime("payments", options);
  const { address } = await startChains(
    readConfig(chainsConfig, {
      CHAINS_DATABASE_URL: theirs.url,
      CHAINS_GRPC_PORT: "0",
      CHAINS_LOCAL_RPC_URL: options.rpcUrl ?? chain.rpcUrl,
      CHAINS_LOCAL_CHAIN_ID: "31337",
      CHAINS_LOCAL_TOKENS: JSON.stringify([chain.token]),
    }),
    chainsLife,
    { bus },
  );
  const events: Event[] = [];
  await bus.subscribe({
    group: "test",
    topics: [newsOf("payment.created")?.topic ?? ""],
    handle: async (records) => {
      events.push(...records.map(({ payload }) => fromBinary(EventSchema, payload)));
    },
  });
  const started = await startPayments(
    readConfig(paymentsConfig, {
      PAYMENTS_DATABASE_URL: own.url,
      PAYMENTS_GRPC_PORT: "0",
      PAYMENTS_CLIENT_SECRET_KEYS: `1:${"k".repeat(32)}`,
      PAYMENTS_EXPIRE_INTERVAL_MS: "20",
      CHAINS_ADDRESS: address,
    }),
    life,
    { bus },
  );
  const client = connect(PaymentsService, started.address, life);
  await isReady(life);

  const create: TestPayments["create"] = async (change) => {
    const { results } = await client.batchCreatePayments({ requests: [order(change)] });
    const result = results[0]?.result;
    if (result?.case !== "payment") throw new Error(JSON.stringify(result?.value));
    return result.value;
  };
  return {
    client,
    chain,
    pool: own.pool,
    events,
    create,
    publish: async (event) => {
      const row = outboxRow(event);
      await bus.publish([row]);
    },
    status: async (id) => {
      const { results } = await client.batchGetPayments({ requests: [{ tenant, id }] });
      const result = results[0]?.result;
      return result?.case === "payment" ? result.value.status : "";
    },
    stop: async () => {
      await life.stop();
      await chainsLife.stop();
      await chain.stop();
      await own.drop();
      await theirs.drop();
    },
  };
};

const isReady = (life: Life) =>
  until(async () => (await life.readiness()).ready, {
    timeoutMs: 40_000,
    what: "a ready service",
  });
