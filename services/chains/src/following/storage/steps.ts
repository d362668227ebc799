// One step of following a chain is one statement: the cursor, the block it ended at, the transfers it saw, the candidates
// that these make and their events. The cursor is compared and set first; where another leader has moved it, nothing is
// written.
import { arrayParameters } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxArrays } from "@pay/events";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import { MISSES_MIN, type Submission } from "../../attribution/domain/candidate.ts";
import {
  type SettledTransfer,
  TRANSFER_COLUMNS,
  TRANSFER_TYPES,
  transferRow,
} from "../../attribution/storage/final-transfers.ts";
import { valueArrays } from "../../attribution/storage/value-arrays.ts";
import type { Cursor } from "./cursors.ts";

export interface FollowedBlock {
  number: number;
  hash: string;
  time: Date;
}

/** Without a time where the step stays at its block. */
export type StepHead = Omit<FollowedBlock, "time"> & Partial<Pick<FollowedBlock, "time">>;

export interface Found {
  submission: Submission;
  /** Undefined for a part that does not suffice: its payment does not move. */
  event: OutboxRow | undefined;
}

export interface Step {
  chainId: ChainId;
  leader: string;
  /** As it was when the step began. */
  cursor: Cursor;
  head: StepHead;
  watchedXid: bigint;
  /** Further blocks in which transfers were found. */
  blocks: readonly FollowedBlock[];
  transfers: readonly SettledTransfer[];
  found: readonly Found[];
  now: Date;
}

const BLOCK_TYPES = ["bigint", "text", "timestamptz"];
const FOUND_TYPES = [
  "text",
  "text",
  "smallint",
  "text",
  "text",
  "text",
  "text",
  "text",
  "timestamptz",
  "numeric",
  "timestamptz",
  "timestamptz",
  "timestamptz",
  "integer",
  "boolean",
];
const FOUND_COLUMNS = `subject_id, project_id, mode, request_id, tx_hash, recipient, currency, payer, payer_declared_at,
  base_amount, not_before, not_after, give_up_at, attempt`;
const BLOCKS_FROM = 9;
const TRANSFERS_FROM = BLOCKS_FROM + BLOCK_TYPES.length;
const FOUND_FROM = TRANSFERS_FROM + TRANSFER_TYPES.length;
const EVENTS_FROM = FOUND_FROM + FOUND_TYPES.length;
const SUBJECTS_AT = EVENTS_FROM + OUTBOX_TYPES.length;

/** So long a hash that the chain shows is looked for at least: not every node shows it at once. */
const PATIENCE = "interval '1 hour'";

// A hash that was given up, or failed its payment after a reorganisation, is verified again where the chain shows it after
// all. A payment whose hash is under judgement takes no other transaction; once that is over it is looked for again
// (again.ts). A transaction that another payment of the tenant claims by hash is judged together with that claim, and moves
// nothing before.
const WRITE = {
  name: "follow-step",
  text: `
    with moved as (
      update cursors set head_number = $5, head_hash = $6, watched_xid = $7
      where chain_id = $1 and leader = $2 and epoch = $3 and head_hash is not distinct from $4
      returning chain_id
    ), blocks_seen as (
      insert into blocks (chain_id, number, hash, mined_at)
      select $1, b.* from unnest(${arrayParameters(BLOCK_TYPES, BLOCKS_FROM)}) as b (number, hash, mined_at)
      where exists (select from moved)
      on conflict (chain_id, number) do update set hash = excluded.hash, mined_at = excluded.mined_at
    ), shown as (
      select * from unnest(${arrayParameters(TRANSFER_TYPES, TRANSFERS_FROM)}) as t (${TRANSFER_COLUMNS})
      where exists (select from moved)
    ), seen as (
      insert into transfers (chain_id, ${TRANSFER_COLUMNS}, status)
      select $1, shown.*, 'seen' from shown
      order by tx_hash, kind, ordinal
      on conflict (chain_id, tx_hash, kind, ordinal) do update set
        block_number = excluded.block_number, block_hash = excluded.block_hash,
        block_time = excluded.block_time, value = excluded.value, currency = excluded.currency,
        sender = excluded.sender, recipient = excluded.recipient, status = 'seen'
      where transfers.block_hash <> excluded.block_hash or transfers.status = 'orphaned'
    ), lost as (
      select c.project_id, c.id from candidates c
      where c.chain_id = $1 and (c.tx_hash, c.recipient, c.currency) in (select tx_hash, recipient, currency from shown)
        and (c.state = 'abandoned' or c.state = 'rejected' and c.reason = 'reorged')
      order by c.id for update
    ), again as (
      update candidates c set state = 'waiting', reason = null, judged_at = null, epoch = c.epoch + 1, misses = 0, next_at = $8,
        give_up_at = greatest(c.give_up_at, $8::timestamptz + ${PATIENCE})
      from lost where c.project_id = lost.project_id and c.id = lost.id
      returning c.id
    ), offered as (
      select ${FOUND_COLUMNS}, case when suffices and not exists (
        select from candidates c where c.chain_id = $1 and c.tx_hash = f.tx_hash and c.state = 'waiting'
          and c.subject_id <> f.subject_id and c.project_id = f.project_id and c.mode = f.mode) then $8::timestamptz end as asked_at
      from unnest(${arrayParameters(FOUND_TYPES, FOUND_FROM)}) as f (${FOUND_COLUMNS}, suffices)
    ), found as (
      insert into candidates (chain_id, ${FOUND_COLUMNS}, asked_at, next_at, created_at, first_seen_at, found)
      select $1, f.*, $8, $8, $8, true
      from offered f
      where exists (select from moved) and not exists (
        select from candidates c
        where c.project_id = f.project_id and c.mode = f.mode and c.subject_id = f.subject_id and c.tx_hash <> f.tx_hash and not c.found
          and c.state = 'waiting'
          and (c.first_seen_at is not null and c.reorged_at is null or c.misses < ${MISSES_MIN}))
      order by project_id, mode, subject_id, tx_hash
      on conflict do nothing
      returning subject_id, tx_hash, project_id, mode, asked_at
    ), events as (
      insert into outbox (${OUTBOX_COLUMNS})
      select ${OUTBOX_COLUMNS}
      from unnest(${arrayParameters(OUTBOX_TYPES, EVENTS_FROM)}, $${SUBJECTS_AT}::text[], $${SUBJECTS_AT + 1}::text[],
          $${SUBJECTS_AT + 2}::text[], $${SUBJECTS_AT + 3}::smallint[])
        as e (${OUTBOX_COLUMNS}, subject_id, tx_hash, project_id, mode)
      join found using (subject_id, tx_hash, project_id, mode)
      where found.asked_at is not null
    )
    select (select count(*)::int from moved) as moved,
      (select count(*)::int from found) + (select count(*)::int from again) as found`,
};

/** Answers how many candidates there are to verify; undefined where another leader has moved the cursor. */
export async function writeStep(pool: Pool, step: Step): Promise<number | undefined> {
  const { cursor, head, found } = step;
  const { number, hash, time } = head;
  const read = time === undefined ? step.blocks : [...step.blocks, { number, hash, time }];
  const blocks = [...new Map(read.map((one) => [one.number, one])).values()];
  const announced = found.flatMap(({ submission, event }) =>
    event === undefined ? [] : [{ submission, event }],
  );
  const values = [
    step.chainId,
    step.leader,
    cursor.epoch,
    cursor.head?.hash ?? null,
    head.number,
    head.hash,
    step.watchedXid,
    step.now,
    ...valueArrays(
      BLOCK_TYPES,
      blocks.map(({ number, hash, time }) => [number, hash, time]),
    ),
    ...valueArrays(TRANSFER_TYPES, step.transfers.map(transferRow)),
    ...valueArrays(
      FOUND_TYPES,
      found.map(({ submission, event }) => [...foundRow(submission), event !== undefined]),
    ),
    ...outboxArrays(announced.map(({ event }) => event)),
    announced.map(({ submission }) => submission.subjectId),
    announced.map(({ submission }) => submission.txHash),
    announced.map(({ submission }) => submission.projectId),
    announced.map(({ submission }) => submission.mode),
  ];
  const { rows } = await pool.query<{ moved: number; found: number }>({ ...WRITE, values });
  return rows[0]?.moved === 1 ? rows[0].found : undefined;
}

function foundRow({ claim, ...one }: Submission): unknown[] {
  return [
    one.subjectId,
    one.projectId,
    one.mode,
    one.requestId,
    one.txHash,
    claim.recipient,
    claim.currency,
    claim.payer ?? null,
    one.payerDeclaredAt ?? null,
    claim.baseAmount.toString(),
    claim.notBefore,
    claim.notAfter,
    one.giveUpAt,
    one.attempt,
  ];
}
