// Asks about the wallets that have paid. Each project has a round of its own in the background, so that a
// chain whose providers hang delays no other project; a lease lets another process go on after a crash.
import { every, type Job, type Runtime } from "@pay/process";
import { type ScreeningPolicy, toAddress, toChainId } from "@pay/values";
import type { Pool } from "pg";
import { type LeaseScreeningsRow, leaseScreenings, postponeScreening } from "../generated/sql.ts";
import type { Ask, ScreeningAnswer } from "./ask.ts";
import { findPolicies, storeAnswer } from "./storage.ts";

const LEASE_MS = 120_000;
const PAYERS_MAX = 100;
/** Projects whose rounds run at once. */
const PROJECTS_MAX = 100;
/** Payers of one project that are asked about at once. */
const CONCURRENCY = 10;
/** Before the second attempt and before the third, which is the last. */
const PAUSES_MS = [1_000, 4_000];

const CLEAR: ScreeningAnswer = { isBlocked: false, cause: undefined };
const UNANSWERED: ScreeningAnswer = { isBlocked: true, cause: "unanswered" };

interface Options {
  pool: Pool;
  runtime: Runtime;
  intervalMs: number;
  ask: Ask;
  onAnswered(): void;
}

export function startScreeningPayers(options: Options): Job {
  const { pool, runtime, intervalMs } = options;
  const running = new Map<string, Promise<void>>();

  function start(projectId: string, payers: LeaseScreeningsRow[], policy?: ScreeningPolicy) {
    const round = screenAll(options, payers, policy)
      .catch((error) => runtime.log.error({ err: error, projectId }, "payers were not screened"))
      .finally(() => {
        running.delete(projectId);
        job.wake();
      });
    running.set(projectId, round);
  }

  async function lease(): Promise<void> {
    if (runtime.stopping.aborted || running.size >= PROJECTS_MAX) return;
    const now = runtime.clock.now();
    const leased = await leaseScreenings(pool, {
      busy: [...running.keys()],
      now,
      leasedUntil: new Date(now.getTime() + LEASE_MS),
      max: PAYERS_MAX,
    });
    if (leased.length === 0) return;
    const byProject = Map.groupBy(leased, ({ project_id }) => project_id);
    const policies = await findPolicies(pool, [...byProject.keys()]);
    for (const [projectId, payers] of byProject) start(projectId, payers, policies.get(projectId));
  }

  const job = every({ name: "screening of payers", intervalMs, runtime, act: lease });
  runtime.onStop("rounds of screening", async () => {
    await Promise.all(running.values());
  });
  return job;
}

async function screenAll(
  options: Options,
  payers: LeaseScreeningsRow[],
  policy: ScreeningPolicy | undefined,
): Promise<void> {
  const rest = payers.values();
  async function work() {
    for (const payer of rest) {
      if (options.runtime.stopping.aborted) return;
      await screenOne(options, payer, policy);
    }
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  options.onAnswered();
}

async function screenOne(
  { pool, runtime: { clock }, ask }: Options,
  payer: LeaseScreeningsRow,
  policy: ScreeningPolicy | undefined,
): Promise<void> {
  const { project_id, payment_id, sender, chain_id, attempts } = payer;
  const address = toAddress(sender);
  const asked = { paymentId: payment_id, chainId: toChainId(chain_id), address };
  const answer = policy === undefined ? CLEAR : await ask(policy, asked);
  const pauseMs = PAUSES_MS[attempts - 1];
  if (answer !== undefined) return storeAnswer(pool, payer, answer, clock.now());
  if (pauseMs === undefined) {
    const last = policy?.onFail === "review" ? UNANSWERED : CLEAR;
    return storeAnswer(pool, payer, last, clock.now());
  }
  const nextAt = new Date(clock.now().getTime() + pauseMs);
  await postponeScreening(pool, { projectId: project_id, paymentId: payment_id, sender, nextAt });
}
