// SQL of candidates across tenants, as the verification of a chain needs it. Candidates are claimed by a lease that moves
// their due time forward, so that no lock is held while providers are called, and candidates of a crashed process
// become due again by themselves.
import { arrayParameters } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxArrays } from "@pay/events";
import type { ChainId, Needs } from "@pay/values";
import type { Pool } from "pg";
import {
  type Candidate,
  MISSES_MIN,
  OUTGOING,
  type Sender,
} from "../../attribution/domain/candidate.ts";
import type { Evidence } from "../../attribution/domain/evidence.ts";
import { LOOK_AGAIN } from "../../attribution/storage/again.ts";
import { type CandidateRow, toCandidate } from "../../attribution/storage/rows.ts";

const CLAIM = {
  name: "claim-candidates",
  text: `
    update candidates set next_at = $2::timestamptz + $3 * interval '1 millisecond'
    where (project_id, id) in (
      select project_id, id from candidates where chain_id = $1 and state = 'waiting' and next_at <= $2
      order by next_at limit $4 for update skip locked)
    returning *`,
};

/** Claims candidates that are due; they are due again when the lease has run out. */
export async function claimCandidates(
  db: Pool,
  options: { chainId: ChainId; now: Date; leaseMs: number; max: number },
): Promise<Candidate[]> {
  const { chainId, now, leaseMs, max } = options;
  const { rows } = await db.query<CandidateRow>({ ...CLAIM, values: [chainId, now, leaseMs, max] });
  return rows.map(toCandidate);
}

export interface Later {
  candidate: Pick<Candidate, "projectId" | "id" | "attempt">;
  nextAt: Date;
  misses: number;
  sender: Sender | undefined;
  firstSeenAt: Date | undefined;
  /** Undefined where it was not looked at. */
  evidence: Evidence | undefined;
  /** What it needs from now on; undefined where that is as before. */
  needs: { needs: Needs | undefined; turn: number } | undefined;
  /** Written with it. */
  events: readonly OutboxRow[];
}

const EVENTS_FROM = 18;
const EVENT_OF_AT = EVENTS_FROM + OUTBOX_TYPES.length;

// What was made due meanwhile stays due. A newer attempt is due at once, whatever the verification of an older one has
// found. Of two verifications that say what is needed the second changes nothing: it knew less. A hash that was looked for in
// vain so often lets another transaction pay. Watches are locked before candidates, as by verdicts.
const RESCHEDULE = {
  name: "reschedule-candidates",
  text: `
    with looks as (
      select * from unnest($1::bigint[], $2::integer[], $3::timestamptz[], $4::integer[], $5::text[], $6::bigint[],
          $7::bigint[], $8::timestamptz[], $10::text[], $11::bigint[], $12::bigint[], $13::smallint[],
          $14::smallint[], $15::text[], $16::integer[], $17::text[])
        as l (id, attempt, next_at, misses, sender, nonce, seen_block, first_seen_at,
          waits_for, mined_block, chain_head, agreeing, contradicting, needs, needs_turn, project_id)
    ), freed as (
      select w.project_id, w.payment_id from watches w
      where w.state = 'open' and (w.project_id, w.payment_id) in (
        select c.project_id, c.subject_id from looks l join candidates c on c.project_id = l.project_id and c.id = l.id
        where l.misses = ${MISSES_MIN} and not c.found
          and (coalesce(l.first_seen_at, c.first_seen_at) is null or c.reorged_at is not null))
      order by w.project_id, w.payment_id for update
    ), looked_for as (
      update watches w set ${LOOK_AGAIN} from freed f
      where w.project_id = f.project_id and w.payment_id = f.payment_id
    ), later as (
      update candidates c set next_at = case when c.next_at <= $9 then c.next_at else l.next_at end, misses = l.misses,
        sender = l.sender, nonce = l.nonce, seen_block = l.seen_block,
        first_seen_at = least(c.first_seen_at, l.first_seen_at),
        looked_at = case when l.waits_for is null then c.looked_at else $9 end,
        waits_for = coalesce(l.waits_for, c.waits_for),
        mined_block = case when l.waits_for is null then c.mined_block else l.mined_block end,
        chain_head = coalesce(l.chain_head, c.chain_head),
        providers_agreeing = coalesce(l.agreeing, c.providers_agreeing),
        providers_contradicting = coalesce(l.contradicting, c.providers_contradicting),
        needs = case when l.needs_turn is null then c.needs else l.needs end,
        needs_turn = coalesce(l.needs_turn, c.needs_turn)
      from looks l
      where c.project_id = l.project_id and c.id = l.id and c.attempt = l.attempt and c.state = 'waiting'
        and coalesce(l.needs_turn = c.needs_turn + 1, true) and (select count(*) from freed) >= 0
      returning c.id
    )
    insert into outbox (${OUTBOX_COLUMNS})
    select ${OUTBOX_COLUMNS}
    from unnest(${arrayParameters(OUTBOX_TYPES, EVENTS_FROM)}, $${EVENT_OF_AT}::bigint[])
      as e (${OUTBOX_COLUMNS}, candidate_id)
    where candidate_id in (select id from later)`,
};

/** Events are written in the same statement. */
export async function rescheduleCandidates(
  db: Pool,
  later: readonly Later[],
  now: Date,
): Promise<void> {
  if (later.length === 0) return;
  const announced = later.flatMap(({ candidate, events }) =>
    events.map((event) => ({ id: candidate.id, event })),
  );
  const values = [
    later.map(({ candidate }) => candidate.id),
    later.map(({ candidate }) => candidate.attempt),
    later.map(({ nextAt }) => nextAt),
    later.map(({ misses }) => misses),
    later.map(({ sender }) => sender?.address ?? null),
    later.map(({ sender }) => sender?.nonce ?? null),
    later.map(({ sender }) => sender?.seenBlock ?? null),
    later.map(({ firstSeenAt }) => firstSeenAt ?? null),
    now,
    later.map(({ evidence }) => evidence?.waitsFor ?? null),
    later.map(({ evidence }) => evidence?.minedBlock ?? null),
    later.map(({ evidence }) => evidence?.chainHead ?? null),
    later.map(({ evidence }) => evidence?.agreeing ?? null),
    later.map(({ evidence }) => evidence?.contradicting ?? null),
    later.map(({ needs }) => needs?.needs ?? null),
    later.map(({ needs }) => needs?.turn ?? null),
    later.map(({ candidate }) => candidate.projectId),
    ...outboxArrays(announced.map(({ event }) => event)),
    announced.map(({ id }) => id),
  ];
  await db.query({ ...RESCHEDULE, values });
}

const ABANDON = {
  name: "abandon-candidates",
  text: `
    with freed as (
      select w.project_id, w.payment_id from watches w
      where w.state = 'open' and (w.project_id, w.payment_id) in (select * from unnest($3::text[], $4::text[]))
      order by w.project_id, w.payment_id for update
    ), abandoned as (
      update candidates c set state = 'abandoned'
      from unnest($1::bigint[], $2::integer[], $3::text[]) as a (id, attempt, project_id)
      where c.project_id = a.project_id and c.id = a.id and c.attempt = a.attempt and c.state = 'waiting'
        and (select count(*) from freed) >= 0
      returning c.project_id, c.subject_id, c.found
    )
    update watches w set ${LOOK_AGAIN}
    from freed f join abandoned a on a.project_id = f.project_id and a.subject_id = f.payment_id
    where w.project_id = f.project_id and w.payment_id = f.payment_id and not a.found`,
};

/** What they kept from paying may pay then. */
export async function abandonCandidates(db: Pool, candidates: readonly Candidate[]): Promise<void> {
  if (candidates.length === 0) return;
  const values = [
    candidates.map(({ id }) => id),
    candidates.map(({ attempt }) => attempt),
    candidates.map(({ projectId }) => projectId),
    candidates.map(({ subjectId }) => subjectId),
  ];
  await db.query({ ...ABANDON, values });
}

// Candidates on a chain without a provider wait; where one is configured in time, they are still there. Those of money that
// goes out are kept: only a verdict frees what a refund or a settlement holds.
const FORGET = {
  name: "abandon-forgotten-candidates",
  text: `
    update candidates set state = 'abandoned'
    where state = 'waiting' and give_up_at < $1::timestamptz - interval '1 day'
      and chain_id <> all ($2::bigint[]) and split_part(subject_id, '_', 1) <> all ($3::text[])
      and reorged_at is null and coalesce(waits_for not in ('depth', 'agreement', 'trace', 'signature'), true)
      and needs is null`,
};

/** Answers how many. */
export async function abandonForgotten(
  db: Pool,
  { chainIds, now }: { chainIds: readonly ChainId[]; now: Date },
): Promise<number> {
  const { rowCount } = await db.query({ ...FORGET, values: [now, chainIds, OUTGOING] });
  return rowCount ?? 0;
}
