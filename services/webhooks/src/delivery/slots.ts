// The requests that an endpoint may have under way at once are slots, and each slot belongs to one of the registered
// workers, in turn from a place that depends on the endpoint. So all workers together keep the endpoint's bound without
// a word between them, and endpoints with fewer slots than there are workers spread over all workers.

/** A number that is the same for an endpoint in every worker. */
export function computePlace(endpointId: string): number {
  let place = 0;
  for (let at = 0; at < endpointId.length; at++) {
    place = (Math.imul(place, 31) + endpointId.charCodeAt(at)) >>> 0;
  }
  return place;
}

/** How many of an endpoint's slots belong to one worker of those registered; all of them to a worker without others. */
export function countSlots(
  { place, slots }: { place: number; slots: number },
  { workers, worker }: { workers: readonly number[]; worker: number | undefined },
): number {
  const at = worker === undefined ? -1 : workers.indexOf(worker);
  if (at === -1) return slots;
  const distance = (at - (place % workers.length) + workers.length) % workers.length;
  return Math.floor(slots / workers.length) + (distance < slots % workers.length ? 1 : 0);
}
