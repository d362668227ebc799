import type { Policy } from "@pay/egress";
import { isByName, PUBLIC_TYPES } from "@pay/events";
import { Failure } from "@pay/failures";
import { z } from "zod";
import { CREATED_AT } from "../example-values.ts";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";

const CONCURRENCY_MAX = 64;
const OVERLAP_SECONDS = { default: 86_400, max: 604_800 };
export const DELIVERY_STATES = ["pending", "delivered", "failed", "parked"] as const;
export const SCHEMES = ["v1", "sha256", "standard"] as const;
export const SCHEME_TEXT =
  "Signature scheme: `v1`, `standard` (standardwebhooks.com), or `sha256` for older receivers.";

/** Fields that bodies of payment events have only where an endpoint includes them. */
const INCLUDABLE = ["metadata", "receivedAmount", "refundedAmount", "failureCode"] as const;

const includeRule = buildRule(`be an array of ${INCLUDABLE.join(", ")}`);
const eventsRule = buildRule(
  "be an array of event types; an empty array means all that need not be listed",
);
const BY_NAME = PUBLIC_TYPES.filter(isByName)
  .map((type) => `\`${type}\``)
  .join(", ");
const url = z.string(buildRule("be an https URL")).meta({
  description: "URL that receives the events.",
  example: "https://shop.example/webhooks",
  format: "uri",
  maxLength: 2_048,
});
const settings = {
  events: field
    .listUpTo(PUBLIC_TYPES.length, z.enum(PUBLIC_TYPES, eventsRule), eventsRule)
    .transform((events) => [...new Set(events)])
    .meta({
      description: `Event types that are sent to the endpoint; an empty list means all but ${BY_NAME}, which must be listed.`,
      openapi: { type: "array", items: { type: "string", enum: PUBLIC_TYPES } },
    })
    .optional(),
  signatureScheme: field.choiceField(SCHEMES).optional().describe(SCHEME_TEXT),
  concurrencyMax: field
    .integer(1, CONCURRENCY_MAX)
    .optional()
    .meta({ description: "Most requests to the endpoint at once; 8 by default.", example: 8 }),
  include: field
    .listUpTo(INCLUDABLE.length, z.enum(INCLUDABLE, includeRule), includeRule)
    .transform((names) => [...new Set(names)])
    .meta({
      description: "Fields that the bodies of payment events have besides; none by default.",
      openapi: { type: "array", items: { type: "string", enum: INCLUDABLE } },
    })
    .optional(),
  enabled: field.flag().optional().describe("Whether events are sent to the endpoint."),
};

export const endpointCreation = z.object({ url, ...settings });

export const endpointChange = z.object({ url: url.optional(), ...settings });

export const endpointPages = z.object(field.pageFields("we"));

export const CHANGES = [
  "created",
  "url_changed",
  "settings_changed",
  "enabled",
  "disabled",
  "disabled_failing",
  "secret_added",
  "secret_activated",
  "deleted",
] as const;

export const changePages = z.object({
  page: endpointPages.shape.page.describe("Page number, from 1."),
  limit: endpointPages.shape.limit.describe("Maximum number of items of a page."),
});

export const secretRotation = z.object({
  overlapSeconds: field
    .integer(0, OVERLAP_SECONDS.max)
    .default(OVERLAP_SECONDS.default)
    .describe("Seconds for which both secrets sign."),
});

export const recovery = z.object({
  since: field
    .time()
    .meta({ description: "Only deliveries since this time.", example: CREATED_AT }),
  until: field.time().optional().describe("Only deliveries before this time; none is now."),
  dryRun: field.flag().optional().describe("Count the deliveries without sending them."),
});

export const deliveryFilters = z.object({
  ...field.pageFields("del"),
  state: field
    .choiceField(DELIVERY_STATES)
    .optional()
    .describe("`pending`, `delivered`, `failed` or `parked`."),
  type: field
    .choiceField(["ping", ...PUBLIC_TYPES])
    .optional()
    .describe("Type of the event."),
  eventId: field.getId("evt").optional().describe("Id of the event."),
  resourceId: field
    .getId("pay", "refund", "stl", "cust", "tr", "proj", "key")
    .optional()
    .describe("Id of the changed resource."),
  from: field.time().optional().describe("Only deliveries created at or after this time."),
  to: field.time().optional().describe("Only deliveries created before this time."),
});

/** The canonical spelling of an address that may be called; its name is resolved and checked at every attempt. */
export function receivingUrl(policy: Policy, raw: string): string {
  const { url: canonical, refused } = policy.check(raw);
  if (canonical === undefined) throw new Failure("field_invalid", `url ${refused}`);
  return canonical;
}
