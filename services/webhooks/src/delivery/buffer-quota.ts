// How many deliveries of one endpoint may be in memory. The quota shrinks as memory fills, so that endpoints with full
// queues always leave room for others. Deliveries without room wait in the table.

/** Of all endpoints; the fuller of the two counts. */
export interface BufferUsage {
  deliveries: number;
  bodyBytes: number;
}

export const BUFFER_MAX: BufferUsage = { deliveries: 20_000, bodyBytes: 24 * 1024 * 1024 };
const PER_ENDPOINT_MAX = 256;
/** Share of the free memory that one endpoint may use. */
const ENDPOINT_SHARE = 1 / 64;

function computeFreeShare({ deliveries, bodyBytes }: BufferUsage): number {
  const used = Math.max(deliveries / BUFFER_MAX.deliveries, bodyBytes / BUFFER_MAX.bodyBytes);
  return Math.max(0, 1 - used);
}

export function computeQuota(usage: BufferUsage): number {
  return Math.min(
    PER_ENDPOINT_MAX,
    Math.floor(computeFreeShare(usage) * BUFFER_MAX.deliveries * ENDPOINT_SHARE),
  );
}

/** How many more bodies of this size fit. */
export function countFree({ deliveries, bodyBytes }: BufferUsage, bytesEach: number): number {
  const free = Math.floor((BUFFER_MAX.bodyBytes - bodyBytes) / bytesEach);
  return Math.max(0, Math.min(BUFFER_MAX.deliveries - deliveries, free));
}
