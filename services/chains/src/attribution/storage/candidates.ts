// SQL of submitted hashes.
import type { Address } from "@pay/values";
import type { ClientBase, Pool } from "pg";
import type { Submission } from "../domain/candidate.ts";

const SUBMISSION_COLUMNS = {
  subject_id: "text",
  project_id: "text",
  mode: "smallint",
  request_id: "text",
  chain_id: "bigint",
  tx_hash: "text",
  recipient: "text",
  currency: "text",
  payer: "text",
  payer_declared_at: "timestamptz",
  merchant_submitted: "boolean",
  base_amount: "numeric",
  not_before: "timestamptz",
  not_after: "timestamptz",
  give_up_at: "timestamptz",
  attempt: "integer",
  other_payers: "jsonb",
} as const;
const NAMES = Object.keys(SUBMISSION_COLUMNS);
const PARAMETERS = Object.values(SUBMISSION_COLUMNS).map((type, at) => `$${at + 1}::${type}[]`);

// A hash that comes again with a newer version of its subject is verified again; a repeat of the same version changes
// nothing. A hash that has paid its subject is never verified again. Of equal claims the first may win, so ids are given in the
// order of the events, of which one batch may bring several. What was found is named by payments only when it answers, so
// it takes the place of that event.
const INSERT = {
  name: "insert-candidates",
  text: `
    insert into candidates (${NAMES.join(", ")}, next_at, created_at)
    select ${NAMES.join(", ")}, $${NAMES.length + 1}, $${NAMES.length + 1}
    from (
      select distinct on (project_id, mode, subject_id, tx_hash) *,
        min(event) over (partition by project_id, mode, subject_id, tx_hash) as named
      from unnest(${PARAMETERS.join(", ")}) with ordinality as s (${NAMES.join(", ")}, event)
      order by project_id, mode, subject_id, tx_hash, attempt desc) latest
    order by named
    on conflict (project_id, mode, subject_id, tx_hash) do update set
      payer = excluded.payer, other_payers = excluded.other_payers, not_after = excluded.not_after, payer_declared_at = excluded.payer_declared_at,
      merchant_submitted = candidates.merchant_submitted or excluded.merchant_submitted,
      request_id = excluded.request_id,
      give_up_at = case when candidates.reorged_at is null then excluded.give_up_at else candidates.give_up_at end,
      attempt = excluded.attempt, state = 'waiting', reason = null, judged_at = null, found = false,
      asked_at = case when candidates.found then candidates.asked_at end,
      created_at = case when candidates.found then excluded.created_at else candidates.created_at end,
      named_order = case when candidates.found then excluded.id else candidates.named_order end,
      next_at = excluded.next_at, misses = 0
    where candidates.attempt < excluded.attempt and candidates.state not in ('confirmed', 'surplus')`,
};

/** Null for none: pg would write a list as an array of its own kind. */
function toJson(payers: readonly Address[] = []): string | null {
  return payers.length === 0 ? null : JSON.stringify(payers);
}

/** Answers how many of them have to be verified; the others are known already. */
export async function insertCandidates(
  db: Pool | ClientBase,
  submissions: readonly Submission[],
  now: Date,
): Promise<number> {
  if (submissions.length === 0) return 0;
  const rows = submissions.map(({ claim, ...submission }) => [
    submission.subjectId,
    submission.projectId,
    submission.mode,
    submission.requestId,
    submission.chainId,
    submission.txHash,
    claim.recipient,
    claim.currency,
    claim.payer ?? null,
    submission.payerDeclaredAt ?? null,
    submission.merchantSubmitted,
    claim.baseAmount.toString(),
    claim.notBefore,
    claim.notAfter ?? null,
    submission.giveUpAt,
    submission.attempt,
    toJson(claim.otherPayers),
  ]);
  const columns = NAMES.map((_, at) => rows.map((row) => row[at]));
  const { rowCount } = await db.query({ ...INSERT, values: [...columns, now] });
  return rowCount ?? 0;
}
