// Decodes a record and checks that it is an event. Any client with access to the topic may have put any bytes on it;
// protobuf decodes many of them without an error, so the required fields are checked.
import { fromBinary } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type Event, EventSchema } from "@pay/proto";
import type { BusRecord } from "../bus/bus.ts";
import { getKind } from "../event-types.ts";

const ID = /^[\x21-\x7e]{1,100}$/;
// The years 1 to 9999, as protobuf bounds a timestamp. What is beyond fits no Date or no column, not even with a dead
// letter.
const SECONDS_MIN = -62_135_596_800n;
const SECONDS_MAX = 253_402_300_799n;

/** The event, or the reason why the bytes hold none. */
export function openPayload(payload: Uint8Array): Event | string {
  let event: Event;
  try {
    event = fromBinary(EventSchema, payload);
  } catch {
    return "not an event";
  }
  const kind = getKind(event.type);
  if (!ID.test(event.id)) return "an event without an id";
  if (kind === undefined) return "an event of an undefined type";
  if (!ID.test(event.projectId)) return "an event without a project";
  if (!isPossible(event.occurredAt)) return "an event of an impossible time";
  if (event.resource.case !== kind.resource) return `an event without its ${kind.resource}`;
  return event;
}

function isPossible(time: Timestamp | undefined): boolean {
  return time === undefined || (time.seconds >= SECONDS_MIN && time.seconds <= SECONDS_MAX);
}

/** The id a record claims, where it can be one. */
export function claimedId(record: BusRecord): string | null {
  return ID.test(record.eventId) ? record.eventId : null;
}
