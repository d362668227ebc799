// The stored proof of a payment or a refund. A subject that is submitted again after it was proven has lost the event or
// never acted on it, so the event is published once more, for the newer attempt. A payment whose merchant accepts late money
// could not take what came on top of its proof either, so that is published again after the proof.
import { appendOutbox, outboxRow } from "@pay/events";
import { isId, toAddress, toAmount, toTxHash } from "@pay/values";
import type { ClientBase } from "pg";
import type { Submission } from "../domain/candidate.ts";
import { toVerdictEvent } from "../observations.ts";
import { type CandidateRow, toCandidate } from "./rows.ts";

// The attempt is what makes the event a new one, and it moves once only.
const RENEW = {
  name: "renew-proofs",
  text: `
    with named as (
      select distinct on (project_id, mode, subject_id) *
      from unnest($1::text[], $2::integer[], $3::text[], $4::boolean[], $5::text[], $6::smallint[])
        as n (subject_id, attempt, request_id, accepted, project_id, mode)
      order by project_id, mode, subject_id, attempt desc
    ), renewed as (
      update candidates c set attempt = n.attempt, request_id = n.request_id from named n
      where c.project_id = n.project_id and c.mode = n.mode and c.subject_id = n.subject_id and c.attempt < n.attempt
        and (c.state = 'confirmed' or c.state = 'surplus' and n.accepted)
      returning c.*
    )
    select r.*, paid.received, proof.*
    from renewed r cross join lateral (
      select sum(t.value) as received
      from allocations a join transfers t on t.id = a.transfer_id where a.candidate_id = r.id
    ) paid cross join lateral (
      select t.tx_hash as proof_tx_hash, t.block_number, t.block_time, t.sender as paid_by
      from allocations a join transfers t on t.id = a.transfer_id where a.candidate_id = r.id
      order by t.tx_hash = coalesce(r.proving_tx_hash, r.tx_hash) desc, t.value desc, t.ordinal limit 1
    ) proof
    order by r.subject_id, r.state, r.id`,
};

interface ProofRow extends CandidateRow {
  state: string;
  received: string;
  proof_tx_hash: string;
  block_number: string;
  block_time: Date;
  paid_by: string;
}

/** Answers how many proofs were published again. */
export async function repeatProofs(
  db: ClientBase,
  submissions: readonly Submission[],
  now: Date,
): Promise<number> {
  if (submissions.length === 0) return 0;
  const values = [
    submissions.map(({ subjectId }) => subjectId),
    submissions.map(({ attempt }) => attempt),
    submissions.map(({ requestId }) => requestId),
    submissions.map(
      (submission) => isPayment(submission) && submission.claim.notAfter === undefined,
    ),
    submissions.map(({ projectId }) => projectId),
    submissions.map(({ mode }) => mode),
  ];
  const { rows } = await db.query<ProofRow>({ ...RENEW, values });
  await appendOutbox(
    db,
    rows.map((row) => {
      const verdict = {
        outcome: row.state === "surplus" ? ("surplus" as const) : ("proven" as const),
        received: toAmount(row.received),
        sender: toAddress(row.paid_by),
      };
      const seen = {
        txHash: toTxHash(row.proof_tx_hash),
        blockTime: row.block_time,
        blockNumber: Number(row.block_number),
      };
      return outboxRow(toVerdictEvent(toCandidate(row), verdict, { seen, at: now }));
    }),
  );
  return rows.length;
}

function isPayment({ subjectId }: Submission): boolean {
  return isId("pay", subjectId);
}
