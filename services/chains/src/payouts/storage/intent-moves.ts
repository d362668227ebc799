// The moves of intents. Each is guarded by the state that it leaves, so a process that lost its lease changes nothing.
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxValues } from "@pay/events";
import type { TxHash } from "@pay/values";
import type { Pool } from "pg";
import { outgoingWindow } from "../../attribution/domain/candidate.ts";
import type { HeldReason, SignedIntent, UnsentReason } from "../domain/intent.ts";
import { SUBJECT_PARAMETERS, type Subject, subjectArrays } from "./intents.ts";

const GIVEN = `unnest(${SUBJECT_PARAMETERS}) as g (project_id, mode, subject_id)`;
const OF_GIVEN = `i.project_id = g.project_id and i.mode = g.mode and i.subject_id = g.subject_id`;

const MINED = {
  name: "mark-mined",
  text: `
    with mined as (
      update intents i set mined_tx_hash = m.tx_hash, mined_block = m.block, held_reason = null, next_at = m.next_at
      from unnest(${SUBJECT_PARAMETERS}, $5::text[], $6::bigint[], $7::timestamptz[], $8::timestamptz[])
        as m (project_id, mode, subject_id, tx_hash, block, not_before, next_at)
      where i.project_id = m.project_id and i.mode = m.mode and i.subject_id = m.subject_id and i.state = 'signed'
      returning i.*, m.not_before
    )
    insert into candidates (subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, payer,
      merchant_submitted, base_amount, not_before, give_up_at, attempt, next_at, created_at, found)
    select subject_id, project_id, mode, request_id, chain_id, mined_tx_hash, destination, currency, source,
      true, base_amount, not_before, $4::timestamptz + interval '100 years', version, $4, $4, true
    from mined
    on conflict (project_id, mode, subject_id, tx_hash) do update set next_at = excluded.next_at where candidates.state = 'waiting'`,
};

export interface Mined {
  intent: SignedIntent;
  txHash: TxHash;
  block: number;
  /** Of the next look. */
  nextAt: Date;
}

/**
 * A transaction came into a block: from now on it is verified like one that a merchant submits, until it is final. It is never
 * given up there, because only the sender knows whether it can still be mined.
 */
export async function markMined(pool: Pool, mined: readonly Mined[], now: Date): Promise<void> {
  if (mined.length === 0) return;
  const values = [
    ...subjectArrays(mined.map(({ intent }) => intent)),
    now,
    mined.map(({ txHash }) => txHash),
    mined.map(({ block }) => block),
    mined.map(({ intent }) => outgoingWindow({ owedSince: intent.owedSince, now }).notBefore),
    mined.map(({ nextAt }) => nextAt),
  ];
  await pool.query({ ...MINED, values });
}

const UNMINED = {
  name: "mark-unmined",
  text: `
    update intents i set mined_tx_hash = null, mined_block = null
    from ${GIVEN} where ${OF_GIVEN} and i.state = 'signed'`,
};

/** Its block left the chain. */
export async function markUnmined(pool: Pool, intents: readonly Subject[]): Promise<void> {
  if (intents.length > 0) await pool.query({ ...UNMINED, values: subjectArrays(intents) });
}

const COMPLETE = {
  name: "complete-intents",
  text: `
    update intents i set state = 'completed', held_reason = null, ended_at = $4
    from ${GIVEN} where ${OF_GIVEN} and i.state = 'signed' and i.mined_tx_hash is not null`,
};

export async function completeIntents(
  pool: Pool,
  intents: readonly Subject[],
  now: Date,
): Promise<void> {
  if (intents.length > 0) {
    await pool.query({ ...COMPLETE, values: [...subjectArrays(intents), now] });
  }
}

export interface Later {
  intent: Subject;
  heldReason: HeldReason | undefined;
  nextAt: Date;
}

const LATER = {
  name: "reschedule-intents",
  text: `
    update intents i set next_at = l.next_at, held_reason = l.held_reason
    from unnest(${SUBJECT_PARAMETERS}, $4::text[], $5::timestamptz[])
      as l (project_id, mode, subject_id, held_reason, next_at)
    where i.project_id = l.project_id and i.mode = l.mode and i.subject_id = l.subject_id
      and i.state in ('waiting', 'signed')`,
};

export async function rescheduleIntents(pool: Pool, later: readonly Later[]): Promise<void> {
  if (later.length === 0) return;
  const values = [
    ...subjectArrays(later.map(({ intent }) => intent)),
    later.map(({ heldReason }) => heldReason ?? null),
    later.map(({ nextAt }) => nextAt),
  ];
  await pool.query({ ...LATER, values });
}

const UNSENT = {
  name: "end-unsent-intent",
  text: `
    with ended as (
      update intents set state = 'failed', failure_reason = $5, held_reason = null, ended_at = $6
      where project_id = $1 and mode = $2::smallint and subject_id = $3 and state = $4
      returning subject_id
    )
    insert into outbox (${OUTBOX_COLUMNS})
    select ${OUTBOX_TYPES.map((type, at) => `$${at + 7}::${type}`).join(", ")} from ended`,
};

/** Ends an intent that no transaction pays; its refund or settlement fails. False where it has moved meanwhile. */
export async function endUnsent(
  pool: Pool,
  options: {
    intent: Subject;
    from: "waiting" | "signed";
    reason: UnsentReason;
    event: OutboxRow;
    now: Date;
  },
): Promise<boolean> {
  const { intent, from, reason, event, now } = options;
  const subject = [intent.projectId, intent.mode, intent.subjectId];
  const values = [...subject, from, reason, now, ...outboxValues(event)];
  const { rowCount } = await pool.query({ ...UNSENT, values });
  return rowCount === 1;
}
