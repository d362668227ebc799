// The service under test with real services beside it: Postgres, the chains service on a local chain, the bus.

import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { chainsConfig, startChains } from "@pay/chains";
import { createLocalBus, type NewEvent, outboxRow, TOPICS } from "@pay/events";
import { type Clock, createLog, createTestRuntime, type Lifecycle, readConfig } from "@pay/process";
import type { CreatePaymentSchema, PaymentMoneySchema } from "@pay/proto";
import { type Event, EventSchema, Mode, PaymentsService, Variant } from "@pay/proto";
import { type Client, connect } from "@pay/rpc";
import {
  createProofWatch,
  onPort,
  type ProofWatch,
  patient,
  type TestChain,
  testChain,
  testDatabase,
  until,
} from "@pay/testing";
import type { Pool } from "pg";
import { register } from "prom-client";
import { paymentsConfig, startPayments } from "../src/index.ts";

const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
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
  stopChains(): Promise<unknown>;
  /** As a start of the chains service leaves its catalog where another chain than before is configured. */
  configureOtherChain(): Promise<unknown>;
  /** The lines about items of lists since the last call. */
  logged(): Record<string, unknown>[];
  proofs: ProofWatch;
  stop(): Promise<void>;
}

export interface Created {
  id: string;
  clientSecret: string;
}

type Order = Exclude<MessageInitShape<typeof CreatePaymentSchema>, { $typeName: string }>;

export function order(change: Order = {}): Order {
  return {
    tenant,
    requestId: "request-1",
    variant: Variant.PRIMARY,
    amount: "1.5",
    chainId: 31_337n,
    currency: "native",
    recipientAddress: RECIPIENT,
    ...change,
  };
}

export async function startTestPayments(
  options: { clock?: Clock; rpcUrl?: string; proofsIntervalMs?: number } = {},
): Promise<TestPayments> {
  const chain = await testChain();
  const [own, theirs] = [
    await testDatabase("services/payments"),
    await testDatabase("services/chains"),
  ];
  const bus = createLocalBus();
  const chainsLife = createTestRuntime("chains");
  const lines: string[] = [];
  const log = createLog("payments", "error", { write: (line) => lines.push(line) });
  const life = { ...createTestRuntime("payments", options), log };
  // Chains and payments call each other.
  const port = `${await onPort(undefined, async (free) => free)}`;
  const { address } = await startChains(
    readConfig(chainsConfig, {
      PAYMENTS_ADDRESS: `127.0.0.1:${port}`,
      CHAINS_DATABASE_URL: theirs.url,
      CHAINS_GRPC_PORT: "0",
      CHAINS_LOCAL: JSON.stringify({
        rpcUrl: options.rpcUrl ?? chain.rpcUrl,
        tokens: [chain.token],
      }),
    }),
    chainsLife,
    { bus },
  );
  const events: Event[] = [];
  await bus.subscribe({
    group: "test",
    topics: [TOPICS.payments],
    handle: async (records) => {
      // A relay may publish an event twice, and consumers tell it by its id.
      const fresh = records.filter(({ eventId }) => !events.some(({ id }) => id === eventId));
      events.push(...fresh.map(({ payload }) => fromBinary(EventSchema, payload)));
    },
  });
  const started = await startPayments(
    readConfig(paymentsConfig, {
      PAYMENTS_DATABASE_URL: own.url,
      PAYMENTS_GRPC_PORT: port,
      PAYMENTS_CLIENT_SECRET_KEYS: `1:${"k".repeat(32)}`,
      CHAINS_ADDRESS: address,
    }),
    life,
    {
      bus,
      expiryIntervalMs: 20,
      ...(options.proofsIntervalMs && { proofsIntervalMs: options.proofsIntervalMs }),
    },
  );
  const proofs = createProofWatch(() => register.metrics());
  const client = patient(connect(PaymentsService, started.address, life));
  await isReady(life);

  const create: TestPayments["create"] = async (change) => {
    return until(
      async () => {
        const { results } = await client.batchCreatePayments({ requests: [order(change)] });
        const result = results[0]?.result;
        if (result?.case === "payment") return result.value;
        // A busy machine exceeds a deadline now and then.
        if (result?.value?.kind === "unavailable") return undefined;
        throw new Error(JSON.stringify(result?.value));
      },
      { what: "a payment" },
    );
  };
  return {
    client,
    chain,
    pool: own.pool,
    events,
    create,
    publish: async (event) => {
      const row = outboxRow(event as NewEvent);
      await bus.publish([row]);
    },
    status: async (id) => {
      const { results } = await client.batchGetPayments({ requests: [{ tenant, id }] });
      const result = results[0]?.result;
      return result?.case === "payment" ? result.value.status : "";
    },
    stopChains: () => chainsLife.stop(),
    configureOtherChain: () =>
      theirs.pool.query(`
        with other as (
          insert into chains (chain_id, name, symbol, rpc_url, is_testnet, native_decimals, enabled, proven_at)
          select 5151, name, symbol, rpc_url, is_testnet, native_decimals, true, proven_at from chains
        )
        update chains set enabled = false`),
    logged: () =>
      lines
        .splice(0)
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === "an item of a list failed"),
    proofs,
    stop: async () => {
      await life.stop();
      await chainsLife.stop();
      await chain.stop();
      await own.drop();
      await theirs.drop();
      await proofs.check();
    },
  };
}

function isReady(life: Lifecycle) {
  return until(async () => (await life.readiness()).ready, {
    what: "a ready service",
  });
}

/** What the chains service would publish about the money of an order of these tests. */
export function moneyChanged(
  paymentId: string,
  turn: number,
  money: Exclude<MessageInitShape<typeof PaymentMoneySchema>, { $typeName: string }> = {},
): MessageInitShape<typeof EventSchema> {
  const sums = { seenBaseAmount: money.finalBaseAmount ?? "0", finalBaseAmount: "0" };
  const late = { lateBaseAmount: money.lateFinalBaseAmount ?? "0", lateFinalBaseAmount: "0" };
  return {
    type: "money.changed",
    ...tenant,
    resourceId: paymentId,
    sequence: turn,
    resource: {
      case: "money",
      value: {
        paymentId,
        turn,
        chainId: 31_337n,
        recipientAddress: RECIPIENT.toLowerCase(),
        currency: "native",
        ...sums,
        ...late,
        ...money,
      },
    },
  };
}

export const AMOUNT = 1_500_000_000_000_000_000n;
export const SHOPPER = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";

/** Proven money of one wallet in one transaction. */
export function proven(txHash: string, amount: bigint, sender = SHOPPER) {
  return {
    finalBaseAmount: `${amount}`,
    txHash,
    blockNumber: 7n,
    senders: [{ address: sender, baseAmount: `${amount}` }],
    hashes: [{ txHash, outcome: "counted", isMined: true }],
  };
}

/** The same after the end of the payment. */
export function provenLate(txHash: string, amount: bigint) {
  const { finalBaseAmount: lateFinalBaseAmount, ...money } = proven(txHash, amount);
  return { ...money, lateFinalBaseAmount };
}

/** What the refunds service would publish when this much of an order of these tests is refunded. */
export function refundCompleted(
  paymentId: string,
  refundedBaseAmount: string,
  more: object = {},
  type = "refund.completed",
): MessageInitShape<typeof EventSchema> {
  return {
    type,
    ...tenant,
    resourceId: "refund_000000000000000000000000",
    resource: {
      case: "refund",
      value: {
        paymentId,
        paymentBaseAmount: `${AMOUNT}`,
        refundedBaseAmount,
        reservedBaseAmount: refundedBaseAmount,
        surplusRefundedBaseAmount: "0",
        ...more,
      },
    },
  };
}

let hashes = 0;
export function newHash() {
  return `0x${(++hashes).toString(16).padStart(64, "0")}`;
}
