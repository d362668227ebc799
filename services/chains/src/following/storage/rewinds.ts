// A reorganisation removes the followed blocks above the common one, and their transfers. Rows are marked, not deleted:
// a transaction that is mined again gets its row back.
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { Cursor } from "./cursors.ts";

/** Blocks that were followed, the newest first. */
export async function listBlocksBelow(
  pool: Pool,
  options: { chainId: ChainId; below: number; max: number },
): Promise<{ number: number; hash: string }[]> {
  const rows = await sql.listFollowedBlocks(pool, options);
  return rows.map(({ number, hash }) => ({ number: Number(number), hash }));
}

/** How many transfers were orphaned; undefined where another leader has moved the cursor. */
export async function writeRewind(
  pool: Pool,
  options: {
    chainId: ChainId;
    leader: string;
    cursor: Cursor;
    to: { number: number; hash: string };
    now: Date;
  },
): Promise<{ orphaned: number } | undefined> {
  const { chainId, leader, cursor, to, now } = options;
  const { epoch, head } = cursor;
  if (head === undefined) return undefined;
  const [moved] = await sql.rewindChain(pool, {
    chainId,
    leader,
    epoch,
    headHash: head.hash,
    ...to,
    now,
  });
  return moved;
}

export async function pruneBlocks(pool: Pool, chainId: ChainId, below: number): Promise<void> {
  await sql.pruneFollowedBlocks(pool, { chainId, below });
}
