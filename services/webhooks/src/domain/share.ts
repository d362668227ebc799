// How many deliveries of one endpoint may be in memory. The bound shrinks as memory fills, so however many endpoints
// are stuck with full queues, there is always some left for one that is not. What does not fit waits in the table.

/** Deliveries in memory, of all endpoints together. */
export const HELD_MAX = 20_000;
const PER_ENDPOINT_MAX = 256;
/** An endpoint may have this part of what is still free. */
const PART = 1 / 64;

export const shareOf = (heldByAll: number): number =>
  Math.min(PER_ENDPOINT_MAX, Math.max(0, Math.floor((HELD_MAX - heldByAll) * PART)));
