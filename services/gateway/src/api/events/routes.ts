import type { MerchantEvent } from "@pay/proto";
import { z } from "zod";
import { route } from "../../pipeline/route.ts";
import * as field from "../fields.ts";
import {
  type FieldsOf,
  isoTime,
  isoTimeShape,
  namesOf,
  pick,
  shapeOf,
} from "../response-fields.ts";

const FIELDS = {
  id: { schema: z.string(), of: (e) => e.id },
  type: { schema: z.string(), of: (e) => e.type },
  resourceId: { schema: z.string(), of: (e) => e.resourceId },
  sequence: { schema: z.int(), of: (e) => e.sequence },
  occurredAt: { schema: isoTimeShape, of: (e) => isoTime(e.occurredAt) },
  // The text that deliveries send, so that amounts stay as they are and a signature can be compared.
  body: { schema: z.string(), of: (e) => Buffer.from(e.body).toString("utf8") },
} satisfies FieldsOf<MerchantEvent>;

const EVENT = namesOf(FIELDS);
const { limit, after } = field.pageFields("evt");

export const listEventsRoute = route({
  ...{ auth: "secret", scope: "webhooks:read", tag: "Events", limit: "standard" },
  summary: "List events in their order, oldest first, from the one after a known event",
  query: z.object({ limit, after }),
  response: z.strictObject({ data: z.array(shapeOf(FIELDS, EVENT)), hasMore: z.boolean() }),
  success: 200,
  handle: async ({ query, services }) => {
    const wanted = { limit: query.limit, after: query.after ?? "" };
    const { events, hasMore } = await services.webhooks.listEvents(wanted);
    return { data: events.map((event) => pick(FIELDS, EVENT, event)), hasMore };
  },
});
