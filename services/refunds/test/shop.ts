// A shop as the tests of refunds need it: refunds, payments and chains for real, over PostgreSQL, gRPC, a local chain
// and one bus. Payments are made through the payments service; the chain's verdicts on them are published in its place,
// so that a test decides what was received and by whom.
import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { chainsConfig, startChains } from "@pay/chains";
import { createLocalBus, outboxRow, TOPICS } from "@pay/events";
import { paymentsConfig, startPayments } from "@pay/payments";
import { createTestRuntime, readConfig } from "@pay/process";
import {
  type CreatePaymentSchema,
  type CreateRefundRequestSchema,
  type Event,
  EventSchema,
  Mode,
  type ObservationSchema,
  type PaymentSchema,
  PaymentsService,
  RefundsService,
} from "@pay/proto";
import { connect } from "@pay/rpc";
import {
  describeWithChain,
  describeWithPostgres,
  testChain,
  testDatabase,
  until,
} from "@pay/testing";
import { refundsConfig, startRefunds } from "../src/index.ts";

export const CHAIN_ID = 31_337n;
export const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const SHOPPER = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const EXCHANGE = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";

export const notFound = { kind: "not_found", message: "Refund not found" };

/** Like describe, where there is all that a shop stands on. */
export const describeWithShop = (name: string, body: () => void): void =>
  describeWithPostgres(name, () => describeWithChain("in a shop", body));

export interface Tenant {
  projectId: string;
  mode: Mode;
}

let projects = 0;
/** A project nobody has used before, so that tests of one file do not see each other. */
export const aTenant = (mode: Mode = Mode.LIVE): Tenant => ({
  projectId: `proj_${String(++projects).padStart(24, "0")}`,
  mode,
});

let hashes = 0;
export const aHash = (): string => `0x${(++hashes).toString(16).padStart(64, "0")}`;

export type Shop = Awaited<ReturnType<typeof startShop>>;
type Init<S extends Parameters<typeof fromBinary>[0]> = Omit<MessageInitShape<S>, "$typeName">;

/** Whatever fails on the way is stopped again, or the run would never end. */
export const startShop = async () => {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopOne of undo.splice(0).reverse()) await stopOne();
  };
  try {
    return await openShop(undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
};

const openShop = async (undo: (() => Promise<unknown>)[], stop: () => Promise<void>) => {
  const chain = await testChain();
  undo.push(() => chain.stop());
  const names = ["chains", "payments", "refunds"] as const;
  const databases = await Promise.all(names.map((name) => testDatabase(`services/${name}`)));
  undo.push(...databases.map(({ drop }) => drop));
  const [chainsDb, paymentsDb, refundsDb] = databases as [Database, Database, Database];
  const clock = createMovableClock();
  const bus = createLocalBus();
  const events: Event[] = [];
  await bus.subscribe({
    group: "reader",
    topics: Object.values(TOPICS),
    handle: async (records) => {
      events.push(...records.map(({ payload }) => fromBinary(EventSchema, payload)));
    },
  });

  const lives = names.map((name) =>
    createTestRuntime(name, name === "refunds" ? { clock } : undefined),
  );
  undo.push(...lives.map((life) => () => life.stop()));
  const [chainsLife, paymentsLife, refundsLife] = lives as [Life, Life, Life];
  const chains = await startChains(
    readConfig(chainsConfig, {
      CHAINS_DATABASE_URL: chainsDb.url,
      CHAINS_GRPC_PORT: "0",
      CHAINS_LOCAL_RPC_URL: chain.rpcUrl,
      CHAINS_LOCAL_CHAIN_ID: String(CHAIN_ID),
      CHAINS_LOCAL_TOKENS: JSON.stringify([chain.token]),
    }),
    chainsLife,
    { bus },
  );
  const payments = await startPayments(
    readConfig(paymentsConfig, {
      PAYMENTS_DATABASE_URL: paymentsDb.url,
      PAYMENTS_GRPC_PORT: "0",
      PAYMENTS_CLIENT_SECRET_KEYS: `1:${"k".repeat(32)}`,
      CHAINS_ADDRESS: chains.address,
    }),
    paymentsLife,
    { bus },
  );
  const settings = (change: Record<string, string> = {}) =>
    readConfig(refundsConfig, {
      REFUNDS_DATABASE_URL: refundsDb.url,
      REFUNDS_GRPC_PORT: "0",
      REFUNDS_TIMEOUT_INTERVAL_MS: "20",
      REFUNDS_SHARED_ADDRESSES: EXCHANGE,
      PAYMENTS_ADDRESS: payments.address,
      ...change,
    });
  const refunds = await startRefunds(settings(), refundsLife, { bus });
  const paymentsClient = connect(PaymentsService, payments.address, paymentsLife);
  const refundsClient = connect(RefundsService, refunds.address, refundsLife);
  await until(async () => (await paymentsLife.readiness()).ready, { what: "ready payments" });

  /** What the chains service would publish. */
  const observe = async (type: string, tenant: Tenant, seen: Init<typeof ObservationSchema>) => {
    const resource = { case: "observation" as const, value: { chainId: CHAIN_ID, ...seen } };
    await bus.publish([outboxRow({ type, ...tenant, resource, requestId: "req-chain" })]);
  };

  /** What the payments service would publish. */
  const announce = async (type: string, tenant: Tenant, payment: Init<typeof PaymentSchema>) => {
    const resource = { case: "payment" as const, value: payment };
    await bus.publish([outboxRow({ type, ...tenant, resource, requestId: "req-payments" })]);
  };

  const pay = {
    /** A payment of 10 native coins unless told otherwise. */
    create: async (tenant: Tenant, change: Init<typeof CreatePaymentSchema> = {}) => {
      const order = {
        ...{ tenant, amount: "10", currency: "native", chainId: CHAIN_ID },
        ...{ recipientAddress: RECIPIENT, variant: 1, requestId: "req-pay" },
        ...change,
      };
      const { results } = await paymentsClient.batchCreatePayments({ requests: [order] });
      const result = results[0]?.result;
      if (result?.case !== "payment") throw new Error(result?.value?.message);
      return result.value;
    },
    submit: async (tenant: Tenant, id: string, payerAddress?: string) => {
      const txHash = aHash();
      const payer = payerAddress === undefined ? {} : { payerAddress };
      const request = { tenant, id, txHash, trusted: true, ...payer };
      await paymentsClient.batchSubmitTransactions({ requests: [request] });
      return txHash;
    },
    /** A confirmed payment, as the shopper's transfer and the chain's verdict make it. */
    confirmed: async (
      tenant: Tenant,
      change: Init<typeof CreatePaymentSchema> = {},
      proof: Init<typeof ObservationSchema> & { payerAddress?: string } = {},
    ) => {
      const { id, baseAmount } = await pay.create(tenant, change);
      const { payerAddress, ...seen } = proof;
      const txHash = await pay.submit(tenant, id, payerAddress);
      await observe("transfer.confirmed", tenant, {
        ...{ subjectId: id, txHash, blockNumber: 7n },
        ...{ receivedBaseAmount: baseAmount, senderAddress: SHOPPER.toLowerCase() },
        ...seen,
      });
      return pay.get(tenant, id);
    },
    get: async (tenant: Tenant, id: string) => {
      const { results } = await paymentsClient.batchGetPayments({ requests: [{ tenant, id }] });
      const result = results[0]?.result;
      if (result?.case !== "payment") throw new Error(result?.value?.message);
      return result.value;
    },
  };

  return {
    chain,
    clock,
    observe,
    announce,
    pay,
    payments: paymentsClient,
    refunds: refundsClient,
    pool: refundsDb.pool,
    settings,
    /** A refund of a payment; all of it unless told otherwise. */
    refund: async (
      tenant: Tenant,
      paymentId: string,
      change: Init<typeof CreateRefundRequestSchema> = {},
    ) => {
      const request = { tenant, paymentId, requestId: "req-refund", ...change };
      const { refund } = await refundsClient.createRefund(request);
      if (refund === undefined) throw new Error("a creation answers with the refund");
      return refund;
    },
    getRefund: async (tenant: Tenant, id: string) => {
      const { refund } = await refundsClient.getRefund({ tenant, id });
      if (refund === undefined) throw new Error("a read answers with the refund");
      return refund;
    },
    balanceOf: async (paymentId: string) => {
      const { rows } = await refundsDb.pool.query<{ reserved: string; completed: string }>(
        "select * from refund_balances where payment_id = $1",
        [paymentId],
      );
      return {
        reserved: BigInt(rows[0]?.reserved ?? 0),
        completed: BigInt(rows[0]?.completed ?? 0),
      };
    },
    /** All news of a project about refunds and their payments, once nobody has more to tell. */
    eventsOf: async (tenant: Tenant, noun: "refund" | "payment" = "refund") => {
      await until(async () => (await unpublished([paymentsDb, refundsDb])) === 0, {
        what: "empty outboxes",
      });
      return events.filter(
        ({ projectId, type }) => projectId === tenant.projectId && type.startsWith(`${noun}.`),
      );
    },
    /** Everything on the bus again, as after a crash before its acknowledgement. */
    repeatAll: async () => {
      await bus.publish(events.map((event) => outboxRow(event)));
    },
    stop,
  };
};

type Database = Awaited<ReturnType<typeof testDatabase>>;
type Life = ReturnType<typeof createTestRuntime>;

/** The real time, and what a test has added to it. */
const createMovableClock = () => {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    move: (ms: number) => {
      ahead += ms;
    },
  };
};

const unpublished = async (databases: Database[]): Promise<number> => {
  const counts = await Promise.all(
    databases.map(({ pool }) => pool.query<{ n: number }>("select count(*)::int as n from outbox")),
  );
  return counts.reduce((sum, { rows }) => sum + (rows[0]?.n ?? 0), 0);
};
