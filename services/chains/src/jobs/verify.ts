// The loop that verifies the candidates that are due on one chain. A round claims a page under a lease, verifies a few
// transactions at a time, writes their verdicts at once and reschedules the rest. Chains do not wait for each other; a
// crash anywhere leaves candidates that are due again when their lease has run out.
import { createBatcher } from "@pay/batching";
import { outboxRow } from "@pay/events";
import { every, type Job, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { type Candidate, isGivenUp } from "../domain/candidate.ts";
import { transfersTo } from "../domain/claim.ts";
import { toVerdictEvent } from "../messages.ts";
import {
  abandonedTotal,
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
const PAGE_PER_SLOT = 8;
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
  const pageMax = concurrency * PAGE_PER_SLOT;
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
      // The lease makes it due again, until its time is over; the other candidates go on.
      const { txHash } = group[0];
      const subjectIds = group.map(({ subjectId }) => subjectId);
      runtime.log.error(
        { err: error, chainId, subjectIds, txHash },
        "a hash could not be verified",
      );
      const now = runtime.clock.now();
      return group.flatMap((candidate) =>
        isGivenUp(candidate, now, false) ? { kind: "abandon", candidate } : [],
      );
    }
  }

  const job = every({
    name: `verification on chain ${chainId}`,
    intervalMs,
    runtime,
    act: async () => {
      const now = runtime.clock.now();
      const due = await claimCandidates(pool, { chainId, now, leaseMs: LEASE_MS, max: pageMax });
      const actions = (await inParallel(groupsOf(due), concurrency, verifyGroup)).flat();
      await writeActions(pool, actions, runtime);
      if (due.length === pageMax) job.wake();
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
  return { kind: "retry", candidate, delayMs, misses, sender, firstSeenAt };
}

async function writeActions(pool: Pool, actions: readonly NextAction[], { clock, log }: Runtime) {
  const now = clock.now().getTime();
  await rescheduleCandidates(
    pool,
    actions.flatMap((action) => {
      if (action.kind !== "retry") return [];
      return { ...action, nextAt: new Date(now + action.delayMs) };
    }),
  );
  const over = actions.flatMap((action) => (action.kind === "abandon" ? action.candidate : []));
  await abandonCandidates(pool, over);
  abandonedTotal.inc(over.length);
  for (const { subjectId, chainId, txHash } of over) {
    log.info({ subjectId, chainId, txHash }, "a hash was given up: no provider has found it");
  }
}

function toBatch({ verdicts, seen }: Verification, now: Date): VerdictBatch {
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
  };
}

/**
 * No one submitted a found hash, so that it does not pay fails nothing, unless it had confirmed the payment; that money
 * came too late is reported.
 */
function isPublished({ candidate, verdict }: CandidateVerdict): boolean {
  const { found, reorgedAt } = candidate;
  if (!found || reorgedAt !== undefined) return true;
  return verdict.outcome !== "refuted" || verdict.reason === "late";
}

function count({ candidate, verdict }: VerdictWrite, judgedAt: Date): void {
  const chain = candidate.chainId;
  const { outcome } = verdict;
  const reason = outcome === "refuted" ? verdict.reason : outcome === "proven" ? "none" : outcome;
  verdictsTotal.inc({ chain, reason });
  verdictSeconds.observe({ chain }, (judgedAt.getTime() - candidate.createdAt.getTime()) / 1_000);
}

async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const rest = items.values();
  async function worker() {
    for (const item of rest) results.push(await act(item));
  }

  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
