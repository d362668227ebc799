// A steady load by a merchant who retries once, and an exact account of what he saw: what failed at first, what his
// one retry healed, what he was left with. What was acknowledged is kept, to be looked for afterwards.
import type { Answer } from "../harness/api.ts";
import { type Merchant, RECIPIENT } from "../harness/merchant.ts";

export interface PhaseReport {
  name: string;
  requests: number;
  /** First answers that were not good, by kind. */
  faults: Map<string, number>;
  healed: number;
  /** What was still wrong after the one retry. */
  failed: string[];
  slowestMs: number;
}

export interface Load {
  /** From now on everything counts under this name; answers the report, which goes on counting. */
  phase(name: string): PhaseReport;
  /** Acknowledged payments by id. */
  readonly acknowledged: ReadonlyMap<string, { amount: string }>;
  stop(): Promise<void>;
}

const WORKERS = 4;
const PAUSE_MS = 250;
const RETRY_AFTER_MS = 1_000;

type Call = () => Promise<Answer>;

export const startLoad = (shop: Merchant): Load => {
  const acknowledged = new Map<string, { amount: string }>();
  const run = `load-${Date.now().toString(36)}`;
  let current = newReport("before");
  let sent = 0;
  let stopping = false;

  const create = async (report: PhaseReport): Promise<string | undefined> => {
    const number = ++sent;
    const order = {
      amount: `${1 + (number % 90)}.5`,
      chainId: shop.api.credentials.chainId,
      currency: "native",
      recipientAddress: RECIPIENT,
    };
    const key = { "Idempotency-Key": `${run}-${number}` };
    const answer = await tried(report, 201, () => shop.api.post("/v1/payments", order, key));
    if (answer === undefined) return undefined;
    acknowledged.set(answer.body.id, { amount: order.amount });
    return answer.body.id;
  };

  const work = async () => {
    while (!stopping) {
      const report = current;
      const id = await create(report);
      if (id) await tried(report, 200, () => shop.api.get(`/v1/payments/${id}`));
      await tried(report, 200, () => shop.api.get("/v1/payments?limit=5"));
      await pause(PAUSE_MS);
    }
  };
  const working = Promise.all(Array.from({ length: WORKERS }, work));
  return {
    acknowledged,
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

const newReport = (name: string): PhaseReport => ({
  name,
  requests: 0,
  faults: new Map(),
  healed: 0,
  failed: [],
  slowestMs: 0,
});

/** One call and, when it did not go well, one more. */
const tried = async (
  report: PhaseReport,
  good: number,
  call: Call,
): Promise<Answer | undefined> => {
  report.requests++;
  const first = await timed(report, call);
  if (first.status === good) return first.answer;
  report.faults.set(first.kind, (report.faults.get(first.kind) ?? 0) + 1);
  await pause(RETRY_AFTER_MS);
  const second = await timed(report, call);
  if (second.status === good) {
    report.healed++;
    return second.answer;
  }
  report.failed.push(`${first.kind}, then ${second.kind}`);
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
