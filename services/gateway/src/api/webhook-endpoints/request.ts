import type { Policy } from "@pay/egress";
import { PUBLIC_TYPES } from "@pay/events";
import { Failure } from "@pay/failures";
import { z } from "zod";
import * as field from "../fields.ts";
import { must } from "../must.ts";

const OVERLAP_SECONDS = { default: 86_400, max: 604_800 };
export const DELIVERY_STATES = ["pending", "delivered", "failed", "parked"] as const;
export const SCHEMES = ["v1", "sha256"] as const;

const eventsRule = must("be an array of event types; an empty one means all");
const url = z.string(must("be an https URL")).meta({ format: "uri", maxLength: 2_048 });
const settings = {
  events: field
    .listUpTo(PUBLIC_TYPES.length, z.enum(PUBLIC_TYPES, eventsRule), eventsRule)
    .transform((events) => [...new Set(events)])
    .meta({ openapi: { type: "array", items: { type: "string", enum: PUBLIC_TYPES } } }),
  signatureScheme: field.choiceField(SCHEMES),
  enabled: field.flag(),
};

export const endpointCreation = z.object({
  url,
  events: settings.events.optional(),
  signatureScheme: settings.signatureScheme.optional(),
  enabled: settings.enabled.optional(),
});

export const endpointChange = z.object({
  url: url.optional(),
  events: settings.events.optional(),
  signatureScheme: settings.signatureScheme.optional(),
  enabled: settings.enabled.optional(),
});

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
  page: endpointPages.shape.page,
  limit: endpointPages.shape.limit,
});

export const secretRotation = z.object({
  overlapSeconds: field.integer(0, OVERLAP_SECONDS.max).default(OVERLAP_SECONDS.default),
});

export const recovery = z.object({ since: field.time(), dryRun: field.flag().optional() });

export const deliveryFilters = z.object({
  ...field.pageFields("del"),
  state: field.choiceField(DELIVERY_STATES).optional(),
  type: field.choiceField(["ping", ...PUBLIC_TYPES]).optional(),
  eventId: field.getId("evt").optional(),
  resourceId: field.getId("pay", "refund", "stl", "cust").optional(),
  from: field.time().optional(),
  to: field.time().optional(),
});

/** The canonical spelling of an address that may be called; its name is resolved and checked at every attempt. */
export function receivingUrl(policy: Policy, raw: string): string {
  const { url: canonical, refused } = policy.check(raw);
  if (canonical === undefined) throw new Failure("field_invalid", `url ${refused}`);
  return canonical;
}
