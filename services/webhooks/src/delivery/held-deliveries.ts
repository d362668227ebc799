// The deliveries in memory, by id, within the bounds of memory and of each endpoint's part of it.
import type { Delivery } from "./delivery.ts";
import type { EndpointQueues } from "./endpoint-queues.ts";
import { computeQuota, type Held, isBeyondMemory } from "./memory-quota.ts";

export interface HeldDeliveries {
  /** False when it is held already. */
  add(delivery: Delivery): boolean;
  has(deliveryId: string): boolean;
  /** Whether this very object is held, and not a later copy of the row. */
  isHeld(delivery: Delivery): boolean;
  remove(delivery: Delivery): void;
  clear(): void;
  /** How many more deliveries of the endpoint may be held. */
  room(endpointId: string): number;
  isFull(moreBodyBytes: number): boolean;
  total(): Held;
}

export function createHeldDeliveries(options: {
  queues: Pick<EndpointQueues, "of">;
  /** An endpoint has all it may have in memory, or has room again. */
  onFull: (endpointId: string) => void;
  onRoom: (endpointId: string) => void;
}): HeldDeliveries {
  const { queues, onFull, onRoom } = options;
  const byId = new Map<string, Delivery>();
  let bodyBytes = 0;

  function total(): Held {
    return { deliveries: byId.size, bodyBytes };
  }

  return {
    add: (delivery) => {
      if (byId.has(delivery.id)) return false;
      byId.set(delivery.id, delivery);
      bodyBytes += delivery.body.length;
      if (++queues.of(delivery.endpointId).held >= computeQuota(total()))
        onFull(delivery.endpointId);
      return true;
    },
    has: (deliveryId) => byId.has(deliveryId),
    isHeld: (delivery) => byId.get(delivery.id) === delivery,
    remove: (delivery) => {
      if (!byId.delete(delivery.id)) return;
      bodyBytes -= delivery.body.length;
      if (--queues.of(delivery.endpointId).held < computeQuota(total()) / 2)
        onRoom(delivery.endpointId);
    },
    clear: () => {
      byId.clear();
      bodyBytes = 0;
    },
    room: (endpointId) => Math.max(0, computeQuota(total()) - queues.of(endpointId).held),
    isFull: (moreBodyBytes) => isBeyondMemory(total(), moreBodyBytes),
    total,
  };
}
