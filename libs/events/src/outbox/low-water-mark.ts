// Below the floor the outbox has no row and gets none any more, so a read begins there. Without it a read passes every
// row that was ever deleted while some snapshot is open, e.g. that of a backup, because vacuum must leave them.
//
// Ids are handed out before a commit, so a lower id may appear after a higher one. The floor follows from transaction
// ids: a row with an id up to `lastId` belongs to a transaction that began before `nextTransaction` was read. When all
// of those have ended, the lowest row that a read sees is the lowest there will be. `lastId` is read before
// `nextTransaction`, and a round's rows after both.
//
// A full look from 0 repairs what this cannot know: after ten minutes, and after a fault of the connection, since
// another server may have taken over with older rows. One that takes too long changes nothing, so that publishing goes
// on.
const FULL_LOOK_EVERY_MS = 600_000;

/** The reads of a round, in this order. */
export interface Look {
  /** The highest id that was handed out. */
  lastId: bigint;
  /** The oldest transaction that has not ended. */
  oldestTransaction: bigint;
  /** The relay's own, assigned after lastId was read; the xmax of a snapshot would be too low. */
  nextTransaction: bigint;
  /** Id of the lowest row that was seen; undefined without rows. */
  lowestId: bigint | undefined;
}

export interface LowWaterMark {
  /** Rows have higher ids. */
  next(): bigint;
  learn(look: Look): void;
  /** The read was broken off because it took too long. */
  tookTooLong(): void;
  forget(): void;
}

export function createLowWaterMark(nowMs: () => number = () => performance.now()): LowWaterMark {
  let floor = 0n;
  // Of the round before: its transactions have had the time to get their ids.
  let lastIdBefore = 0n;
  let mark: { lastId: bigint; nextTransaction: bigint } | undefined;
  let fullLookAt = nowMs() + FULL_LOOK_EVERY_MS;

  return {
    next: () => (nowMs() >= fullLookAt ? 0n : floor),
    learn: ({ lastId, oldestTransaction, nextTransaction, lowestId }) => {
      if (nowMs() >= fullLookAt) {
        fullLookAt = nowMs() + FULL_LOOK_EVERY_MS;
        floor = 0n;
      }
      const settling = lastIdBefore;
      lastIdBefore = lastId;
      if (mark !== undefined && oldestTransaction < mark.nextTransaction) return;
      if (mark !== undefined) {
        const beforeRows = lowestId === undefined ? mark.lastId : lowestId - 1n;
        floor = beforeRows < mark.lastId ? beforeRows : mark.lastId;
      }
      mark = { lastId: settling, nextTransaction };
    },
    tookTooLong: () => {
      fullLookAt = nowMs() + FULL_LOOK_EVERY_MS;
    },
    forget: () => {
      floor = 0n;
      lastIdBefore = 0n;
      mark = undefined;
    },
  };
}
