// A reorganisation: the followed blocks behind the common one are gone, and with them their transfers. Rows are marked, not
// deleted: a transaction that is mined again gets its row back.
import { bigints, transaction } from "@pay/database";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import { revokeProofs } from "../../attribution/storage/revoked-proofs.ts";
import type { Cursor } from "./cursors.ts";

const BLOCKS_BELOW = {
  name: "list-followed-blocks",
  text: `
    select number, hash from blocks where chain_id = $1 and number < $2
    order by number desc limit $3`,
};

/** Blocks that were followed, the newest first. */
export async function listBlocksBelow(
  pool: Pool,
  { chainId, below, max }: { chainId: ChainId; below: number; max: number },
): Promise<{ number: number; hash: string }[]> {
  const { rows } = await pool.query<{ number: bigint; hash: string }>({
    ...BLOCKS_BELOW,
    types: bigints,
    values: [chainId, below, max],
  });
  return rows.map(({ number, hash }) => ({ number: Number(number), hash }));
}

const REWIND = {
  name: "rewind-chain",
  text: `
    with moved as (
      update cursors set head_number = $5, head_hash = $6, epoch = epoch + 1
      where chain_id = $1 and leader = $2 and epoch = $3 and head_hash = $4
      returning epoch
    ), gone as (
      delete from blocks where chain_id = $1 and number > $5 and exists (select from moved)
    ), orphaned as (
      update transfers set status = 'orphaned'
      where chain_id = $1 and status = 'seen' and block_number > $5 and exists (select from moved)
      returning id
    )
    select epoch, (select count(*)::int from orphaned) as orphaned from moved`,
};

export interface Rewound {
  /** How many transfers. */
  orphaned: number;
  /** Payments that are not confirmed any more. */
  unproven: string[];
}

/** Undefined where another leader has moved the cursor. */
export async function writeRewind(
  pool: Pool,
  options: {
    chainId: ChainId;
    leader: string;
    cursor: Cursor;
    to: { number: number; hash: string };
    now: Date;
  },
): Promise<Rewound | undefined> {
  const { chainId, leader, cursor, to, now } = options;
  const values = [chainId, leader, cursor.epoch, cursor.head?.hash, to.number, to.hash];
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ orphaned: number }>({ ...REWIND, values });
    const orphaned = rows[0]?.orphaned;
    if (orphaned === undefined) return undefined;
    return { orphaned, unproven: await revokeProofs(tx, { chainId, now }) };
  });
}

const PRUNE = {
  name: "prune-followed-blocks",
  text: "delete from blocks where chain_id = $1 and number < $2",
};

export async function pruneBlocks(pool: Pool, chainId: ChainId, below: number): Promise<void> {
  await pool.query({ ...PRUNE, values: [chainId, below] });
}
