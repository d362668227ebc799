// A steady load that every service has a part in, by a merchant who retries once, and an exact account of what he saw:
// what failed at first, what his one retry healed, what he was left with. What was acknowledged is kept, to be looked
// for afterwards.
import { randomBytes } from "node:crypto";
import type { Answer } from "../harness/api.ts";
import { type Merchant, RECIPIENT } from "../harness/merchant.ts";
import { openWallet, type Wallet } from "../harness/wallet.ts";

export interface PhaseReport {
  name: string;
  requests: number;
  /** First answers that were not good, by kind. */
  faults: Map<string, number>;
  /** The same one by one: what, where and how long after the phase began. */
  seen: { kind: string; what: string; afterMs: number }[];
  /** Calls that went well at once since the last one that did not. */
  goodInARow: number;
  beganAt: number;
  healed: number;
  /** What was still wrong after the one retry. */
  failed: string[];
  slowestMs: number;
}

/** What the product has said to have taken. */
export interface Acknowledged {
  /** By the path under which it can be read: what must be found there. */
  readonly resources: ReadonlyMap<string, Record<string, unknown>>;
  /** Ids of payments whose transfer was taken as their proof. */
  readonly proven: ReadonlySet<string>;
}

export interface Load {
  /** From now on everything counts under this name; answers the report, which goes on counting. */
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
  /** A name no other order of this run has, and so an idempotency key of its own. */
  nextKey(): Record<string, string>;
  acknowledge(path: string, expected: Record<string, unknown>): void;
  prove(paymentId: string): void;
  stopping(): boolean;
}

export const startLoad = async (shop: Merchant): Promise<Load> => {
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
  // Each shopper has an account of its own: the first one belongs to the stories, the second is who is paid.
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
};

const repeat = async (counter: Counter, act: (counter: Counter) => Promise<void>) => {
  while (!counter.stopping()) {
    await act(counter);
    await pause(PAUSE_MS);
  }
};

/** What a merchant's server does all day. */
const sell = async (counter: Counter): Promise<void> => {
  const payment = await createPayment(counter);
  if (payment) await read(counter, `/v1/payments/${payment.id}`);
  await read(counter, "/v1/payments?limit=5");
  const walletAddress = `0x${randomBytes(20).toString("hex")}`;
  await create(counter, "/v1/customers", { walletAddress }, ["walletAddress"]);
  await read(counter, "/v1/customers?limit=5");
};

/** A shopper looks at the chains, pays, proves it, and wants a part of it back. */
const buy = async (counter: Counter, wallet: Wallet): Promise<void> => {
  const { api } = counter.shop;
  const key = { "X-Publishable-Key": api.credentials.publishableKey };
  await read(counter, "/v1/chains", key);
  const payment = await createPayment(counter);
  if (!payment) return;
  const { id, clientSecret } = payment;
  const txHash = await wallet.payNative(RECIPIENT, ORDER.base);
  const proof = { clientSecret, txHash };
  const path = `/v1/payments/${id}/confirm`;
  const taken = await tried(counter, `POST ${path}`, 200, () => api.post(path, proof, key));
  if (!taken) return;
  counter.prove(id);
  if (!(await isConfirmed(counter, id))) return;
  const refund = { paymentId: id, amount: "0.5", reason: "One mug came broken" };
  await create(counter, "/v1/refunds", refund, ["paymentId", "amount"]);
};

const read = (counter: Counter, path: string, headers = {}): Promise<Answer | undefined> =>
  tried(counter, `GET ${path}`, 200, () => counter.shop.api.get(path, headers));

const createPayment = (counter: Counter): Promise<Answer["body"]> => {
  const order = {
    amount: ORDER.decimal,
    chainId: counter.shop.api.credentials.chainId,
    currency: "native",
    recipientAddress: RECIPIENT,
  };
  return create(counter, "/v1/payments", order, ["amount", "currency"]);
};

/** What was created and acknowledged, or undefined; these fields of it are looked for afterwards. */
const create = async (
  counter: Counter,
  path: string,
  body: object,
  fields: string[],
): Promise<Answer["body"]> => {
  const key = counter.nextKey();
  const post = () => counter.shop.api.post(path, body, key);
  const answer = await tried(counter, `POST ${path}`, 201, post);
  if (!answer) return undefined;
  const expected = Object.fromEntries(fields.map((name) => [name, answer.body[name]]));
  counter.acknowledge(`${path}/${answer.body.id}`, expected);
  return answer.body;
};

/** Whether the payment was seen as confirmed in time; if it never is, the end of the run tells. */
const isConfirmed = async (counter: Counter, id: string): Promise<boolean> => {
  const until = performance.now() + CONFIRMED_TIMEOUT_MS;
  while (!counter.stopping() && performance.now() < until) {
    const answer = await read(counter, `/v1/payments/${id}`);
    if (answer?.body.confirmedAt) return true;
    await pause(PAUSE_MS);
  }
  return false;
};

const newReport = (name: string): PhaseReport => ({
  name,
  requests: 0,
  faults: new Map(),
  seen: [],
  goodInARow: 0,
  beganAt: performance.now(),
  healed: 0,
  failed: [],
  slowestMs: 0,
});

/** One call and, when it did not go well, one more. */
const tried = async (
  counter: Counter,
  what: string,
  good: number,
  call: Call,
): Promise<Answer | undefined> => {
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
};

interface Outcome {
  status: number;
  kind: string;
  answer?: Answer;
}

const timed = async (report: PhaseReport, call: Call): Promise<Outcome> => {
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
};

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
