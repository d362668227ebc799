// Follows one chain while this process is its leader. A round reads the payments that were opened since the last one,
// looks back for those that came late, and then follows the chain to its head, step by step.
//
// What can go wrong, and what happens then:
// - the process is killed, or loses the database: its lease ends within seconds and another replica goes on from the
//   cursor; what was read and not written is read again.
// - two processes believe that they lead: every step compares the epoch and the block that it continues, so one writes.
// - a provider fails, lags or contradicts itself: nothing is written, the next one is asked.
// - a provider reports another block where the followed one was: no other may hold on to it, or nothing is rewound.

import { advance } from "./advance.ts";
import { lookBack } from "./backfill-watch.ts";
import { begin } from "./begin.ts";
import { type Leadership, takeOpened } from "./chain-lease.ts";
import { BLOCKS_KEPT } from "./fork.ts";
import { lookAgain } from "./rematch-watches.ts";
import { createSession, type FollowerOptions, type Session } from "./session.ts";
import { createSettling } from "./settle.ts";
import { pruneBlocks } from "./storage/rewinds.ts";

const PRUNE_EVERY_BLOCKS = 256;

export interface Follower {
  /** To be called every second: takes the lease on the chain, or keeps it. True where it was taken. */
  renew(): Promise<boolean>;
  /** Follows to the head, if this process leads. */
  round(): Promise<void>;
  /** Lets another process lead at once. */
  release(): Promise<void>;
}

export function createFollower(options: FollowerOptions): Follower {
  const session = createSession(options);
  const { pool, chain, stopping } = options;
  const settle = createSettling(session);
  let advancedAt = performance.now();
  let prunedAt = 0;

  async function prune({ cursor: { head } }: Leadership) {
    if (head === undefined || head.number < prunedAt + PRUNE_EVERY_BLOCKS) return;
    prunedAt = head.number;
    await pruneBlocks(pool, chain.chainId, head.number - BLOCKS_KEPT);
  }

  return {
    round: async () => {
      while (!stopping.aborted) {
        const lead = await session.lead();
        if (lead === undefined) return;
        if (lead.cursor.head === undefined && !(await begin(session, lead))) return;
        const isWhole = await takeWatches(session, lead);
        const result = await advance(session, lead, advancedAt);
        if (result !== "idle") advancedAt = performance.now();
        if (result === "more" || !isWhole) continue;
        await settle(lead);
        return prune(lead);
      }
    },
    renew: session.renew,
    release: session.release,
  };
}

/** False where there are more of them. */
async function takeWatches(session: Session, lead: Leadership): Promise<boolean> {
  const opened = await takeOpened(session.pool, session.chain.chainId, lead);
  const isDone =
    (await lookAgain(session, lead, opened.again)) &&
    (opened.watches.length === 0 || (await lookBack(session, lead, opened)));
  if (isDone) {
    opened.handled();
    lead.cursor = { ...lead.cursor, watchedXid: opened.watchedXid };
  }
  return opened.isWhole || !isDone;
}
