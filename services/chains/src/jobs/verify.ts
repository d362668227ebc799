// The loop that looks at what is due on one chain. A round takes a page under a lease, looks at a few hashes at a
// time, settles each verdict as it falls and says of the rest when they are due again. Chains do not wait for
// each other; a crash anywhere leaves candidates that are due again when their lease has run out.

import { outboxRow } from "@pay/events";
import { every, type Job, type Runtime } from "@pay/process";
import { together } from "@pay/rpc";
import type { Pool } from "pg";
import { Counter, Histogram } from "prom-client";
import { type Candidate, isGivenUp } from "../domain/candidate.ts";
import { transfersTo } from "../domain/judge.ts";
import {
  abandonCandidates,
  claimCandidates,
  type Later,
  rescheduleCandidates,
} from "../storage.ts";
import { type Settlement, settleVerdicts, type Verdict } from "../verdicts.ts";
import { type Examiner, examine, type Step } from "../verify/examine.ts";
import { toVerdictEvent } from "../wire.ts";

const LEASE_MS = 60_000;
const PAGE_PER_LOOK = 8;
/** A candidate that lost a race is judged again at once, on what the winner has left. */
const CONTESTED_DELAY_MS = 50;

const verdictsTotal = new Counter({
  name: "chain_verdicts_total",
  help: "Submitted hashes that were judged, by chain and reason; proven ones have the reason none",
  labelNames: ["chain", "reason"],
});

const verdictSeconds = new Histogram({
  name: "chain_verdict_seconds",
  help: "Time from the submission of a hash to its verdict",
  labelNames: ["chain"],
  buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600],
});

export interface VerifyOptions {
  examiner: Examiner;
  pool: Pool;
  runtime: Runtime;
  intervalMs: number;
  concurrency: number;
  /** Called when verdicts are written, so that they leave at once. */
  onSettled: () => void;
}

export const startVerifying = (options: VerifyOptions): Job => {
  const { examiner, pool, runtime, intervalMs, concurrency, onSettled } = options;
  const { chainId } = examiner.chain;
  const pageMax = concurrency * PAGE_PER_LOOK;
  const settle = together((verdicts: Verdict[]) => settleVerdicts(pool, verdicts));

  const lookAt = async (candidate: Candidate): Promise<Outcome> => {
    // What is not begun when the process stops is due at once for another.
    if (runtime.stopping.aborted) return { candidate, step: atOnce(candidate) };
    try {
      const step = await examine(examiner, candidate);
      if (step.kind !== "verdict") return { candidate, step };
      const verdict = toVerdict(candidate, step, runtime.clock.now());
      const settlement = await settle(verdict);
      if (settlement === "settled") {
        count(verdict);
        onSettled();
      }
      return { candidate, settlement };
    } catch (error) {
      // Its lease brings it back, though not for ever; the others must not suffer.
      const { subjectId, txHash } = candidate;
      runtime.log.error({ err: error, chainId, subjectId, txHash }, "a hash could not be judged");
      return isGivenUp(candidate, runtime.clock.now(), false)
        ? { candidate, step: { kind: "abandon" } }
        : { candidate };
    }
  };

  const job = every({
    name: `verification on chain ${chainId}`,
    intervalMs,
    runtime,
    act: async () => {
      const now = runtime.clock.now();
      const due = await claimCandidates(pool, { chainId, now, leaseMs: LEASE_MS, max: pageMax });
      const outcomes = await inParallel(due, concurrency, lookAt);
      const after = runtime.clock.now();
      await rescheduleCandidates(
        pool,
        outcomes.flatMap((outcome) => laterOf(outcome, after)),
      );
      await abandonCandidates(
        pool,
        outcomes.flatMap((outcome) => (isOver(outcome) ? outcome.candidate.id : [])),
      );
      if (due.length === pageMax) job.wake();
    },
  });
  return job;
};

const atOnce = ({ misses, sender }: Candidate) =>
  ({ kind: "again", delayMs: 0, misses, sender }) as const;

interface Outcome {
  candidate: Candidate;
  step?: Exclude<Step, { kind: "verdict" }>;
  settlement?: Settlement;
}

const laterOf = ({ candidate, step, settlement }: Outcome, now: Date): Later[] => {
  const at = (delayMs: number) => new Date(now.getTime() + delayMs);
  const { id, misses, sender } = candidate;
  if (settlement === "contested") return [{ id, nextAt: at(CONTESTED_DELAY_MS), misses, sender }];
  if (step?.kind !== "again") return [];
  return [{ id, nextAt: at(step.delayMs), misses: step.misses, sender: step.sender }];
};

const isOver = ({ step, settlement }: Outcome): boolean =>
  step?.kind === "abandon" || settlement === "superseded";

const toVerdict = (
  candidate: Candidate,
  { finding, txHash, mined }: Extract<Step, { kind: "verdict" }>,
  now: Date,
): Verdict => {
  const { blockNumber, blockHash, facts } = mined;
  const { blockTime } = facts;
  const matching = transfersTo(candidate.claim, facts.transfers);
  return {
    candidate,
    reason: finding.outcome === "proven" ? undefined : finding.reason,
    facts: matching.map((transfer) => ({ ...transfer, blockNumber, blockHash, blockTime })),
    pays: finding.outcome === "proven" ? finding.pays : [],
    event: outboxRow(
      toVerdictEvent(candidate, finding, { txHash, blockNumber, blockTime, at: now }),
    ),
    judgedAt: now,
  };
};

const count = ({ candidate, reason, judgedAt }: Verdict): void => {
  const chain = candidate.chainId;
  verdictsTotal.inc({ chain, reason: reason ?? "none" });
  verdictSeconds.observe({ chain }, (judgedAt.getTime() - candidate.createdAt.getTime()) / 1_000);
};

const inParallel = async <T, R>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) results.push(await act(item));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
};
