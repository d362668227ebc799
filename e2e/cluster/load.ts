// A steady load on every service, by a merchant who retries each call once. The report counts what failed at first,
// what the retry corrected and what still failed. Acknowledged records are kept, so that the run can look for them at
// its end.
import { randomBytes } from "node:crypto";
import type { Answer } from "../harness/api.ts";
import { type Merchant, RECIPIENT } from "../harness/merchant.ts";
import { openWallet, type Wallet } from "../harness/wallet.ts";

export interface PhaseReport {
  name: string;
  requests: number;
  /** First answers that were faults, by kind. */
  faults: Map<string, number>;
  /** The same one by one: what, where and how long after the phase began. */
  seen: { kind: string; what: string; afterMs: number }[];
  /** Calls without a fault since the last fault. */
  goodInARow: number;
  beganAt: number;
  healed: number;
  /** Faults that remained after the retry. */
  failed: string[];
  slowestMs: number;
}

/** What the product has acknowledged. */
export interface Acknowledged {
  /** By the path under which it can be read: what must be found there. */
  readonly resources: ReadonlyMap<string, Record<string, unknown>>;
  /** Ids of payments whose transfer was taken as their proof. */
  readonly proven: ReadonlySet<string>;
}

export interface Load {
  /** Starts a phase: all calls count under its name. Returns the phase's report, which keeps counting. */
  phase(name: string): PhaseReport;
  readonly acknowledged: Acknowledged;
  stop(): Promise<void>;
}

const MERCHANTS = 4;
const SHOPPERS = 2;
const PAUSE_MS = 250;
const RETRY_AFTER_MS = 1_000;
const CONFIRMED_TIMEOUT_MS = 30_000;
const ORDER = { decimal: "1.5", base: 15n * 10n ** 17n };

type Call = () => Promise<Answer>;

interface Counter {
  shop: Merchant;
  report(): PhaseReport;
  /** A name that is unique in this run, also used as the idempotency key. */
  nextKey(): Record<string, string>;
  acknowledge(path: string, expected: Record<string, unknown>): void;
  prove(paymentId: string): void;
  stopping(): boolean;
}

export async function startLoad(shop: Merchant): Promise<Load> {
  const resources = new Map<string, Record<string, unknown>>();
  const proven = new Set<string>();
  const run = `load-${Date.now().toString(36)}`;
  let current = newReport("before");
  let sent = 0;
  let stopping = false;
  const counter: Counter = {
    shop,
    report: () => current,
    nextKey: () => ({ "Idempotency-Key": `${run}-${++sent}` }),
    acknowledge: (path, expected) => void resources.set(path, expected),
    prove: (paymentId) => void proven.add(paymentId),
    stopping: () => stopping,
  };
  // Each shopper has its own account. The first account belongs to the stories, the second receives the payments.
  const wallets = await Promise.all(
    Array.from({ length: SHOPPERS }, (_, at) => openWallet(shop.api.credentials, at + 2)),
  );
  const working = Promise.all([
    ...Array.from({ length: MERCHANTS }, () => repeat(counter, sell)),
    ...wallets.map((wallet) => repeat(counter, (one) => buy(one, wallet))),
  ]);
  return {
    acknowledged: { resources, proven },
    phase: (name) => {
      current = newReport(name);
      return current;
    },
    stop: async () => {
      stopping = true;
      await working;
    },
  };
}

async function repeat(counter: Counter, act: (counter: Counter) => Promise<void>) {
  while (!counter.stopping()) {
    await act(counter);
    await pause(PAUSE_MS);
  }
}

/** The usual calls of a merchant's server. */
async function sell(counter: Counter): Promise<void> {
  const payment = await createPayment(counter);
  if (payment) await read(counter, `/v1/payments/${payment.id}`);
  await read(counter, "/v1/payments?limit=5");
  const walletAddress = `0x${randomBytes(20).toString("hex")}`;
  await create(counter, "/v1/customers", { walletAddress }, ["walletAddress"]);
  await read(counter, "/v1/customers?limit=5");
}

/** A shopper reads the chains and pays, and the shop assigns the transaction; then a part is refunded. */
async function buy(counter: Counter, wallet: Wallet): Promise<void> {
  const { api } = counter.shop;
  const key = { "X-Publishable-Key": api.credentials.publishableKey };
  await read(counter, "/v1/chains", key);
  const payment = await createPayment(counter);
  if (!payment) return;
  const { id } = payment;
  const txHash = await wallet.payNative(RECIPIENT, ORDER.base);
  // All orders ask for one amount, and whose transfer is whose is not what is tried here.
  const proof = { txHash, attribute: true };
  const path = `/v1/payments/${id}/transaction`;
  const taken = await tried(counter, `POST ${path}`, 200, () => api.post(path, proof));
  if (!taken) return;
  counter.prove(id);
  if (!(await isConfirmed(counter, id))) return;
  const refund = { paymentId: id, amount: "0.5", reason: "One mug came broken" };
  await create(counter, "/v1/refunds", refund, ["paymentId", "amount"]);
}

function read(counter: Counter, path: string, headers = {}): Promise<Answer | undefined> {
  return tried(counter, `GET ${path}`, 200, () => counter.shop.api.get(path, headers));
}

function createPayment(counter: Counter): Promise<Answer["body"]> {
  const order = {
    amount: ORDER.decimal,
    chainId: counter.shop.api.credentials.chainId,
    currency: "native",
    recipientAddress: RECIPIENT,
  };
  return create(counter, "/v1/payments", order, ["amount", "currency"]);
}

/** The created record, or undefined. The named fields are compared at the end of the run. */
async function create(
  counter: Counter,
  path: string,
  body: object,
  fields: string[],
): Promise<Answer["body"]> {
  const key = counter.nextKey();
  function post() {
    return counter.shop.api.post(path, body, key);
  }

  const answer = await tried(counter, `POST ${path}`, 201, post);
  if (!answer) return undefined;
  const expected = Object.fromEntries(fields.map((name) => [name, answer.body[name]]));
  counter.acknowledge(`${path}/${answer.body.id}`, expected);
  return answer.body;
}

/** Whether the payment was confirmed in time. The end of the run reports payments that were never confirmed. */
async function isConfirmed(counter: Counter, id: string): Promise<boolean> {
  const until = performance.now() + CONFIRMED_TIMEOUT_MS;
  while (!counter.stopping() && performance.now() < until) {
    const answer = await read(counter, `/v1/payments/${id}`);
    if (answer?.body.confirmedAt) return true;
    await pause(PAUSE_MS);
  }
  return false;
}

function newReport(name: string): PhaseReport {
  return {
    name,
    requests: 0,
    faults: new Map(),
    seen: [],
    goodInARow: 0,
    beganAt: performance.now(),
    healed: 0,
    failed: [],
    slowestMs: 0,
  };
}

/** One call and, after a fault, one retry. */
async function tried(
  counter: Counter,
  what: string,
  good: number,
  call: Call,
): Promise<Answer | undefined> {
  const report = counter.report();
  report.requests++;
  const first = await timed(report, call);
  if (first.status === good) {
    report.goodInARow++;
    return first.answer;
  }
  report.goodInARow = 0;
  const afterMs = Math.round(performance.now() - report.beganAt);
  report.seen.push({ kind: first.kind, what, afterMs });
  report.faults.set(first.kind, (report.faults.get(first.kind) ?? 0) + 1);
  await pause(RETRY_AFTER_MS);
  const second = await timed(report, call);
  if (second.status === good) {
    report.healed++;
    return second.answer;
  }
  report.failed.push(`${what}: ${first.kind}, then ${second.kind}`);
  return undefined;
}

interface Outcome {
  status: number;
  kind: string;
  answer?: Answer;
}

async function timed(report: PhaseReport, call: Call): Promise<Outcome> {
  const startedAt = performance.now();
  try {
    const answer = await call();
    return { status: answer.status, kind: `${answer.status}`, answer };
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    return { status: 0, kind: cause?.code ?? name };
  } finally {
    report.slowestMs = Math.max(report.slowestMs, performance.now() - startedAt);
  }
}

function pause(ms: number) {
  return new Promise<void>((resolve) => setTimeout(resolve, ms));
}
