// One step of following a chain, written by one statement.
import { eventRow, type OutboxRow } from "@pay/events";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import { MISSES_MIN, type Submission } from "../../attribution/domain/candidate.ts";
import { type SettledTransfer, toTransferRow } from "../../attribution/storage/rows.ts";
import { followStep } from "../../generated/sql.ts";
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

/** Returns how many candidates there are to verify; undefined where another leader has moved the cursor. */
export async function writeStep(pool: Pool, step: Step): Promise<number | undefined> {
  const { chainId, leader, cursor, head, watchedXid, now } = step;
  const { number, hash, time } = head;
  const read = time === undefined ? step.blocks : [...step.blocks, { number, hash, time }];
  const blocks = [...new Map(read.map((block) => [block.number, block])).values()];
  const [row] = await followStep(pool, {
    chainId,
    leader,
    epoch: cursor.epoch,
    previousHash: cursor.head?.hash ?? null,
    number,
    hash,
    watchedXid,
    now,
    missesMin: MISSES_MIN,
    blocks: blocks.map(({ time: mined_at, ...block }) => ({ ...block, mined_at })),
    transfers: step.transfers.map(toTransferRow),
    found: step.found.map(toFoundRow),
  });
  return row?.moved === 1 ? row.found : undefined;
}

const NO_EVENT = { event_id: null, event_type: null, topic: null, event_key: null, payload: null };

function toFoundRow({ submission, event }: Found) {
  const { claim } = submission;
  return {
    subject_id: submission.subjectId,
    project_id: submission.projectId,
    mode: submission.mode,
    tx_hash: submission.txHash,
    recipient: claim.recipient,
    currency: claim.currency,
    payer: claim.payer ?? null,
    payer_declared_at: submission.payerDeclaredAt ?? null,
    base_amount: claim.baseAmount,
    not_before: claim.notBefore,
    not_after: claim.notAfter ?? null,
    give_up_at: submission.giveUpAt,
    attempt: submission.attempt,
    ...(event === undefined ? NO_EVENT : eventRow(event)),
    request_id: submission.requestId,
  };
}
