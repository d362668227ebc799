// Each request that an endpoint may have in flight at once is a slot. Slots are dealt to the registered workers in
// turn, from an offset that depends on the endpoint, so that all workers together keep its limit without coordination.

/** The same in every worker. */
export function computeOffset(endpointId: string): number {
  let offset = 0;
  for (let at = 0; at < endpointId.length; at++) {
    offset = (Math.imul(offset, 31) + endpointId.charCodeAt(at)) >>> 0;
  }
  return offset;
}

/** The number of slots of one worker; a worker that is not registered yet has all of them. */
export function computeShare(
  { offset, slots }: { offset: number; slots: number },
  { workers, worker }: { workers: readonly number[]; worker: number | undefined },
): number {
  const at = worker === undefined ? -1 : workers.indexOf(worker);
  if (at === -1) return slots;
  const distance = (at - (offset % workers.length) + workers.length) % workers.length;
  return Math.floor(slots / workers.length) + (distance < slots % workers.length ? 1 : 0);
}
