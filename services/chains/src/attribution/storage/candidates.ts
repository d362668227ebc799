// Submitted hashes as rows.
import type { Queryable } from "@pay/database";
import * as sql from "../../generated/sql.ts";
import type { Submission } from "../domain/candidate.ts";

/** Returns how many of them have to be verified; the others are known already. */
export async function insertCandidates(
  db: Queryable,
  submissions: readonly Submission[],
  now: Date,
): Promise<number> {
  if (submissions.length === 0) return 0;
  return sql.storeSubmissions(db, { submissions: submissions.map(toRow), now });
}

function toRow({ claim, ...submission }: Submission, nth: number): sql.StoreSubmissionsSubmissions {
  const { otherPayers = [] } = claim;
  return {
    nth,
    subject_id: submission.subjectId,
    project_id: submission.projectId,
    mode: submission.mode,
    request_id: submission.requestId,
    chain_id: submission.chainId,
    tx_hash: submission.txHash,
    recipient: claim.recipient,
    currency: claim.currency,
    payer: claim.payer ?? null,
    other_payers: otherPayers.length === 0 ? null : otherPayers,
    payer_declared_at: submission.payerDeclaredAt ?? null,
    merchant_submitted: submission.merchantSubmitted,
    base_amount: claim.baseAmount,
    not_before: claim.notBefore,
    not_after: claim.notAfter ?? null,
    give_up_at: submission.giveUpAt,
    attempt: submission.attempt,
  };
}
