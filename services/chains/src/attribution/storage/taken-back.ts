// SQL of proofs whose blocks are not in the chain any more. A payment that stood on one is not confirmed any more: its hashes
// are verified again, also those that had only added to it, because one of them may prove it now. What had only added to a
// payment is taken back alone: the payment stays as it is, with less money.
import { appendOutbox, outboxRow } from "@pay/events";
import { type ChainId, toAmount, toTxHash } from "@pay/values";
import type { PoolClient } from "pg";
import { toUnseenEvent } from "../observations.ts";
import { type CandidateRow, toCandidate } from "./rows.ts";

const REORGED_WAIT_MS = 60 * 60_000;

// In the order of ids, like verdicts, so that two writers wait for each other and no more.
const LOCK = {
  name: "lock-reorged-candidates",
  text: `
    with gone as (
      select distinct c.project_id, c.id, c.mode, c.subject_id, c.state from transfers t
        join allocations a on a.transfer_id = t.id
        join candidates c on c.project_id = a.project_id and c.id = a.candidate_id
      where t.chain_id = $1 and t.status = 'orphaned' and c.state in ('confirmed', 'surplus') and starts_with(c.subject_id, 'pay_')
    )
    select c.*, (
      select sum(t.value) from allocations a join transfers t on t.id = a.transfer_id where a.candidate_id = c.id) as received
    from candidates c
    where c.state in ('confirmed', 'surplus') and (c.project_id, c.id) in (
      select project_id, id from gone
      union
      select o.project_id, o.id from gone g join candidates o using (project_id, mode, subject_id) where g.state = 'confirmed')
    order by c.id for update of c`,
};

const TAKE_BACK = {
  name: "take-proofs-back",
  text: `
    with freed as (
      delete from allocations where candidate_id = any($1::bigint[])
    )
    update candidates c set
      epoch = epoch + 1, state = 'waiting', reason = null, judged_at = null, proving_tx_hash = null,
      next_at = $2::timestamptz, misses = 0,
      reorged_at = case when state = 'confirmed' then $2::timestamptz else reorged_at end,
      give_up_at = $2::timestamptz + $3 * interval '1 millisecond'
    from unnest($1::bigint[], $4::text[]) as g (id, project_id)
    where c.project_id = g.project_id and c.id = g.id`,
};

interface Row extends CandidateRow {
  state: string;
  proving_tx_hash: string | null;
  received: string;
}

/** Takes back what stands on orphaned transfers of the chain; answers the payments that are not confirmed any more. */
export async function takeBackProofs(
  tx: PoolClient,
  { chainId, now }: { chainId: ChainId; now: Date },
): Promise<string[]> {
  const { rows } = await tx.query<Row>({ ...LOCK, values: [chainId] });
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const projects = rows.map(({ project_id }) => project_id);
  await tx.query({ ...TAKE_BACK, values: [ids, now, REORGED_WAIT_MS, projects] });
  const proofs = rows.filter(({ state }) => state === "confirmed");
  const unproven = new Set(proofs.map(toSubject));
  const said = rows.filter((row) => row.state === "confirmed" || !unproven.has(toSubject(row)));
  await appendOutbox(
    tx,
    said.map((row) => outboxRow(toEvent(row, now))),
  );
  return proofs.map(({ subject_id }) => subject_id);
}

function toSubject({ project_id, mode, subject_id }: Row): string {
  return `${project_id} ${mode} ${subject_id}`;
}

function toEvent(row: Row, at: Date) {
  const gone = {
    txHash: toTxHash(row.proving_tx_hash ?? row.tx_hash),
    received: toAmount(row.received),
  };
  return toUnseenEvent(toCandidate(row), gone, at);
}
