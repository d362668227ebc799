// The service under test with its real neighbours: Postgres, a local chain, the bus. Payments is played by the test: it
// publishes payments, and tells which of them are open.
import { randomBytes } from "node:crypto";
import { fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { missingAnvil } from "@pay/embedded";
import { type Bus, createLocalBus, TOPICS } from "@pay/events";
import { Failure } from "@pay/failures";
import { type Clock, createTestRuntime, type Lifecycle, type Log, readConfig } from "@pay/process";
import {
  ChainsService,
  type Event,
  EventSchema,
  type Observation,
  type PaymentMoney,
  PaymentsService,
} from "@pay/proto";
import { type Client, connect, implement, serve } from "@pay/rpc";
import {
  describeWithChain,
  describeWithPostgres,
  patient,
  type TestChain,
  type TestDatabase,
  testChain,
  testDatabase,
  until,
} from "@pay/testing";
import type { Pool } from "pg";
import { register } from "prom-client";
import { chainsConfig, startChains } from "../src/index.ts";
import type { Bounds } from "../src/start.ts";
import {
  type AskedWallet,
  createPublisher,
  listPayoutWallets,
  type Opened,
  type OpenPayments,
  PROJECT,
  publishScreening,
  type Screened,
  type SubmittedRefund,
  submitRefund,
} from "./publisher.ts";

export { type Opened, PROJECT, SHOP, type SubmittedRefund, toRow } from "./publisher.ts";

/** A recipient of its own, so that no other payment is open there. */
export function newWallet(): string {
  return `0x${randomBytes(20).toString("hex")}`;
}

/** What a counter of the service has counted in this process. */
export async function readCounter(name: string): Promise<number> {
  const { values } = (await register.getSingleMetric(name)?.get()) ?? { values: [] };
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** Like describe; skipped with one line where PostgreSQL or a chain cannot be had, which under CI is a failure. */
export function describeChains(name: string, body: () => void): void {
  missingAnvil() === undefined ? describeWithPostgres(name, body) : describeWithChain(name, body);
}

type Heard = Pick<Event, "id" | "type" | "projectId" | "sequence" | "requestId">;

export interface Seen extends Heard {
  observation: Observation;
}

export interface SeenMoney extends Heard {
  money: PaymentMoney;
}

export interface TestChains {
  chain: TestChain;
  client: Client<typeof ChainsService>;
  database: TestDatabase;
  pool: Pool;
  bus: Bus;
  /** Verdicts about refunds and settlements. */
  seen: Seen[];
  /** What was published about the money of payments. */
  told: SeenMoney[];
  /** Publishes a payment (or another state of it); answers its id. */
  open(payment?: Opened): Promise<string>;
  /** A payment whose event is not published yet: only payments knows it. */
  openUnpublished(payment?: Opened): Promise<string>;
  /** The wallet signs that it pays the payment. */
  sign(payment: Opened & { id: string; payerAddress: string }): Promise<string>;
  /** The same with a submitted hash. */
  submit(payment: Submitted): Promise<string>;
  /** The merchant assigns a transaction to payments, in one moment. */
  assign(ids: readonly string[], txHash: string): Promise<void>;
  submitRefund(refund: SubmittedRefund): Promise<string>;
  /** Resolves when these are known as the only payout wallets of the project. */
  listPayoutWallets(addresses: readonly string[]): Promise<void>;
  /** Resolves when the project screens wallets so; undefined: not at all. */
  screen(screening: Screened | undefined, projectId?: string): Promise<void>;
  /** The verdict on a refund or settlement: the first, or the one after so many others. */
  verdict(id: string, after?: number): Promise<Seen>;
  /** The newest money of a payment, once it is as it is wanted. */
  money(id: string, isWanted?: (money: PaymentMoney) => boolean): Promise<PaymentMoney>;
  /** Resolves when so much is proven, in time. */
  paid(id: string, amount: bigint | string): Promise<PaymentMoney>;
  /** What became of the only submitted hash. */
  outcome(id: string): Promise<string>;
  /** Payments is away, until the returned function is called. */
  leavePayments(): () => void;
  /** Resolves when the chain is followed up to its head, and no wallet waits for a decision. */
  settled(): Promise<void>;
  /** Resolves when the chain is followed up to its head. */
  followed(): Promise<void>;
  /** Resolves when the payment is known. */
  watched(id: string): Promise<void>;
  /** Resolves when the transaction was looked for in vain so many times. */
  missed(txHash: string, times?: number): Promise<Record<string, unknown>>;
  transaction(txHash: string): Promise<Record<string, unknown> | undefined>;
  stop(): Promise<void>;
}

export type Submitted = Opened & { txHash: string; byMerchant?: boolean; isAssigned?: boolean };

/** For tests of providers that do not answer: others wait for an answer that is only slow. */
export const SOON_UNANSWERED = { rpcTimeoutMs: 500 };

const QUICK = {
  rpcTimeoutMs: 5_000,
  verifyIntervalMs: 20,
  planIntervalMs: 20,
  followIntervalMs: 20,
};

export interface Options {
  chain?: TestChain;
  /** Instead of the chain's own address. */
  providers?: readonly string[];
  /** Instead of the chain's own token. */
  tokens?: readonly object[];
  environment?: Record<string, string>;
  bounds?: Partial<Bounds>;
  clock?: Clock;
  /** The payments that are open, where the test does not publish them by this harness. */
  listOpen?: (wallets: readonly AskedWallet[]) => OpenPayments;
  /** How long a stop leaves the parts running. */
  drainDelayMs?: number;
  /** Where the service writes its lines; nowhere when absent. */
  log?: Log;
  /** Shared with another instance, which also drops it. */
  database?: TestDatabase;
}

export async function startTestChains(options: Options = {}): Promise<TestChains> {
  const chain = options.chain ?? (await testChain());
  const database = options.database ?? (await testDatabase("services/chains"));
  const bus = createLocalBus();
  const { clock, drainDelayMs, log } = options;
  const life = createTestRuntime("chains", {
    ...(clock && { clock }),
    ...(drainDelayMs && { drainDelayMs }),
    ...(log && { log }),
  });
  const published = createPublisher(bus, chain);
  let isAway = false;
  const payments = await servePayments(life, async (wallets) => {
    if (isAway) throw new Failure("service_unavailable", "payments is away");
    return (options.listOpen ?? published.listOpen)(wallets);
  });
  const [local = chain.rpcUrl, ...others] = options.providers ?? [];
  const { tokens = [chain.token] } = options;
  const { address } = await startChains(
    readConfig(chainsConfig, {
      CHAINS_DATABASE_URL: database.url,
      CHAINS_GRPC_PORT: "0",
      PAYMENTS_ADDRESS: payments.address,
      CHAINS_LOCAL: JSON.stringify({ rpcUrl: local, chainId: chain.chainId, tokens }),
      CHAINS_PROVIDERS: JSON.stringify(others.length > 0 ? { [chain.chainId]: others } : {}),
      ...options.environment,
    }),
    life,
    { bus, bounds: { ...QUICK, ...options.bounds } },
  );
  const client = patient(connect(ChainsService, address, life));
  const seen: Seen[] = [];
  const told: SeenMoney[] = [];
  await bus.subscribe({
    group: "test",
    topics: [TOPICS.observations],
    handle: async (records) => {
      for (const { payload } of records) {
        const { resource, ...event } = fromBinary(EventSchema, payload);
        // A relay may publish an event twice, and consumers tell it by its id.
        if ([...seen, ...told].some(({ id }) => id === event.id)) continue;
        if (resource.case === "observation") seen.push({ ...event, observation: resource.value });
        if (resource.case === "money") told.push({ ...event, money: resource.value });
      }
    },
  });

  function money(id: string, isWanted: (money: PaymentMoney) => boolean = () => true) {
    return until(
      () => {
        const newest = told.findLast((one) => one.money.paymentId === id)?.money;
        return newest !== undefined && isWanted(newest) ? newest : undefined;
      },
      { what: `the money of ${id}` },
    );
  }

  async function followed() {
    const reached = "select from cursors where head_number >= $1";
    const head = await chain.head();
    await until(async () => (await database.pool.query(reached, [head])).rowCount === 1, {
      what: `the followed block ${head}`,
    });
  }

  async function transaction(txHash: string) {
    const text = "select * from transactions where tx_hash = $1";
    const { rows } = await database.pool.query(text, [txHash.toLowerCase()]);
    return rows[0] as Record<string, unknown> | undefined;
  }

  return {
    chain,
    client,
    bus,
    seen,
    told,
    database,
    transaction,
    pool: database.pool,
    open: (payment = {}) => published.publish({ type: "payment.created", ...payment }),
    openUnpublished: async (payment = {}) => published.store(payment).id,
    sign: (payment) =>
      published.publish({
        type: "payment.payer_declared",
        payerSignedAt: timestampFromDate(new Date()),
        ...payment,
      }),
    submit: ({ txHash, byMerchant = false, isAssigned = false, ...payment }) =>
      published.publish({
        type: "payment.processing",
        hashes: [{ txHash, byMerchant, isAssigned }],
        ...payment,
      }),
    assign: (ids, txHash) =>
      published.publishAll(
        ids.map((id) => ({
          type: "payment.processing",
          id,
          hashes: [{ txHash, byMerchant: true, isAssigned: true }],
        })),
      ),
    listPayoutWallets: async (addresses) => {
      await listPayoutWallets(bus, addresses);
      const listed =
        "select count(*)::int as n from own_wallets where is_payout and address = any($1)";
      await until(
        async () => (await database.pool.query(listed, [addresses])).rows[0].n === addresses.length,
        { what: "the payout wallets" },
      );
    },
    screen: async (screening, projectId = PROJECT) => {
      const version = await publishScreening(bus, screening, projectId);
      const stored = "select from screening_policies where project_id = $1 and version = $2";
      await until(
        async () => (await database.pool.query(stored, [projectId, version])).rowCount === 1,
        { what: "the policy of screening" },
      );
    },
    submitRefund: (refund) => submitRefund(bus, chain, refund),
    verdict: (id, after = 0) =>
      until(() => seen.filter(({ observation }) => observation.subjectId === id)[after], {
        what: `the verdict on ${id}`,
      }),
    money,
    paid: (id, amount) => money(id, ({ finalBaseAmount }) => finalBaseAmount === `${amount}`),
    outcome: async (id) => {
      const { hashes } = await money(id, (one) => one.hashes[0]?.outcome !== undefined);
      return hashes[0]?.outcome ?? "";
    },
    leavePayments: () => {
      isAway = true;
      return () => {
        isAway = false;
      };
    },
    followed,
    settled: async () => {
      await followed();
      const due =
        "select from attribution_queue where next_at <= now() or leased_until is not null";
      await until(async () => (await database.pool.query(due)).rowCount === 0, {
        what: "decisions about all wallets",
      });
    },
    watched: async (id) => {
      const watch = "select from watches where payment_id = $1";
      await until(async () => (await database.pool.query(watch, [id])).rows.length > 0, {
        what: `the watch of ${id}`,
      });
    },
    missed: (txHash, times = 1) =>
      until(
        async () => {
          const row = await transaction(txHash);
          return Number(row?.misses) >= times ? row : undefined;
        },
        { what: `a miss of ${txHash}` },
      ),
    stop: async () => {
      await life.stop();
      if (options.database === undefined) await database.drop();
      if (options.chain === undefined) await chain.stop();
    },
  };
}

/** Payments, as far as chains calls it: a test says which payments are open. */
export function servePayments(
  runtime: Lifecycle,
  listOpen: (wallets: readonly AskedWallet[]) => Promise<OpenPayments>,
): Promise<{ address: string }> {
  return serve({
    runtime,
    port: 0,
    services: [
      implement(PaymentsService, {
        ...UNANSWERED,
        findOpenPayments: async ({ wallets }) => ({
          payments: await listOpen(wallets),
        }),
      }),
    ],
  });
}

async function refuse(): Promise<never> {
  throw new Failure("service_unavailable", "chains asks payments for open payments only");
}

/** Chains calls one rpc of payments. */
const UNANSWERED = Object.fromEntries(
  Object.keys(PaymentsService.method).map((name) => [name, refuse]),
) as unknown as Parameters<typeof implement<typeof PaymentsService>>[1];
