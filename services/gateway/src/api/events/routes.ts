import type { IncomingHttpHeaders } from "node:http";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { PUBLIC_TYPES } from "@pay/events";
import { Failure } from "@pay/failures";
import type { MerchantEvent } from "@pay/proto";
import { isId } from "@pay/values";
import { z } from "zod";
import { type Caller, checkScope } from "../../keys/caller.ts";
import { readCookie } from "../../members/cookie.ts";
import type { Deps } from "../../pipeline/deps.ts";
import { type Call, route } from "../../pipeline/route.ts";
import { EVENT_BODY, PAY_ID } from "../example-values.ts";
import * as shown from "../field-values.ts";
import * as field from "../fields.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";

const FIELDS = {
  id: { schema: shown.id("evt"), of: (e) => e.id },
  type: {
    schema: shown.string("Type of the event, e.g. payment.confirmed.", "payment.confirmed"),
    of: (e) => e.type,
  },
  resourceId: {
    schema: shown.string("Id of the changed resource.", PAY_ID),
    of: (e) => e.resourceId,
  },
  sequence: {
    schema: shown.integer("Number of the resource's change, from 1.", 3),
    of: (e) => e.sequence,
  },
  occurredAt: {
    schema: shown.time("Time of the event."),
    of: (e) => shown.isoTime(e.occurredAt),
  },
  // The text that deliveries send, so that amounts stay as they are and a signature can be compared.
  body: {
    schema: shown.string("Body of the webhook, as text.", EVENT_BODY),
    of: (e) => Buffer.from(e.body).toString("utf8"),
  },
} satisfies MessageFields<MerchantEvent>;

const EVENT = listNames(FIELDS);
const TERSE_EVENT = EVENT.filter((name) => name !== "body");
const { limit, after } = field.pageFields("evt");
const STREAM_PAGE = 50;
const TERSE_PAGE = 100;

const events = {
  auth: "secret",
  scope: "webhooks:read",
  tag: "Events",
  limit: "standard",
} as const;
const eventList = z
  .strictObject({
    data: z.array(buildShape("EventItem", FIELDS, EVENT)).describe("Items of this page."),
    hasMore: shown.boolean("Whether more events follow.", false),
  })
  .meta({ id: "EventList" });

function render(event: MerchantEvent) {
  return pick(FIELDS, EVENT, event);
}

const eventFilters = z.object({
  limit,
  after,
  type: field
    .choiceField(PUBLIC_TYPES as [string, ...string[]])
    .optional()
    .describe("Type of the event."),
  resourceId: field
    .getId("pay", "refund", "stl", "cust", "tr", "proj", "key")
    .optional()
    .describe("Id of the changed resource."),
  from: field.time().optional().describe("Only events stored at or after this time."),
  to: field.time().optional().describe("Only events stored before this time."),
  order: field
    .choiceField(["oldest", "newest"])
    .optional()
    .describe("`oldest` first, or `newest` first; oldest by default."),
});

const EVERY_EVENT = {
  eventType: undefined,
  resourceId: undefined,
  from: undefined,
  to: undefined,
  newestFirst: false,
  withoutBodies: false,
};

async function listEvents(
  { services }: Call,
  wanted: Parameters<typeof services.webhooks.listEvents>[0],
) {
  const { events: listed, hasMore } = await services.webhooks.listEvents(wanted);
  return { data: listed.map(render), hasMore };
}

export const listEventsRoute = route({
  ...events,
  summary: "List events in order, after a known event",
  query: eventFilters,
  response: eventList,
  success: 200,
  handle: (call) => {
    const { after: known = "", limit: wanted, type: eventType, resourceId } = call.query;
    const { from, to, order } = call.query;
    return listEvents(call, {
      after: known,
      limit: wanted,
      eventType,
      resourceId,
      from: from && timestampFromDate(from),
      to: to && timestampFromDate(to),
      newestFirst: order === "newest",
      withoutBodies: false,
    });
  },
});

/** A client that connects again names the event it has; the query is that of its first request. */
function getCursor(call: Call<{ after?: string | undefined }>): string {
  const last = call.header("last-event-id");
  if (last !== undefined && !isId("evt", last)) {
    throw new Failure("field_invalid", "Last-Event-ID must be an id that starts with evt_");
  }
  return last ?? call.query.after ?? "";
}

/** Keys and members may lose their rights while they follow. */
function readmit(
  { caller }: Pick<Call, "caller">,
  headers: IncomingHttpHeaders,
  { authenticator, signIns, dashboard }: Deps,
): Promise<Caller> {
  return caller.type === "member"
    ? signIns.admit(readCookie(headers, dashboard) ?? "", headers)
    : authenticator.authenticate(headers, "secret");
}

export const followEventsRoute = route({
  ...events,
  summary: "Stream events in order; without Accept: text/event-stream, read one page",
  headers: [
    {
      name: "Last-Event-ID",
      description: "Id of the last event that the client has; it comes before after.",
      maxLength: 28,
    },
  ],
  query: z.object({
    after,
    bodies: field
      .queryFlag()
      .optional()
      .describe("false: the stream has no `body`, and at most two parts a second."),
  }),
  response: eventList,
  success: 200,
  handle: (call) =>
    listEvents(call, { ...EVERY_EVENT, after: getCursor(call), limit: STREAM_PAGE }),
  follow: {
    description:
      "Every event after the known one as it happens, oldest first: its id, and as data the event as the list shows it.",
    open: async ({ call, request, response }, deps) => {
      // An unknown cursor is refused before the answer begins.
      await listEvents(call, { ...EVERY_EVENT, after: getCursor(call), limit: 1 });
      const isTerse = call.query.bodies === false;
      const page = {
        ...EVERY_EVENT,
        limit: isTerse ? TERSE_PAGE : STREAM_PAGE,
        withoutBodies: isTerse,
      };
      deps.eventStreams.open({
        tenant: call.tenant,
        response,
        render: (event) => pick(FIELDS, isTerse ? TERSE_EVENT : EVENT, event),
        after: getCursor(call),
        who: call.caller.type === "member" ? "member" : "key",
        isTerse,
        admit: async () => checkScope(await readmit(call, request.headers, deps), events.scope),
        list: (known) => call.services.webhooks.listEvents({ ...page, after: known }),
      });
    },
  },
});
