// The verdicts of one transaction are one statement: its transfers, the subjects that these pay, the ends of the
// candidates and the events. A batch is written as a whole or not at all, because its verdicts depend on each other:
// not when a candidate was submitted again or got its verdict meanwhile, not when another hash of one of the subjects
// got a verdict meanwhile, and not when the key of the allocations shows that a transfer was taken. A batch that was
// not written leaves nothing but transfers, and is decided again on the transfers that are left.
import { getConstraint, getSqlState } from "@pay/database";
import { eventRow, type OutboxRow } from "@pay/events";
import type { TxHash } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { Candidate } from "../domain/candidate.ts";
import type { FinalVerdict } from "../domain/claim.ts";
import type { Evidence } from "../domain/evidence.ts";
import { type SettledTransfer, toTransferRow } from "./rows.ts";

export interface VerdictWrite {
  candidate: Candidate;
  /** How many hashes of the subject had their verdict; undefined where that does not matter. */
  judgedHashes: number | undefined;
  verdict: FinalVerdict;
  /** Undefined where the verdict concerns no one else: a found part that is not enough moves nothing. */
  event: OutboxRow | undefined;
}

export interface VerdictBatch {
  verdicts: readonly VerdictWrite[];
  /** Undefined where no transaction was found. */
  txHash: TxHash | undefined;
  facts: readonly SettledTransfer[];
  evidence: Evidence;
  judgedAt: Date;
}

const LOST: ReadonlySet<string | undefined> = new Set(["allocations_pkey", "candidates_confirmed"]);
const DEADLOCK = "40P01";

/** Returns for each batch whether it was written; one that was not has to be decided again. */
export async function writeVerdicts(
  pool: Pool,
  batches: readonly VerdictBatch[],
): Promise<boolean[]> {
  const written = new Map<VerdictBatch, boolean>();
  for (const apart of bySubject(batches)) {
    const done = await writeApart(pool, apart);
    for (const [index, batch] of apart.entries()) written.set(batch, done[index] === true);
  }
  return batches.map((batch) => written.get(batch) === true);
}

/** Two batches about one subject must not share a statement: neither would see the other. */
function bySubject(batches: readonly VerdictBatch[]): VerdictBatch[][] {
  const lists: { batches: VerdictBatch[]; subjects: Set<string> }[] = [];
  for (const batch of batches) {
    const ids = batch.verdicts.map(({ candidate }) =>
      [candidate.projectId, candidate.mode, candidate.subjectId].join(" "),
    );
    const list = lists.find(({ subjects }) => !ids.some((id) => subjects.has(id)));
    if (list === undefined) lists.push({ batches: [batch], subjects: new Set(ids) });
    else {
      list.batches.push(batch);
      for (const id of ids) list.subjects.add(id);
    }
  }
  return lists.map((list) => list.batches);
}

async function writeApart(pool: Pool, batches: readonly VerdictBatch[]): Promise<boolean[]> {
  try {
    const rows = await sql.settleVerdicts(pool, toInput(batches));
    const judged = new Set(rows.map(({ id }) => id));
    return batches.map(({ verdicts }) =>
      verdicts.every(({ candidate }) => judged.has(candidate.id)),
    );
  } catch (error) {
    if (!LOST.has(getConstraint(error)) && getSqlState(error) !== DEADLOCK) throw error;
    if (batches.length === 1) return [false];
    const written: boolean[] = [];
    for (const batch of batches) written.push(...(await writeApart(pool, [batch])));
    return written;
  }
}

const STATES = { proven: "confirmed", surplus: "surplus", refuted: "rejected" } as const;

function toInput(batches: readonly VerdictBatch[]) {
  return {
    verdicts: batches.flatMap((batch, nth) =>
      batch.verdicts.map((write) => toVerdictRow(write, batch, nth)),
    ),
    transfers: batches.flatMap(({ verdicts: [first], facts }) =>
      first === undefined
        ? []
        : facts.map((fact) => ({ chain_id: first.candidate.chainId, ...toTransferRow(fact) })),
    ),
    pays: batches.flatMap(({ verdicts }) => verdicts.flatMap(toPaysRows)),
    events: batches.flatMap(({ verdicts }) =>
      verdicts.flatMap(({ candidate, event }) =>
        event === undefined ? [] : [{ candidate_id: candidate.id, ...eventRow(event) }],
      ),
    ),
  };
}

function toVerdictRow(
  { candidate, judgedHashes, verdict }: VerdictWrite,
  { txHash, judgedAt, evidence }: VerdictBatch,
  batch: number,
): sql.SettleVerdictsVerdicts {
  return {
    batch,
    id: candidate.id,
    project_id: candidate.projectId,
    mode: candidate.mode,
    subject_id: candidate.subjectId,
    attempt: candidate.attempt,
    judged_hashes: judgedHashes ?? null,
    state: STATES[verdict.outcome],
    reason: verdict.outcome === "refuted" ? verdict.reason : null,
    proving_tx_hash: verdict.outcome === "proven" ? (txHash ?? null) : null,
    judged_at: judgedAt,
    mined_block: evidence.minedBlock ?? null,
    chain_head: evidence.chainHead ?? null,
    agreeing: evidence.agreeing ?? null,
    contradicting: evidence.contradicting ?? null,
  };
}

function toPaysRows({ candidate, verdict }: VerdictWrite): sql.SettleVerdictsPays[] {
  return ("pays" in verdict ? verdict.pays : []).map(({ txHash, kind, ordinal }) => ({
    candidate_id: candidate.id,
    chain_id: candidate.chainId,
    tx_hash: txHash,
    kind,
    ordinal,
  }));
}
