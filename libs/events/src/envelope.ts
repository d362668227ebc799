// Whether a record holds an event we can trust to be one. Anybody with access to the topic may have put anything on
// it; protobuf decodes much of that without an error, so what must be there is checked.
import { fromBinary } from "@bufbuild/protobuf";
import { type Event, EventSchema } from "@pay/proto";
import type { BusRecord } from "./bus.ts";
import { newsOf } from "./topics.ts";

const ID = /^[\x21-\x7e]{1,100}$/;

/** The event, or why it is none. */
export const openRecord = (record: BusRecord): Event | string => {
  let event: Event;
  try {
    event = fromBinary(EventSchema, record.payload);
  } catch {
    return "not an event";
  }
  const news = newsOf(event.type);
  if (!ID.test(event.id)) return "an event without an id";
  if (news === undefined) return "an event of a type nobody has defined";
  if (!ID.test(event.projectId)) return "an event without a project";
  if (event.resource.case !== news.resource) return `an event without its ${news.resource}`;
  return event;
};

/** The id a record claims, where it can be one. */
export const claimedId = (record: BusRecord): string | null =>
  ID.test(record.eventId) ? record.eventId : null;
