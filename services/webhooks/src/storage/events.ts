// Events with their deliveries, whose day is the event's, so that they leave together.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Queryable } from "@pay/database";
import { isByName } from "@pay/events";
import { EventSchema } from "@pay/proto";
import * as statements from "../generated/sql.ts";

/** A rendered event. */
export interface NewEvent {
  id: string;
  projectId: string;
  mode: number;
  type: string;
  resourceId: string;
  sequence: number;
  body: Buffer;
  /** Fields that endpoints may include; undefined where the event has none. */
  included: Buffer | undefined;
  occurredAt: Date;
  /** With its trace. */
  requestId: string;
}

export function insertEvents(
  db: Queryable,
  events: readonly NewEvent[],
  { owner, full }: { owner: number | null; full: readonly string[] },
): Promise<statements.InsertEventsRow[]> {
  const rows = events.map((event, place) => ({
    id: event.id,
    project_id: event.projectId,
    mode: event.mode,
    type: event.type,
    resource_id: event.resourceId,
    sequence: event.sequence,
    body: event.body,
    included: event.included ?? null,
    occurred_at: event.occurredAt,
    request_id: event.requestId,
    place: place + 1,
    by_name: isByName(event.type),
  }));
  return statements.insertEvents(db, { events: rows, owner, full });
}

/** Gives all events of the erased customers the body of the erasure, and removes dead letters about them. */
export async function eraseBodies(db: Queryable, erasures: readonly NewEvent[]): Promise<void> {
  const rows = erasures.map(({ projectId, mode, resourceId, body }) => ({
    project_id: projectId,
    mode,
    resource_id: resourceId,
    body,
    mark: writeResourceId(resourceId),
  }));
  await statements.eraseBodies(db, { erasures: rows });
}

/** The bytes that an encoded event about the resource holds. */
function writeResourceId(resourceId: string): Uint8Array {
  const { number } = EventSchema.field.resourceId;
  return new BinaryWriter().tag(number, WireType.LengthDelimited).string(resourceId).finish();
}
