// A verdict is one statement: the facts, which of them pay, the candidate's end and the event that tells of it.
// Two candidates that want the same transfer are decided by the key of the allocations; the loser's statement
// leaves nothing behind and is judged again on what is left.
import { constraintOf } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxArrays } from "@pay/events";
import type { Pool } from "pg";
import type { Candidate } from "./domain/candidate.ts";
import type { Reason } from "./domain/judge.ts";
import type { Transfer } from "./domain/transfer.ts";

/** A matching transfer and where it was mined. */
export interface SettledTransfer extends Transfer {
  blockNumber: number;
  blockHash: string;
  blockTime: Date;
}

export interface Verdict {
  candidate: Candidate;
  /** Undefined: proven. */
  reason: Reason | undefined;
  facts: readonly SettledTransfer[];
  /** Among the facts, or known from earlier ones. */
  pays: readonly Transfer[];
  event: OutboxRow;
  judgedAt: Date;
}

/**
 * settled: done now. contested: a transfer was taken meanwhile. stale: somebody else has judged. superseded: the
 * subject is proven by another hash.
 */
export type Settlement = "settled" | "contested" | "stale" | "superseded";

const LOST: Record<string, Settlement> = {
  allocations_pkey: "contested",
  candidates_confirmed: "superseded",
};

const FACT_TYPES = [
  ...["bigint", "text", "text", "integer", "bigint", "text", "timestamptz"],
  ...["text", "text", "text", "numeric"],
];
const PAY_TYPES = ["bigint", "bigint", "text", "text", "integer"];
const VERDICT_TYPES = ["bigint", "integer", "text", "text", "timestamptz", ...OUTBOX_TYPES];

const parameters = (types: readonly string[], from: number): string =>
  types.map((type, at) => `$${from + at}::${type}[]`).join(", ");
const FACTS_FROM = VERDICT_TYPES.length + 1;
const PAYS_FROM = FACTS_FROM + FACT_TYPES.length;

// A payment that nothing is known of would be allocated as null and refused by the column: nothing is confirmed
// without its transfers.
const SETTLE = {
  name: "settle-verdicts",
  text: `
    with verdicts as (
      select * from unnest(${parameters(VERDICT_TYPES, 1)})
        as v (id, attempt, state, reason, judged_at, ${OUTBOX_COLUMNS})
    ), facts as (
      select distinct on (chain_id, tx_hash, kind, ordinal) * from unnest(${parameters(FACT_TYPES, FACTS_FROM)})
        as f (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time,
          currency, sender, recipient, value)
      order by chain_id, tx_hash, kind, ordinal
    ), pays as (
      select * from unnest(${parameters(PAY_TYPES, PAYS_FROM)})
        as p (candidate_id, chain_id, tx_hash, kind, ordinal)
    ), judged as (
      update candidates c set state = v.state, reason = v.reason, judged_at = v.judged_at
      from verdicts v
      where c.id = v.id and c.attempt = v.attempt and c.state = 'waiting'
      returning c.id, c.subject_id, c.state
    ), written as (
      insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time,
        currency, sender, recipient, value)
      select * from facts
      on conflict (chain_id, tx_hash, kind, ordinal) do update set
        block_number = excluded.block_number, block_hash = excluded.block_hash,
        block_time = excluded.block_time
      returning id, chain_id, tx_hash, kind, ordinal
    ), known as (
      select * from written
      union
      select t.id, t.chain_id, t.tx_hash, t.kind, t.ordinal
      from pays join transfers t using (chain_id, tx_hash, kind, ordinal)
    ), allocated as (
      insert into allocations (transfer_id, candidate_id, subject_id)
      select known.id, judged.id, judged.subject_id
      from pays join judged on judged.id = pays.candidate_id
        left join known using (chain_id, tx_hash, kind, ordinal)
    ), superseded as (
      update candidates c set state = 'abandoned'
      from judged
      where judged.state = 'confirmed' and c.subject_id = judged.subject_id and c.state = 'waiting'
        and c.id <> all ($1)
    ), events as (
      insert into outbox (${OUTBOX_COLUMNS})
      select ${OUTBOX_COLUMNS} from verdicts where id in (select id from judged)
    )
    select id from judged`,
};

export const settleVerdicts = async (
  pool: Pool,
  verdicts: readonly Verdict[],
): Promise<Settlement[]> => {
  try {
    const { rows } = await pool.query<{ id: string }>({ ...SETTLE, values: valuesOf(verdicts) });
    const judged = new Set(rows.map(({ id }) => BigInt(id)));
    return verdicts.map(({ candidate }) => (judged.has(candidate.id) ? "settled" : "stale"));
  } catch (error) {
    const lost = LOST[constraintOf(error) ?? ""];
    if (lost === undefined) throw error;
    if (verdicts.length === 1) return [lost];
    const settlements: Settlement[] = [];
    for (const verdict of verdicts) settlements.push(...(await settleVerdicts(pool, [verdict])));
    return settlements;
  }
};

const valuesOf = (verdicts: readonly Verdict[]): unknown[] => {
  const facts = verdicts.flatMap(({ candidate, facts }) =>
    facts.map((fact) => [
      ...[candidate.chainId, fact.txHash, fact.kind, fact.ordinal],
      ...[fact.blockNumber, fact.blockHash, fact.blockTime],
      ...[fact.currency, fact.sender, fact.recipient, fact.value.toString()],
    ]),
  );
  const pays = verdicts.flatMap(({ candidate, pays }) =>
    pays.map(({ txHash, kind, ordinal }) => [
      ...[candidate.id, candidate.chainId, txHash, kind, ordinal],
    ]),
  );
  return [
    verdicts.map(({ candidate }) => candidate.id),
    verdicts.map(({ candidate }) => candidate.attempt),
    verdicts.map(({ reason }) => (reason === undefined ? "confirmed" : "rejected")),
    verdicts.map(({ reason }) => reason ?? null),
    verdicts.map(({ judgedAt }) => judgedAt),
    ...outboxArrays(verdicts.map(({ event }) => event)),
    ...FACT_TYPES.map((_, at) => facts.map((row) => row[at])),
    ...PAY_TYPES.map((_, at) => pays.map((row) => row[at])),
  ];
};
