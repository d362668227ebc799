// The service under test with its real neighbours: Postgres, a local chain, the bus.
import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { missingAnvil } from "@pay/embedded";
import {
  type Bus,
  createLocalBus,
  type EventType,
  type OutboxRow,
  outboxRow,
  TOPICS,
} from "@pay/events";
import { type Clock, createTestRuntime, readConfig } from "@pay/process";
import {
  ChainsService,
  type Event,
  EventSchema,
  Mode,
  type Observation,
  type PaymentSnapshotSchema,
  type RefundSnapshotSchema,
} from "@pay/proto";
import { type Client, connect } from "@pay/rpc";
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
import { newId } from "@pay/values";
import type { Pool } from "pg";
import { chainsConfig, startChains } from "../src/index.ts";
import type { Bounds } from "../src/start.ts";

export const SHOP = "0x1111111111111111111111111111111111111111";
export const PROJECT = "proj_AAAAAAAAAAAAAAAAAAAAAAAA";
const MINUTE_MS = 60_000;

/** Like describe; skipped with one line where PostgreSQL or a chain cannot be had, which under CI is a failure. */
export function describeChains(name: string, body: () => void): void {
  missingAnvil() === undefined ? describeWithPostgres(name, body) : describeWithChain(name, body);
}

export interface Seen extends Pick<Event, "id" | "type" | "projectId" | "sequence" | "requestId"> {
  observation: Observation;
}

export interface TestChains {
  chain: TestChain;
  client: Client<typeof ChainsService>;
  database: TestDatabase;
  pool: Pool;
  bus: Bus;
  seen: Seen[];
  /** Submits a hash for a new payment (or the given one); answers the payment's id. */
  submit(payment: Submitted): Promise<string>;
  submitRefund(refund: SubmittedRefund): Promise<string>;
  /** Publishes a payment for which no hash is submitted (or another state of it); answers its id. */
  open(payment?: Opened & { type?: Extension }): Promise<string>;
  /**
   * Leaves two payments of that amount to the shop open, so that no transfer of it is found for a payment: only hashes
   * decide. Else a transfer that is mined before its hash is submitted may be found for another payment: one that waits
   * or, where the test did not publish that it was paid, one that an earlier test has paid.
   */
  decideByHashOnly(amount: bigint, currency?: string): Promise<void>;
  /** The verdict on a payment or refund: the first, or the one after so many others. */
  verdict(id: string, after?: number): Promise<Seen>;
  /** What the service holds about a submitted hash. */
  candidate(id: string): Promise<Record<string, unknown>>;
  /** Resolves when the chain is followed up to its head, and what pays has been found. */
  followed(): Promise<void>;
  /** Resolves when the payment is watched. */
  watched(id: string): Promise<void>;
  /** Resolves when the candidate was looked at in vain so many times. */
  missed(id: string, times?: number): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

/** Whose payment or refund it is; the one project's, in test mode, where nothing is said. */
interface Owner {
  projectId?: string;
  mode?: Mode;
}

export type SubmittedRefund = MessageInitShape<typeof RefundSnapshotSchema> & Owner;

export type Opened = MessageInitShape<typeof PaymentSnapshotSchema> &
  Owner & {
    createdAt?: never;
    expiresAt?: never;
    created?: Date;
    expires?: Date;
  };

type Extension =
  | "payment.extended"
  | "payment.confirmed"
  | "payment.expired"
  | "payment.payer_declared";
type Submission = "payment.processing" | "payment.late_accepted";

export type Submitted = Opened & { txHash: string; type?: Submission };

/** Events of a hash that come before its verdict. */
const SAYING_NOTHING: ReadonlySet<string> = new Set(["transfer.seen", "transfer.waiting"]);

/** For tests of providers that do not answer: others wait for an answer that is only slow. */
export const SOON_UNANSWERED = { rpcTimeoutMs: 500 };

const QUICK = { rpcTimeoutMs: 5_000, verifyIntervalMs: 20, followIntervalMs: 20 };

export interface Options {
  chain?: TestChain;
  /** Instead of the chain's own address. */
  providers?: readonly string[];
  environment?: Record<string, string>;
  bounds?: Partial<Bounds>;
  clock?: Clock;
  /** How long a stop leaves the parts running. */
  drainDelayMs?: number;
  /** Shared with another instance, which also drops it. */
  database?: TestDatabase;
  /** Whether payments answers at once what was found for its payments, as it does; else a test answers in its place. */
  isAnswering?: boolean;
}

export async function startTestChains(options: Options = {}): Promise<TestChains> {
  const chain = options.chain ?? (await testChain());
  const database = options.database ?? (await testDatabase("services/chains"));
  const bus = createLocalBus();
  const { clock, drainDelayMs, isAnswering = true } = options;
  const life = createTestRuntime("chains", {
    ...(clock && { clock }),
    ...(drainDelayMs && { drainDelayMs }),
  });
  const [local = chain.rpcUrl, ...others] = options.providers ?? [];
  const { address } = await startChains(
    readConfig(chainsConfig, {
      CHAINS_DATABASE_URL: database.url,
      CHAINS_GRPC_PORT: "0",
      CHAINS_LOCAL_RPC_URL: local,
      CHAINS_LOCAL_CHAIN_ID: `${chain.chainId}`,
      CHAINS_LOCAL_TOKENS: JSON.stringify([chain.token]),
      CHAINS_PROVIDERS: JSON.stringify(others.length > 0 ? { [chain.chainId]: others } : {}),
      ...options.environment,
    }),
    life,
    { bus, bounds: { ...QUICK, ...options.bounds } },
  );
  const client = patient(connect(ChainsService, address, life));
  const seen: Seen[] = [];
  await bus.subscribe({
    group: "test",
    topics: [TOPICS.observations],
    handle: async (records) => {
      // A relay may publish an event twice, and consumers tell it by its id.
      for (const { eventId, payload } of records) {
        if (seen.some(({ id }) => id === eventId)) continue;
        const heard = toSeen(fromBinary(EventSchema, payload));
        seen.push(heard);
        if (heard.type === "transfer.seen" && isAnswering) {
          await bus.publish([toAnswer(chain, heard.observation)]);
        }
      }
    },
  });
  async function candidate(id: string) {
    const { rows } = await database.pool.query(
      "select * from candidates where subject_id = $1 order by id desc limit 1",
      [id],
    );
    return rows[0] as Record<string, unknown>;
  }

  return {
    chain,
    client,
    bus,
    seen,
    candidate,
    database,
    pool: database.pool,
    submit: (payment) => submitPayment(bus, chain, payment),
    submitRefund: (refund) => submitRefund(bus, chain, refund),
    open: (payment = {}) => publishPayment(bus, chain, { type: "payment.created", ...payment }),
    decideByHashOnly: async (amount, currency) => {
      const payment = {
        type: "payment.created",
        baseAmount: `${amount}`,
        ...(currency && { currency }),
      } as const;
      for (let n = 0; n < 2; n++) await publishPayment(bus, chain, payment);
    },
    verdict: (id, after = 0) =>
      until(
        () =>
          seen.filter(
            ({ type, observation }) => !SAYING_NOTHING.has(type) && observation.subjectId === id,
          )[after],
        { what: `the verdict on ${id}` },
      ),
    followed: async () => {
      const reached = "select from cursors where head_number >= $1";
      const head = await chain.head();
      await until(async () => (await database.pool.query(reached, [head])).rowCount === 1, {
        what: `the followed block ${head}`,
      });
    },
    watched: async (id) => {
      const watch = "select from watches where payment_id = $1";
      await until(async () => (await database.pool.query(watch, [id])).rows.length > 0, {
        what: `the watch of ${id}`,
      });
    },
    missed: (id, times = 1) =>
      until(
        async () => {
          const row = await candidate(id);
          return Number(row?.misses) >= times ? row : undefined;
        },
        { what: `a miss of ${id}` },
      ),
    stop: async () => {
      await life.stop();
      if (options.database === undefined) await database.drop();
      if (options.chain === undefined) await chain.stop();
    },
  };
}

function toSeen({ id, type, projectId, sequence, requestId, resource }: Event): Seen {
  if (resource.case !== "observation") throw new Error("an observation carries an observation");
  return { id, type, projectId, sequence, requestId, observation: resource.value };
}

/** Payments by their id, as they were published last. */
const published = new Map<string, Opened>();

/** As payments answers that a transaction was found for a payment. */
export function toAnswer(
  chain: TestChain,
  { subjectId, txHash }: Pick<Observation, "subjectId" | "txHash">,
): OutboxRow {
  const payment = published.get(subjectId);
  if (payment === undefined) throw new Error(`${subjectId} was not published here`);
  const answer = { ...payment, status: "processing", version: 1, txHash };
  return toEvent(chain, "payment.processing", answer);
}

function submitPayment(bus: Bus, chain: TestChain, payment: Submitted): Promise<string> {
  return publishPayment(bus, chain, { type: "payment.processing", version: 2, ...payment });
}

export async function publishPayment(
  bus: Pick<Bus, "publish">,
  chain: TestChain,
  { type, ...given }: Opened & { type: "payment.created" | Extension | Submission },
): Promise<string> {
  const { id = newId("pay"), created = new Date() } = given;
  const payment = { ...given, id, created };
  published.set(id, payment);
  await bus.publish([toEvent(chain, type, payment)]);
  return id;
}

/** To be published together with others. */
export function makeSubmission(chain: TestChain, payment: Submitted): OutboxRow {
  return toEvent(chain, "payment.processing", { version: 2, ...payment });
}

function toEvent(
  chain: TestChain,
  type: EventType,
  { created = new Date(), expires, id = "", ...payment }: Opened,
): OutboxRow {
  const { projectId = PROJECT, mode = Mode.TEST, version = 1 } = payment;
  return outboxRow({
    type,
    projectId,
    mode,
    resourceId: id,
    sequence: version,
    requestId: "request-1",
    resource: {
      case: "payment",
      value: {
        chainId: BigInt(chain.chainId),
        currency: "native",
        recipientAddress: SHOP,
        baseAmount: "1000000",
        // Many tests pay one shop the same amount; those of claims that are held say so.
        unsignedClaims: "first",
        ...payment,
        id,
        version,
        createdAt: timestampFromDate(created),
        expiresAt: timestampFromDate(expires ?? new Date(created.getTime() + 30 * MINUTE_MS)),
      },
    },
  });
}

async function submitRefund(bus: Bus, chain: TestChain, refund: SubmittedRefund): Promise<string> {
  const { id = newId("refund"), projectId = PROJECT, mode = Mode.TEST } = refund;
  await bus.publish([
    outboxRow({
      type: "refund.submitted",
      projectId,
      mode,
      resourceId: id,
      requestId: "request-2",
      resource: {
        case: "refund",
        value: {
          version: 2,
          chainId: BigInt(chain.chainId),
          currency: "native",
          createdAt: timestampFromDate(new Date()),
          ...refund,
          id,
        },
      },
    }),
  ]);
  return id;
}
