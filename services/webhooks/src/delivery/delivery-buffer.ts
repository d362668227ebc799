// The deliveries in memory by id, within the limits of the process and of each endpoint.

import { type BufferUsage, computeQuota, countFree } from "./buffer-quota.ts";
import type { Delivery } from "./delivery.ts";
import type { EndpointQueues } from "./endpoint-queues.ts";

export interface DeliveryBuffer {
  /** False if it is in memory already. */
  add(delivery: Delivery): boolean;
  has(deliveryId: string): boolean;
  /** Whether this very object is in memory, and not a later copy of the row. */
  isBuffered(delivery: Delivery): boolean;
  remove(delivery: Delivery): void;
  clear(): void;
  /** How many more deliveries of the endpoint may be buffered. */
  room(endpointId: string): number;
  /** How many more bodies of this size fit. */
  countFree(bytesEach: number): number;
  /** Sets memory aside for bodies that are being stored; false if they do not fit. */
  reserve(bytes: number): boolean;
  /** Ends a reservation. */
  release(bytes: number): void;
  total(): BufferUsage;
}

export function createDeliveryBuffer(options: {
  queues: Pick<EndpointQueues, "of">;
  /** An endpoint has reached its quota, or has room again. */
  onFull: (endpointId: string) => void;
  onRoom: (endpointId: string) => void;
}): DeliveryBuffer {
  const { queues, onFull, onRoom } = options;
  const byId = new Map<string, Delivery>();
  let bodyBytes = 0;
  let reservedBytes = 0;

  function total(): BufferUsage {
    return { deliveries: byId.size, bodyBytes: bodyBytes + reservedBytes };
  }

  /** By what is in memory: a reservation may be many times larger than what comes, and ends soon. */
  function getQuota(): number {
    return computeQuota({ deliveries: byId.size, bodyBytes });
  }

  return {
    add: (delivery) => {
      if (byId.has(delivery.id)) return false;
      byId.set(delivery.id, delivery);
      bodyBytes += delivery.body.length;
      if (++queues.of(delivery.endpointId).buffered >= getQuota()) onFull(delivery.endpointId);
      return true;
    },
    has: (deliveryId) => byId.has(deliveryId),
    isBuffered: (delivery) => byId.get(delivery.id) === delivery,
    remove: (delivery) => {
      if (!byId.delete(delivery.id)) return;
      bodyBytes -= delivery.body.length;
      if (--queues.of(delivery.endpointId).buffered < getQuota() / 2) onRoom(delivery.endpointId);
    },
    clear: () => {
      byId.clear();
      bodyBytes = 0;
    },
    room: (endpointId) => Math.max(0, getQuota() - queues.of(endpointId).buffered),
    countFree: (bytesEach) => countFree(total(), bytesEach),
    reserve: (bytes) => {
      if (countFree(total(), bytes) === 0) return false;
      reservedBytes += bytes;
      return true;
    },
    release: (bytes) => {
      reservedBytes -= bytes;
    },
    total,
  };
}
