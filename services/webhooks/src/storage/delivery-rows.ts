// A delivery with its event, as a worker takes it from the table into its memory.
import type { Delivery } from "../delivery/delivery.ts";
import { copyBuffer } from "../domain/copy-buffer.ts";

export interface DeliveryRow {
  id: string;
  day: string;
  endpoint_id: string;
  endpoint_version: string | null;
  attempts: number;
  wait_ms: number;
  event_id: string;
  mode: number;
  type: string;
  resource_id: string;
  sequence: number;
  body: Buffer;
}

export function toDelivery(
  row: DeliveryRow,
  owner: number,
  { requestedAt, respondedAt }: { requestedAt: number; respondedAt: number },
): Delivery {
  return {
    id: row.id,
    day: row.day,
    endpointId: row.endpoint_id,
    endpointVersion: row.endpoint_version ?? undefined,
    loadedAt: requestedAt,
    owner,
    attempts: row.attempts,
    eventId: row.event_id,
    mode: row.mode,
    eventType: row.type,
    resourceId: row.resource_id,
    sequence: row.sequence,
    body: copyBuffer(row.body),
    // A wait for a connection must not count as part of the pause before a retry.
    dueAt: respondedAt + row.wait_ms,
  };
}
