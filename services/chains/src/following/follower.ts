// Follows one chain while this process is its leader. A round reads the payments that were opened since the last one,
// searches earlier blocks for them, and follows the chain to its head, step by step.
//
// Failure modes:
// - the process is killed, or loses the database: its lease ends within seconds and another replica continues from the
//   cursor; blocks that were read and not written are read again.
// - two processes lead at once: every step compares the epoch and the block that it continues, so one of them writes.
// - a provider fails, lags or contradicts itself: nothing is written, and the next one is tried.
// - a provider reports another block at a followed height: nothing is rewound while another provider has the followed
//   one.

import { advance } from "./advance.ts";
import { backfillWatches } from "./backfill-watches.ts";
import { type ChainLease, takeOpened } from "./chain-lease.ts";
import { createFinalizer } from "./finalize.ts";
import { BLOCKS_KEPT } from "./fork.ts";
import { createInnerSearch } from "./inner-coin.ts";
import { createSession, type FollowerOptions, type Session } from "./session.ts";
import { startCursor } from "./start-cursor.ts";
import { pruneBlocks } from "./storage/rewinds.ts";

const PRUNE_EVERY_BLOCKS = 256;

export interface Follower {
  /** Takes or keeps the lease on the chain; to be called every second. True where it was taken. */
  renew(): Promise<boolean>;
  /** Follows to the head, if this process leads. */
  round(): Promise<void>;
  /** Lets another process lead at once. */
  release(): Promise<void>;
}

export function createFollower(options: FollowerOptions): Follower {
  const session = createSession(options);
  const { pool, chain, stopping } = options;
  const finalize = createFinalizer(session);
  const searchInner = createInnerSearch(session);
  let advancedAt = performance.now();
  let prunedAt = 0;

  async function prune({ cursor: { head } }: ChainLease) {
    if (head === undefined || head.number < prunedAt + PRUNE_EVERY_BLOCKS) return;
    prunedAt = head.number;
    await pruneBlocks(pool, chain.chainId, head.number - BLOCKS_KEPT);
  }

  return {
    round: async () => {
      while (!stopping.aborted) {
        const lease = await session.getLease();
        if (lease === undefined) return;
        if (lease.cursor.head === undefined && !(await startCursor(session, lease))) return;
        const isWhole = await takeWatches(session, lease);
        const result = await advance(session, lease, advancedAt);
        if (result !== "idle") advancedAt = performance.now();
        if (result === "more" || !isWhole) continue;
        await finalize(lease);
        await searchInner(lease);
        return prune(lease);
      }
    },
    renew: session.renew,
    release: session.release,
  };
}

/** False where there are more of them. */
async function takeWatches(session: Session, lease: ChainLease): Promise<boolean> {
  const opened = await takeOpened(session.pool, session.chain.chainId, lease);
  const isDone = opened.watches.length === 0 || (await backfillWatches(session, lease, opened));
  if (isDone) {
    opened.handled();
    lease.cursor = { ...lease.cursor, watchedXid: opened.watchedXid };
  }
  return opened.isWhole || !isDone;
}
