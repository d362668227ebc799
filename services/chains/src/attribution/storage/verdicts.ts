// The verdicts of one transaction are one statement: its transfers, the subjects that these pay, the ends of the
// candidates and the events. A batch is written as a whole or not at all, because its verdicts depend on each other:
// not when a candidate was submitted again or got its verdict meanwhile, not when another hash of one of the subjects
// got a verdict meanwhile, and not when the key of the allocations shows that a transfer was taken. A batch that was
// not written leaves nothing but transfers, and is decided again on the transfers that are left.
import { arrayParameters, getConstraint, getSqlState } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxValues } from "@pay/events";
import type { TxHash } from "@pay/values";
import type { Pool } from "pg";
import type { Candidate } from "../domain/candidate.ts";
import type { FinalVerdict } from "../domain/claim.ts";
import type { Evidence } from "../domain/evidence.ts";
import { LOOK_AGAIN } from "./again.ts";
import {
  type SettledTransfer,
  TRANSFER_COLUMNS,
  TRANSFER_TYPES,
  transferRow,
} from "./final-transfers.ts";
import { valueArrays } from "./value-arrays.ts";

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

const FACT_TYPES = ["bigint", ...TRANSFER_TYPES];
const PAY_TYPES = ["bigint", "bigint", "text", "text", "integer"];
const VERDICT_TYPES = [
  "integer",
  "bigint",
  "text",
  "smallint",
  "text",
  "integer",
  "integer",
  "text",
  "text",
  "text",
  "timestamptz",
  "bigint",
  "bigint",
  "smallint",
  "smallint",
  ...OUTBOX_TYPES,
];

const FACTS_FROM = VERDICT_TYPES.length + 1;
const PAYS_FROM = FACTS_FROM + FACT_TYPES.length;

// A payment that nothing is known of would be allocated as null and refused by the column: nothing is confirmed
// without its transfers. Locks are taken in the order of ids, so that two judgements wait for each other and no more, and watches
// before candidates, as by the consumer of events: in another order the two would stop each other, for the second that the server
// takes to see it.
const WRITE = {
  name: "settle-judgements",
  text: `
    with verdicts as (
      select * from unnest(${arrayParameters(VERDICT_TYPES, 1)})
        as v (judgement, id, project_id, mode, subject_id, attempt, judged_hashes, state, reason, proving_tx_hash, judged_at,
          mined_block, chain_head, agreeing, contradicting, ${OUTBOX_COLUMNS})
    ), facts as (
      select distinct on (chain_id, tx_hash, kind, ordinal) * from unnest(${arrayParameters(FACT_TYPES, FACTS_FROM)})
        as f (chain_id, ${TRANSFER_COLUMNS})
      order by chain_id, tx_hash, kind, ordinal
    ), pays as (
      select * from unnest(${arrayParameters(PAY_TYPES, PAYS_FROM)})
        as p (candidate_id, chain_id, tx_hash, kind, ordinal)
    ), watched as (
      select payment_id from watches
      where (project_id, payment_id) in (select project_id, subject_id from verdicts)
      order by project_id, payment_id for update
    ), locked as (
      select c.id, c.project_id, c.mode, c.subject_id, c.attempt, c.state from candidates c
      where (c.project_id, c.mode, c.subject_id) in (select project_id, mode, subject_id from verdicts) and (select count(*) from watched) >= 0
      order by c.id for update of c
    ), subjects as (
      select project_id, mode, subject_id,
        count(*) filter (where state in ('confirmed', 'surplus', 'rejected')) as judged_hashes
      from locked group by project_id, mode, subject_id
    ), holding as (
      select v.judgement
      from verdicts v join subjects s using (project_id, mode, subject_id)
        left join locked l on l.id = v.id and l.attempt = v.attempt and l.state = 'waiting'
      group by v.judgement
      having bool_and(l.id is not null and s.judged_hashes = coalesce(v.judged_hashes, s.judged_hashes))
    ), judged as (
      update candidates c set state = v.state, reason = v.reason, judged_at = v.judged_at,
        proving_tx_hash = v.proving_tx_hash, looked_at = v.judged_at, waits_for = null, needs = null,
        mined_block = v.mined_block, chain_head = v.chain_head,
        providers_agreeing = v.agreeing, providers_contradicting = v.contradicting
      from verdicts v join holding using (judgement)
      where c.project_id = v.project_id and c.id = v.id and c.attempt = v.attempt and c.state = 'waiting'
      returning c.id, c.subject_id, c.project_id, c.mode, c.state, c.found
    ), written as (
      insert into transfers (chain_id, ${TRANSFER_COLUMNS}, status)
      select *, 'seen' from facts
      on conflict (chain_id, tx_hash, kind, ordinal) do update set
        block_number = excluded.block_number, block_hash = excluded.block_hash,
        block_time = excluded.block_time, value = excluded.value, currency = excluded.currency,
        sender = excluded.sender, recipient = excluded.recipient,
        status = case when transfers.block_hash = excluded.block_hash and transfers.status <> 'orphaned'
          then transfers.status else 'seen' end
      returning id, chain_id, tx_hash, kind, ordinal
    ), known as (
      select * from written
      union
      select t.id, t.chain_id, t.tx_hash, t.kind, t.ordinal
      from pays join transfers t using (chain_id, tx_hash, kind, ordinal)
    ), allocated as (
      insert into allocations (transfer_id, candidate_id, subject_id, project_id, mode)
      select known.id, judged.id, judged.subject_id, judged.project_id, judged.mode
      from pays join judged on judged.id = pays.candidate_id
        left join known using (chain_id, tx_hash, kind, ordinal)
    ), events as (
      insert into outbox (${OUTBOX_COLUMNS})
      select ${OUTBOX_COLUMNS} from verdicts where id in (select id from judged) and event_id is not null
    ), closed as (
      update watches w set state = 'closed'
      from judged j
      where w.project_id = j.project_id and w.mode = j.mode and w.payment_id = j.subject_id and j.state = 'confirmed'
    ), freed as (
      update watches w set ${LOOK_AGAIN}
      from (
        select project_id, mode, subject_id from judged group by project_id, mode, subject_id
        having bool_or(state = 'rejected' and not found) and not bool_or(state = 'confirmed')) j
      where w.project_id = j.project_id and w.mode = j.mode and w.payment_id = j.subject_id and w.state = 'open'
    )
    select id from judged`,
};

/** Answers for each batch whether it was written; one that was not has to be decided again. */
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
    const { rows } = await pool.query<{ id: string }>({ ...WRITE, values: buildValues(batches) });
    const judged = new Set(rows.map(({ id }) => BigInt(id)));
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

function buildValues(batches: readonly VerdictBatch[]): unknown[] {
  const verdicts = batches.flatMap(({ verdicts, txHash, judgedAt, evidence }, at) =>
    verdicts.map(({ candidate, judgedHashes, verdict }) => [
      at,
      candidate.id,
      candidate.projectId,
      candidate.mode,
      candidate.subjectId,
      candidate.attempt,
      judgedHashes ?? null,
      STATES[verdict.outcome],
      verdict.outcome === "refuted" ? verdict.reason : null,
      verdict.outcome === "proven" ? txHash : null,
      judgedAt,
      evidence.minedBlock,
      evidence.chainHead,
      evidence.agreeing,
      evidence.contradicting,
    ]),
  );
  const facts = batches.flatMap(({ verdicts, facts }) =>
    facts.map((fact) => [verdicts[0]?.candidate.chainId, ...transferRow(fact)]),
  );
  const pays = batches.flatMap(({ verdicts }) =>
    verdicts.flatMap(({ candidate, verdict }) =>
      ("pays" in verdict ? verdict.pays : []).map(({ txHash, kind, ordinal }) => [
        candidate.id,
        candidate.chainId,
        txHash,
        kind,
        ordinal,
      ]),
    ),
  );
  const events = batches.flatMap(({ verdicts }) => verdicts.map(({ event }) => event));
  function eventColumns(event: OutboxRow | undefined): unknown[] {
    return event === undefined ? [] : outboxValues(event);
  }

  return [
    ...valueArrays(VERDICT_TYPES.slice(0, -OUTBOX_TYPES.length), verdicts),
    ...valueArrays(OUTBOX_TYPES, events.map(eventColumns)),
    ...valueArrays(FACT_TYPES, facts),
    ...valueArrays(PAY_TYPES, pays),
  ];
}
