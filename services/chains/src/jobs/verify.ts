// The loop that verifies the candidates that are due on one chain. It claims them under a lease into a bounded queue, verifies
// a few transactions at a time, writes their verdicts at once and reschedules the rest. A transaction that is slow to
// verify keeps one place of them and delays no other; a crash anywhere leaves candidates that are due again when their
// lease has run out.
import { createBatcher } from "@pay/batching";
import { outboxRow } from "@pay/events";
import { every, type Job, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { type Candidate, isGivenUp, isUnprovenEventDue } from "../domain/candidate.ts";
import { transfersTo } from "../domain/claim.ts";
import { needsAfter, waitsForProof } from "../domain/evidence.ts";
import { toNeedsEvent, toUnprovenEvent, toVerdictEvent } from "../messages.ts";
import {
  abandonedTotal,
  unprovenInTimeTotal,
  verdictSeconds,
  verdictsRepeatedTotal,
  verdictsTotal,
} from "../metrics.ts";
import { abandonCandidates, claimCandidates, rescheduleCandidates } from "../storage/internal.ts";
import { type VerdictBatch, type VerdictWrite, writeVerdicts } from "../storage/verdicts.ts";
import type {
  CandidateGroup,
  CandidateVerdict,
  NextAction,
  Verification,
  Verifier,
} from "../verification/verifier.ts";
import { verifySubmission } from "../verification/verify-submission.ts";

const LEASE_MS = 60_000;
const QUEUED_PER_SLOT = 8;
/** After an error of our own, e.g. while the database fails over. */
const FAULT_DELAY_MS = 1_000;
/** A batch that lost a race is decided again at once, on the transfers that the winner left. */
const CONTESTED_DELAY_MS = 50;

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
  const { verifier, pool, runtime, intervalMs, concurrency, onWritten } = options;
  const { chainId } = verifier.chain;
  const queuedMax = concurrency * QUEUED_PER_SLOT;
  const queue: CandidateGroup[] = [];
  let queued = 0;
  const running = new Set<Promise<void>>();
  const reschedule = createBatcher(async (lists: NextAction[][]) => {
    await writeActions(pool, lists.flat(), runtime);
    return lists.map(() => true);
  });
  const write = createBatcher((batches: VerdictBatch[]) => writeVerdicts(pool, batches));

  async function verifyGroup(group: CandidateGroup): Promise<NextAction[]> {
    // Candidates that are not begun when the process stops are due at once for another process.
    if (runtime.stopping.aborted) return group.map((candidate) => later(candidate, 0));
    try {
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
      runtime.log.debug({ chainId, txHash: group[0].txHash }, "verdicts are decided again");
      return group.map((candidate) => later(candidate, CONTESTED_DELAY_MS));
    } catch (error) {
      // It is due again soon, until its time is over; the other candidates go on.
      const { txHash } = group[0];
      const subjectIds = group.map(({ subjectId }) => subjectId);
      runtime.log.error(
        { err: error, chainId, subjectIds, txHash },
        "a hash could not be verified",
      );
      const now = runtime.clock.now();
      return group.map((candidate) =>
        isGivenUp(candidate, now, false)
          ? { kind: "abandon", candidate }
          : later(candidate, FAULT_DELAY_MS),
      );
    }
  }

  async function verifyAndSchedule(group: CandidateGroup): Promise<void> {
    try {
      const actions = await verifyGroup(group);
      if (actions.length > 0) await reschedule(actions);
    } catch (error) {
      // The lease makes them due again.
      runtime.log.error({ err: error, chainId }, "hashes could not be scheduled");
    }
  }

  /** Fills the free places from the queue; asks for more once the queue is empty. */
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

  // Stops after the job below, which begins them.
  runtime.onStop(`verifications on chain ${chainId}`, async () => {
    while (running.size > 0) await Promise.all(running);
  });
  const job = every({
    name: `verification on chain ${chainId}`,
    intervalMs,
    runtime,
    act: async () => {
      // What a process that stops has claimed is due for another one only when the lease has run out.
      if (runtime.stopping.aborted) return;
      const now = runtime.clock.now();
      const max = queuedMax - queued;
      if (max === 0) return;
      const due = await claimCandidates(pool, { chainId, now, leaseMs: LEASE_MS, max });
      queued += due.length;
      queue.push(...groupsOf(due));
      start();
    },
  });
  return job;
}

/** Candidates that one reading of a transaction decides together. */
function groupsOf(candidates: readonly Candidate[]): CandidateGroup[] {
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

function later(candidate: Candidate, delayMs: number): NextAction {
  const { misses, sender, firstSeenAt } = candidate;
  return {
    ...{ kind: "retry" as const, candidate, delayMs, misses, sender, firstSeenAt },
    evidence: undefined,
  };
}

/**
 * A payment does not expire while its transaction is in a block, so payments get one event when that matters. Of a claim that is
 * held they know what it needs.
 */
function unprovenEventOf({ candidate, evidence }: NextAction & { kind: "retry" }, now: Date) {
  const { waitsFor, minedBlock } = evidence ?? {};
  if (minedBlock === undefined || !waitsForProof(waitsFor) || waitsFor === "signature") {
    return undefined;
  }
  if (!isUnprovenEventDue(candidate, now)) return undefined;
  unprovenInTimeTotal.inc({ chain: candidate.chainId });
  return outboxRow(toUnprovenEvent(candidate, minedBlock, now));
}

/** What the hash needs from now on, where that is something else than before. */
function needsOf({ candidate, evidence }: NextAction & { kind: "retry" }) {
  const { waitsFor, paidBy } = evidence ?? {};
  if (waitsFor === undefined) return undefined;
  const needs = needsAfter(candidate.needs, waitsFor);
  return needs === candidate.needs ? undefined : { needs, turn: candidate.needsTurn + 1, paidBy };
}

function eventsOf(action: NextAction & { kind: "retry" }, now: Date) {
  const needs = needsOf(action);
  const unproven = unprovenEventOf(action, now);
  const said = needs && outboxRow(toNeedsEvent(action.candidate, needs, now));
  return [unproven, said].filter((event) => event !== undefined);
}

async function writeActions(pool: Pool, actions: readonly NextAction[], { clock, log }: Runtime) {
  const now = clock.now();
  await rescheduleCandidates(
    pool,
    actions.flatMap((action) => {
      if (action.kind !== "retry") return [];
      const nextAt = new Date(now.getTime() + action.delayMs);
      return { ...action, nextAt, needs: needsOf(action), events: eventsOf(action, now) };
    }),
    now,
  );
  const over = actions.flatMap((action) => (action.kind === "abandon" ? action.candidate : []));
  await abandonCandidates(pool, over);
  abandonedTotal.inc(over.length);
  for (const { subjectId, chainId, txHash } of over) {
    log.info({ subjectId, chainId, txHash }, "a hash was given up: no provider has found it");
  }
}

function toBatch({ verdicts, seen, evidence }: Verification, now: Date): VerdictBatch {
  const [first] = verdicts;
  const place = seen && {
    ...{ blockNumber: seen.mined.blockNumber, blockHash: seen.mined.blockHash },
    blockTime: seen.mined.facts.blockTime,
  };
  const sighting = seen && place && { txHash: seen.txHash, ...place };
  const matching =
    seen && first ? transfersTo(first.candidate.claim, seen.mined.facts.transfers) : [];
  return {
    txHash: seen?.txHash,
    verdicts: verdicts.map((one) => ({
      ...one,
      event: isPublished(one)
        ? outboxRow(toVerdictEvent(one.candidate, one.verdict, { seen: sighting, at: now }))
        : undefined,
    })),
    facts: place ? matching.map((transfer) => ({ ...transfer, ...place })) : [],
    judgedAt: now,
    evidence,
  };
}

/**
 * No one submitted a found hash, so that it does not pay fails nothing, unless it had confirmed the payment or its payer was
 * asked for something; that money came too late is reported.
 */
function isPublished({ candidate, verdict }: CandidateVerdict): boolean {
  const { found, reorgedAt, needs } = candidate;
  if (!found || reorgedAt !== undefined || needs !== undefined) return true;
  return verdict.outcome !== "refuted" || verdict.reason === "late";
}

function count({ candidate, verdict }: VerdictWrite, judgedAt: Date): void {
  const chain = candidate.chainId;
  const { outcome } = verdict;
  const reason = outcome === "refuted" ? verdict.reason : outcome === "proven" ? "none" : outcome;
  verdictsTotal.inc({ chain, reason });
  verdictSeconds.observe({ chain }, (judgedAt.getTime() - candidate.createdAt.getTime()) / 1_000);
}
