// The loop that verifies the due candidates of one chain. It leases them into a bounded queue, verifies a few
// transactions at a time, writes their verdicts and reschedules the rest. A slow transaction occupies one slot; after
// a crash candidates are due again when their lease has run out.
import { createBatcher } from "@pay/batching";
import { every, type Job, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { type Candidate, isGivenUp } from "../attribution/domain/candidate.ts";
import {
  type VerdictBatch,
  type VerdictWrite,
  writeVerdicts,
} from "../attribution/storage/verdicts.ts";
import { verdictSeconds, verdictsRepeatedTotal, verdictsTotal } from "../metrics.ts";
import { leaseCandidates } from "./storage/due-candidates.ts";
import { toBatch } from "./verdict-batch.ts";
import type { CandidateGroup, NextAction, Verifier } from "./verifier.ts";
import { verifySubmission } from "./verify-submission.ts";
import { writeActions } from "./write-actions.ts";

const LEASE_MS = 60_000;
const QUEUED_PER_SLOT = 8;
/** After an error of our own, e.g. while the database fails over. */
const FAULT_DELAY_MS = 1_000;
/** A batch that lost a race is decided again at once, on the remaining transfers. */
const CONFLICT_DELAY_MS = 50;

export interface VerifyOptions {
  verifier: Verifier;
  pool: Pool;
  runtime: Runtime;
  intervalMs: number;
  concurrency: number;
  /** Called when verdicts are written, so that the relay publishes them at once. */
  onWritten: () => void;
}

export function startVerifying(options: VerifyOptions): Job {
  const { verifier, pool, runtime, intervalMs, concurrency } = options;
  const { chainId } = verifier.chain;
  const verifyAndSchedule = createGroupVerifier(options);
  const queuedMax = concurrency * QUEUED_PER_SLOT;
  const queue: CandidateGroup[] = [];
  let queued = 0;
  const running = new Set<Promise<void>>();

  /** Fills the free slots from the queue and requests more once it is empty. */
  function start() {
    while (running.size < concurrency) {
      const group = queue.shift();
      if (group === undefined) return;
      queued -= group.length;
      const run = verifyAndSchedule(group).finally(() => {
        running.delete(run);
        if (queue.length === 0) job.wake();
        start();
      });
      running.add(run);
    }
  }

  // Stops after the job below, which starts them.
  runtime.onStop(`verifications on chain ${chainId}`, async () => {
    while (running.size > 0) await Promise.all(running);
  });
  const job = every({
    name: `verification on chain ${chainId}`,
    intervalMs,
    runtime,
    act: async () => {
      // A process that stops leases nothing: it would be due elsewhere only after the lease.
      if (runtime.stopping.aborted) return;
      const now = runtime.clock.now();
      const max = queuedMax - queued;
      if (max === 0) return;
      const due = await leaseCandidates(pool, { chainId, now, leaseMs: LEASE_MS, max });
      queued += due.length;
      queue.push(...splitGroups(due));
      start();
    },
  });
  return job;
}

/** Verifies a group and writes the result; several groups share a statement. */
function createGroupVerifier({ verifier, pool, runtime, onWritten }: VerifyOptions) {
  const { chainId } = verifier.chain;
  const reschedule = createBatcher(async (lists: NextAction[][]) => {
    await writeActions(pool, lists.flat(), runtime);
    return lists.map(() => true);
  });
  const write = createBatcher((batches: VerdictBatch[]) => writeVerdicts(pool, batches));

  async function verify(group: CandidateGroup): Promise<NextAction[]> {
    const verification = await verifySubmission(verifier, group);
    const { actions, verdicts } = verification;
    if (verdicts.length === 0) return actions;
    const batch = toBatch(verification, runtime.clock.now());
    if (await write(batch)) {
      for (const one of batch.verdicts) count(one, batch.judgedAt);
      onWritten();
      return actions;
    }
    verdictsRepeatedTotal.inc({ chain: chainId });
    runtime.log.debug(
      { chainId, txHash: group[0].txHash },
      "verdicts are decided again after a conflict",
    );
    return group.map((candidate) => retryLater(candidate, CONFLICT_DELAY_MS));
  }

  /** They are due again soon, until their time is over. */
  function handleFault(group: CandidateGroup, error: unknown): NextAction[] {
    const { txHash } = group[0];
    const subjectIds = group.map(({ subjectId }) => subjectId);
    runtime.log.error({ err: error, chainId, subjectIds, txHash }, "a hash could not be verified");
    const now = runtime.clock.now();
    return group.map((candidate) =>
      isGivenUp(candidate, now, false)
        ? { kind: "abandon", candidate }
        : retryLater(candidate, FAULT_DELAY_MS),
    );
  }

  async function findActions(group: CandidateGroup): Promise<NextAction[]> {
    // When the process stops, candidates in the queue are due at once for another process.
    if (runtime.stopping.aborted) return group.map((candidate) => retryLater(candidate, 0));
    try {
      return await verify(group);
    } catch (error) {
      return handleFault(group, error);
    }
  }

  return async (group: CandidateGroup): Promise<void> => {
    try {
      const actions = await findActions(group);
      if (actions.length > 0) await reschedule(actions);
    } catch (error) {
      // The lease makes them due again.
      runtime.log.error({ err: error, chainId }, "hashes could not be scheduled");
    }
  };
}

/** Candidates that one reading of a transaction decides together. */
function splitGroups(candidates: readonly Candidate[]): CandidateGroup[] {
  const groups = new Map<string, [Candidate, ...Candidate[]]>();
  for (const candidate of candidates) {
    const { projectId, mode, txHash, claim } = candidate;
    const key = [projectId, mode, txHash, claim.recipient, claim.currency].join(" ");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  return [...groups.values()];
}

function retryLater(candidate: Candidate, delayMs: number): NextAction {
  const { misses, sender, firstSeenAt } = candidate;
  return {
    kind: "retry" as const,
    candidate,
    delayMs,
    misses,
    sender,
    firstSeenAt,
    evidence: undefined,
  };
}

function count({ candidate, verdict }: VerdictWrite, judgedAt: Date): void {
  const chain = candidate.chainId;
  const { outcome } = verdict;
  const reason = outcome === "refuted" ? verdict.reason : outcome === "proven" ? "none" : outcome;
  verdictsTotal.inc({ chain, reason });
  verdictSeconds.observe({ chain }, (judgedAt.getTime() - candidate.createdAt.getTime()) / 1_000);
}
