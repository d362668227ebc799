// Candidates across tenants, as the verification of a chain needs them. A lease moves the due time forward, so no
// lock is held while providers are called, and candidates of a crashed process become due again by themselves.
import { eventRow, type OutboxRow } from "@pay/events";
import type { ChainId, Needs } from "@pay/values";
import type { Pool } from "pg";
import { type Candidate, MISSES_MIN, type Sender } from "../../attribution/domain/candidate.ts";
import type { Evidence } from "../../attribution/domain/evidence.ts";
import { toCandidate } from "../../attribution/storage/rows.ts";
import * as sql from "../../generated/sql.ts";

/** Leases candidates that are due. */
export async function leaseCandidates(
  pool: Pool,
  { chainId, now, leaseMs, max }: { chainId: ChainId; now: Date; leaseMs: number; max: number },
): Promise<Candidate[]> {
  const leasedUntil = new Date(now.getTime() + leaseMs);
  const rows = await sql.leaseDueCandidates(pool, { chainId, now, leasedUntil, max });
  return rows.map(toCandidate);
}

export interface Later {
  candidate: Pick<Candidate, "projectId" | "id" | "attempt">;
  nextAt: Date;
  misses: number;
  sender: Sender | undefined;
  firstSeenAt: Date | undefined;
  /** Undefined where it was not looked at. */
  evidence: Evidence | undefined;
  /** What it needs from now on; undefined where that is as before. */
  needs: { needs: Needs | undefined; turn: number } | undefined;
  /** Written with it. */
  events: readonly OutboxRow[];
}

/** Events are written in the same statement. */
export async function rescheduleCandidates(
  pool: Pool,
  later: readonly Later[],
  now: Date,
): Promise<void> {
  if (later.length === 0) return;
  const events = later.flatMap(({ candidate, events }) =>
    events.map((event) => ({ candidate_id: candidate.id, ...eventRow(event) })),
  );
  await sql.storeLooks(pool, { looks: later.map(toRow), events, now, missesMin: MISSES_MIN });
}

function toRow({ candidate, sender, evidence, needs, ...look }: Later): sql.StoreLooksLooks {
  return {
    id: candidate.id,
    project_id: candidate.projectId,
    attempt: candidate.attempt,
    next_at: look.nextAt,
    misses: look.misses,
    sender: sender?.address ?? null,
    nonce: sender?.nonce ?? null,
    seen_block: sender?.seenBlock ?? null,
    first_seen_at: look.firstSeenAt ?? null,
    waits_for: evidence?.waitsFor ?? null,
    mined_block: evidence?.minedBlock ?? null,
    chain_head: evidence?.chainHead ?? null,
    agreeing: evidence?.agreeing ?? null,
    contradicting: evidence?.contradicting ?? null,
    needs: needs?.needs ?? null,
    needs_turn: needs?.turn ?? null,
  };
}

/** Other transactions may pay their payments then. */
export async function abandonCandidates(
  pool: Pool,
  candidates: readonly Candidate[],
): Promise<void> {
  if (candidates.length === 0) return;
  await sql.abandonCandidates(pool, {
    candidates: candidates.map(({ projectId, id, attempt, subjectId }) => ({
      project_id: projectId,
      id,
      attempt,
      subject_id: subjectId,
    })),
  });
}
