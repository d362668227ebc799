// A shop as the tests of refunds need it: refunds, payments and chains for real, over PostgreSQL, gRPC, a local chain
// and one bus. Payments are made through the payments service; what the chain knows of their money is published in its
// place, so that a test decides what was received and by whom.
import type { fromBinary, MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { chainsConfig, startChains } from "@pay/chains";
import { createLocalBus, type NewEvent, type OutboxRow, outboxRow } from "@pay/events";
import type { Failure, FailureCode } from "@pay/failures";
import { paymentsConfig, startPayments } from "@pay/payments";
import { createTestRuntime, readConfig } from "@pay/process";
import {
  type CreatePaymentSchema,
  type CreateRefundRequestSchema,
  Mode,
  type ObservationSchema,
  type Payment,
  type PaymentMoneySchema,
  PaymentsService,
  type Refund,
  RefundsService,
  type Settlement,
  SettlementsService,
} from "@pay/proto";
import { connect } from "@pay/rpc";
import {
  createProofWatch,
  describeWithChain,
  describeWithPostgres,
  onPort,
  patient,
  testChain,
  testDatabase,
  until,
} from "@pay/testing";
import { register } from "prom-client";
import { refundsConfig, startRefunds } from "../src/index.ts";
import { readBalance } from "./balances.ts";
import { createMovableClock } from "./movable-clock.ts";
import { recordEvents } from "./recorded-events.ts";
import { settlementCalls } from "./settlement-calls.ts";
import {
  aHash,
  CHAIN_ID,
  DELAY_HOURS,
  EXCHANGE,
  RECIPIENT,
  SHOPPER,
  type Tenant,
} from "./tenants.ts";

export * from "./tenants.ts";

/** The project whose wallet RECIPIENT the service signs for. */
export const SIGNED: Tenant = { projectId: `proj_${"S".repeat(24)}`, mode: Mode.LIVE };
const UNDECIDED: ReadonlySet<string> = new Set([
  "deadline_exceeded",
  "service_unavailable",
  "idempotency_in_progress",
]);

export function failure(code: FailureCode, message?: string) {
  return expect.objectContaining(message ? { errorCode: code, message } : { errorCode: code });
}

export const notFound = failure("refund_not_found", "Refund not found");

/** Like describe, where there is all that a shop stands on. */
export function describeWithShop(name: string, body: () => void): void {
  describeWithPostgres(name, () => describeWithChain("in a shop", body));
}

/** What the chain knows of the money of a payment, in base units. */
export interface Money {
  /** In time. */
  final?: bigint;
  late?: bigint;
  /** In a block and not proven, in time. */
  unproven?: bigint;
  /** What is proven of each wallet; the shopper sent all of it unless the test names others. */
  senders?: Readonly<Record<string, bigint>>;
  hashes?: { txHash: string; outcome?: string; isMined: boolean }[];
}

let turns = 0;

function toMoney(
  { id, chainId, recipientAddress, currency }: Payment,
  { final = 0n, late = 0n, unproven = 0n, senders, hashes = [] }: Money,
): Init<typeof PaymentMoneySchema> {
  const sums = senders ?? (final + late > 0n ? { [SHOPPER]: final + late } : {});
  const place = { txHash: aHash(), blockNumber: 7n };
  return {
    paymentId: id,
    turn: ++turns,
    chainId,
    recipientAddress: recipientAddress.toLowerCase(),
    currency: currency.toLowerCase(),
    seenBaseAmount: String(final + unproven),
    finalBaseAmount: String(final),
    lateBaseAmount: String(late),
    lateFinalBaseAmount: String(late),
    ...(final + late + unproven > 0n && place),
    senders: Object.entries(sums).map(([address, sum]) => ({
      address: address.toLowerCase(),
      baseAmount: String(sum),
    })),
    hashes,
  };
}

export type Shop = Awaited<ReturnType<typeof startShop>>;
type Init<S extends Parameters<typeof fromBinary>[0]> = Omit<MessageInitShape<S>, "$typeName">;

/** Whatever fails on the way is stopped again, or the run would never end. */
export async function startShop() {
  const undo: (() => Promise<unknown>)[] = [];
  async function stop() {
    for (const stopOne of undo.splice(0).reverse()) await stopOne();
  }

  try {
    const shop = await openShop(undo);
    const proofs = createProofWatch(() => register.metrics());
    return { ...shop, proofs, stop: () => stop().then(proofs.check) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openShop(undo: (() => Promise<unknown>)[]) {
  const chain = await testChain();
  undo.push(() => chain.stop());
  const names = ["chains", "payments", "refunds"] as const;
  const databases = await Promise.all(names.map((name) => testDatabase(`services/${name}`)));
  undo.push(...databases.map(({ drop }) => drop));
  const [chainsDb, paymentsDb, refundsDb] = databases as [Database, Database, Database];
  const clock = createMovableClock();
  const bus = createLocalBus();
  const events = await recordEvents(bus, [paymentsDb, refundsDb]);

  const runtimes = names.map((name) =>
    createTestRuntime(name, name === "refunds" ? { clock } : undefined),
  );
  undo.push(...runtimes.map((runtime) => () => runtime.stop()));
  const [chainsRuntime, paymentsRuntime, refundsRuntime] = runtimes as [
    TestRuntime,
    TestRuntime,
    TestRuntime,
  ];
  // Chains and payments call each other.
  const paymentsPort = await onPort(undefined, async (port) => port);
  const chains = await startChains(
    readConfig(chainsConfig, {
      PAYMENTS_ADDRESS: `127.0.0.1:${paymentsPort}`,
      CHAINS_DATABASE_URL: chainsDb.url,
      CHAINS_GRPC_PORT: "0",
      CHAINS_LOCAL: JSON.stringify({
        rpcUrl: chain.rpcUrl,
        chainId: Number(CHAIN_ID),
        tokens: [chain.token],
      }),
    }),
    chainsRuntime,
    { bus },
  );
  const payments = await startPayments(
    readConfig(paymentsConfig, {
      PAYMENTS_DATABASE_URL: paymentsDb.url,
      REFUNDS_SHARED_ADDRESSES: EXCHANGE,
      PAYMENTS_GRPC_PORT: String(paymentsPort),
      PAYMENTS_CLIENT_SECRET_KEYS: `1:${"k".repeat(32)}`,
      CHAINS_ADDRESS: chains.address,
    }),
    paymentsRuntime,
    { bus, expiryIntervalMs: 20 },
  );
  function settings(change: Record<string, string> = {}) {
    return readConfig(refundsConfig, {
      REFUNDS_DATABASE_URL: refundsDb.url,
      REFUNDS_GRPC_PORT: "0",
      REFUNDS_SHARED_ADDRESSES: EXCHANGE,
      REFUNDS_SIGNED_WALLETS: JSON.stringify([
        {
          projectId: SIGNED.projectId,
          mode: "live",
          chainId: Number(CHAIN_ID),
          address: RECIPIENT,
        },
      ]),
      SETTLEMENT_DESTINATION_DELAY_HOURS: String(DELAY_HOURS),
      PAYMENTS_ADDRESS: payments.address,
      CHAINS_ADDRESS: chains.address,
      ...change,
    });
  }

  const refunds = await startRefunds(settings(), refundsRuntime, { bus, jobIntervalMs: 50 });
  const paymentsClient = patient(connect(PaymentsService, payments.address, paymentsRuntime));
  const refundsClient = patient(connect(RefundsService, refunds.address, refundsRuntime));
  const settlements = patient(connect(SettlementsService, refunds.address, refundsRuntime));
  await until(async () => (await paymentsRuntime.readiness()).ready, { what: "ready payments" });

  /** What the chains service would publish. */
  async function observe(type: string, tenant: Tenant, seen: Init<typeof ObservationSchema>) {
    const resource = { case: "observation" as const, value: { chainId: CHAIN_ID, ...seen } };
    await bus.publish([
      outboxRow({ type, ...tenant, resource, requestId: "req-chain" } as NewEvent),
    ]);
  }

  const pay = {
    /** A payment of 10 native coins unless the test names another. */
    create: async (tenant: Tenant, change: Init<typeof CreatePaymentSchema> = {}) => {
      const order = {
        tenant,
        amount: "10",
        currency: "native",
        chainId: CHAIN_ID,
        recipientAddress: RECIPIENT,
        variant: 1,
        requestId: "req-pay",
        ...change,
      };
      const { results } = await paymentsClient.batchCreatePayments({ requests: [order] });
      const result = results[0]?.result;
      if (result?.case !== "payment") throw new Error(result?.value?.message);
      return result.value;
    },
    submit: async (tenant: Tenant, id: string) => {
      const txHash = aHash();
      const request = { tenant, id, txHash, trusted: true };
      await paymentsClient.batchSubmitTransactions({ requests: [request] });
      return txHash;
    },
    declarePayer: (tenant: Tenant, id: string, payerAddress: string) =>
      paymentsClient.declarePayer({ tenant, id, payerAddress, trusted: true }),
    /** What the chains service would publish: the complete state of the payment's money. */
    receive: async (tenant: Tenant, payment: Payment, money: Money) => {
      const resource = { case: "money" as const, value: toMoney(payment, money) };
      const event = { type: "money.changed", ...tenant, resourceId: payment.id, resource };
      await bus.publish([outboxRow({ ...event, requestId: "req-chain" } as NewEvent)]);
      return pay.get(tenant, payment.id);
    },
    /** A confirmed payment, as the shopper's transfer makes it. */
    confirmed: async (
      tenant: Tenant,
      change: Init<typeof CreatePaymentSchema> = {},
      money: Money = {},
    ) => {
      const payment = await pay.create(tenant, change);
      return pay.receive(tenant, payment, { final: BigInt(payment.baseAmount), ...money });
    },
    /** Its time is over. */
    expired: async (tenant: Tenant, { id }: Pick<Payment, "id">) => {
      await paymentsDb.pool.query(
        "update payments set expires_at = now() - interval '2 hours' where id = $1",
        [id],
      );
      return until(async () => {
        const payment = await pay.get(tenant, id);
        return payment.status === "expired" ? payment : undefined;
      });
    },
    get: async (tenant: Tenant, id: string) => {
      const { results } = await paymentsClient.batchGetPayments({ requests: [{ tenant, id }] });
      const result = results[0]?.result;
      if (result?.case !== "payment") throw new Error(result?.value?.message);
      return result.value;
    },
  };

  async function submit(
    tenant: Tenant,
    id: string,
    txHash = aHash(),
    payoutWallets: string[] = [],
  ) {
    const request = { tenant, id, txHash, payoutWallets, requestId: "req-submit" };
    const { refund } = await refundsClient.submitRefundTransaction(request);
    if (refund === undefined) throw new Error("a submission returns the refund");
    return refund;
  }

  /**
   * What the chains service would publish on a hash of a refund: the whole amount went back unless the test names
   * another.
   */
  async function judge(
    type: string,
    tenant: Tenant,
    refund: Refund | Settlement,
    txHash: string,
    seen: Init<typeof ObservationSchema> = {},
  ) {
    return observe(type, tenant, {
      subjectId: refund.id,
      txHash,
      submittedTxHash: txHash,
      blockNumber: 9n,
      receivedBaseAmount: refund.baseAmount,
      currency: refund.currency.toLowerCase(),
      senderAddress: refund.sourceAddress.toLowerCase(),
      recipientAddress: refund.destinationAddress.toLowerCase(),
      ...seen,
    });
  }

  /** A refund of a payment; all of it unless the test names another. */
  async function refund(
    tenant: Tenant,
    paymentId: string,
    change: Init<typeof CreateRefundRequestSchema> = {},
  ) {
    const terms = { anyDestination: true, requestId: "req-refund" };
    const request = { tenant, paymentId, ...terms, ...change };
    const made = (await refundsClient.createRefund(request)).refund;
    if (made === undefined) throw new Error("a creation returns the refund");
    return made;
  }

  return {
    chain,
    clock,
    observe,
    /** Many at once. */
    publish: (rows: OutboxRow[]) => bus.publish(rows),
    pay,
    payments: paymentsClient,
    refunds: refundsClient,
    settlements,
    settle: settlementCalls(settlements, refundsDb, clock),
    pool: refundsDb.pool,
    paymentsPool: paymentsDb.pool,
    chainsPool: chainsDb.pool,
    settings,
    judge,
    submit,
    /** A hash is submitted, and the verdict of the chain follows. */
    settleRefund: async (
      type: string,
      tenant: Tenant,
      { id }: Pick<Refund, "id">,
      seen: Init<typeof ObservationSchema> = {},
    ) => {
      const refund = await submit(tenant, id);
      await judge(type, tenant, refund, refund.txHash ?? "", seen);
    },
    refund,
    /** On a busy machine refunds may give up on payments before it has decided anything: then the caller asks again. */
    decidedRefund: (...asked: Parameters<typeof refund>) =>
      until(() =>
        refund(...asked).catch((error: Failure) => {
          if (UNDECIDED.has(error.errorCode)) return undefined;
          throw error;
        }),
      ),
    getRefund: async (tenant: Tenant, id: string) => {
      const { refund } = await refundsClient.getRefund({ tenant, id });
      if (refund === undefined) throw new Error("a read returns the refund");
      return refund;
    },
    readBalance: (paymentId: string) => readBalance(refundsDb.pool, paymentId),
    /** All events of a project about a kind of resource, once the outboxes are empty. */
    readEvents: async (tenant: Tenant, noun: "refund" | "payment" | "settlement" = "refund") => {
      return (await events.all()).filter(
        ({ projectId, type }) => projectId === tenant.projectId && type.startsWith(`${noun}.`),
      );
    },
    repeatAll: events.repeat,
  };
}

type Database = Awaited<ReturnType<typeof testDatabase>>;
type TestRuntime = ReturnType<typeof createTestRuntime>;
