// How far the stored blocks of a chain are behind it.

export interface Followed {
  /** The last block whose transfers are stored, and its time. */
  number: number;
  minedAt: Date;
  /** The highest block that a provider named, and when; undefined before the first answer. */
  tip: { number: number; seenAt: Date } | undefined;
}

/**
 * Since when a block may be missing. A chain that makes no blocks is not behind as long as a provider says so; without
 * its answers nobody knows, so the time counts from the last one.
 */
export function computeSecondsBehind({ number, minedAt, tip }: Followed, now: Date): number {
  const sinceBlock = now.getTime() - minedAt.getTime();
  const sinceTip =
    tip !== undefined && tip.number <= number ? now.getTime() - tip.seenAt.getTime() : sinceBlock;
  return Math.max(Math.floor(Math.min(sinceBlock, sinceTip) / 1_000), 0);
}
