// Proofs whose block is not in the chain any more. A payment that stood on one is not confirmed any more: its hashes are
// verified again, also those that had only added to it, because one of them may prove it now.
import { appendOutbox, outboxRow } from "@pay/events";
import type { PoolClient } from "pg";
import { toUnseenEvent } from "../messages.ts";
import { type CandidateRow, toCandidate } from "./rows.ts";

const WAIT_MS = 60 * 60_000;

// In the order of ids, like verdicts, so that two writers wait for each other and no more.
const LOCK = {
  name: "lock-reorged-candidates",
  text: `
    select * from candidates where state in ('confirmed', 'surplus') and subject_id in (
      select c.subject_id from transfers t
        join allocations a on a.transfer_id = t.id join candidates c on c.id = a.candidate_id
      where t.chain_id = $1 and t.status = 'orphaned' and c.state = 'confirmed' and starts_with(c.subject_id, 'pay_'))
    order by id for update`,
};

const TAKE_BACK = {
  name: "take-proofs-back",
  text: `
    with freed as (
      delete from allocations where candidate_id = any($1::bigint[])
    )
    update candidates set
      epoch = epoch + 1, state = 'waiting', reason = null, judged_at = null, proving_tx_hash = null,
      next_at = $2::timestamptz, misses = 0,
      reorged_at = case when state = 'confirmed' then $2::timestamptz else reorged_at end,
      give_up_at = $2::timestamptz + $3 * interval '1 millisecond'
    where id = any($1::bigint[])`,
};

/** Takes back what stands on orphaned transfers of the chain; answers the payments. */
export async function takeBackProofs(
  tx: PoolClient,
  { chainId, now }: { chainId: number; now: Date },
): Promise<string[]> {
  type Row = CandidateRow & { state: string; proving_tx_hash: string | null };
  const { rows } = await tx.query<Row>({ ...LOCK, values: [chainId] });
  if (rows.length === 0) return [];
  await tx.query({ ...TAKE_BACK, values: [rows.map(({ id }) => id), now, WAIT_MS] });
  const proofs = rows.filter(({ state }) => state === "confirmed");
  await appendOutbox(
    tx,
    proofs.map((row) =>
      outboxRow(toUnseenEvent(toCandidate(row), row.proving_tx_hash ?? row.tx_hash, now)),
    ),
  );
  return proofs.map(({ subject_id }) => subject_id);
}
