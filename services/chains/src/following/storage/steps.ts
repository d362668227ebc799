// One step of following a chain, written by one statement.
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import { followStep } from "../../generated/sql.ts";
import type { SettledTransfer } from "../../verification/domain/transaction.ts";
import { toTransferRow } from "../../verification/storage/transactions.ts";
import type { Cursor } from "./cursors.ts";

export interface FollowedBlock {
  number: number;
  hash: string;
  time: Date;
}

/** Without a time where the step stays at its block. */
export type StepHead = Omit<FollowedBlock, "time"> & Partial<Pick<FollowedBlock, "time">>;

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
  now: Date;
}

/** Returns how many transfers concern a tenant; undefined where another leader has moved the cursor. */
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
    blocks: blocks.map(({ time: mined_at, ...block }) => ({ ...block, mined_at })),
    transfers: step.transfers.map(toTransferRow),
  });
  return row?.moved === 1 ? row.found : undefined;
}
