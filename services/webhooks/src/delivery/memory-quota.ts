// How many deliveries of one endpoint may be in memory. The bound shrinks as memory fills, so however many endpoints
// are stuck with full queues, there is always some left for one that is not. Memory is counted in deliveries and in
// bytes of their bodies, and the fuller of the two counts. What does not fit waits in the table.

/** What all endpoints together hold. */
export interface Held {
  deliveries: number;
  bodyBytes: number;
}

export const HELD_MAX: Held = { deliveries: 20_000, bodyBytes: 24 * 1024 * 1024 };
const PER_ENDPOINT_MAX = 256;
/** An endpoint may have this part of what is still free. */
const PART = 1 / 64;

function computeFreeShare({ deliveries, bodyBytes }: Held): number {
  const used = Math.max(deliveries / HELD_MAX.deliveries, bodyBytes / HELD_MAX.bodyBytes);
  return Math.max(0, 1 - used);
}

export function computeQuota(held: Held): number {
  return Math.min(
    PER_ENDPOINT_MAX,
    Math.floor(computeFreeShare(held) * HELD_MAX.deliveries * PART),
  );
}

/** Whether this many more bytes of bodies have no place in memory. */
export function isBeyondMemory(held: Held, moreBytes = 0): boolean {
  return computeFreeShare({ ...held, bodyBytes: held.bodyBytes + moreBytes }) === 0;
}
