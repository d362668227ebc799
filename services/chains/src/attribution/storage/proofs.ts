// The stored proof of a payment or a refund. A subject that is submitted again after it was proven has lost the event
// or never acted on it, so the event is published once more, for the newer attempt. A payment whose merchant accepts
// late money could not take what came on top of its proof either, so that is published again after the proof.
import { appendOutbox, outboxRow } from "@pay/events";
import { isId, toAddress, toAmount, toTxHash } from "@pay/values";
import type { ClientBase } from "pg";
import * as sql from "../../generated/sql.ts";
import type { Submission } from "../domain/candidate.ts";
import { toVerdictEvent } from "../observations.ts";
import { toCandidate } from "./rows.ts";

/** Returns how many proofs were published again. */
export async function repeatProofs(
  db: ClientBase,
  submissions: readonly Submission[],
  now: Date,
): Promise<number> {
  if (submissions.length === 0) return 0;
  const rows = await sql.renewProofs(db, {
    submissions: submissions.map((submission) => ({
      subject_id: submission.subjectId,
      project_id: submission.projectId,
      mode: submission.mode,
      attempt: submission.attempt,
      request_id: submission.requestId,
      accepts_surplus: isPayment(submission) && submission.claim.notAfter === undefined,
    })),
  });
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
