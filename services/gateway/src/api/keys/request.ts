import { isIP } from "node:net";
import { isInRanges, parseRange } from "@pay/egress";
import { z } from "zod";
import { SCOPES } from "../../keys/caller.ts";
import { KEY_STATES, KEY_TYPES } from "../../keys/storage.ts";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";

const GRACE_SECONDS = { default: 86_400, max: 604_800 };

const ADDRESSES_MAX = 50;
const RANGE = /^([0-9a-fA-F:.]{2,45})(?:\/(\d{1,3}))?$/;
const addressesRule = buildRule(
  `be an array of at most ${ADDRESSES_MAX} IPv4 or IPv6 addresses or ranges, e.g. 203.0.113.0/24`,
);

/** An address that is in its own range has a form that requests are compared with. */
function isRange(text: string): boolean {
  const [, address = "", bits] = RANGE.exec(text) ?? [];
  if (Number(bits ?? 0) > (address.includes(":") ? 128 : 32) || isIP(address) === 0) return false;
  return isInRanges(address, [parseRange(text)]);
}

const SCOPES_MAX = 50;
const scopesRule = buildRule(`be an array with one or more of ${SCOPES.join(", ")}`);

export const keyCreation = z
  .object({
    type: field.choiceField(KEY_TYPES).describe("`secret` or `publishable`."),
    mode: field.choiceField(["live", "test"]).describe("`live` or `test`."),
    scopes: field
      .listUpTo(SCOPES_MAX, z.enum(SCOPES, scopesRule), scopesRule)
      .refine((scopes) => scopes.length > 0, scopesRule)
      .transform((scopes) => [...new Set(scopes)])
      .meta({ openapi: { type: "array", minItems: 1, items: { type: "string", enum: SCOPES } } })
      .optional()
      .describe("Scopes of a restricted key; an empty list for an unrestricted key."),
    name: field.name(100).optional().describe("Name of the key."),
    allowedAddresses: field
      .listUpTo(
        ADDRESSES_MAX,
        z.string(addressesRule).refine(isRange, addressesRule),
        addressesRule,
      )
      .meta({
        openapi: { type: "array", maxItems: ADDRESSES_MAX, items: { type: "string" } },
        example: ["203.0.113.0/24"],
      })
      .optional()
      .describe("Addresses and ranges from which a secret key may be used; absent for all."),
    expiresAt: field
      .time()
      .meta({ openapi: { type: "string", format: "date-time" } })
      .optional()
      .describe("Time at which the key stops working; absent for never."),
  })
  .refine(({ type, allowedAddresses = [] }) => type === "secret" || allowedAddresses.length === 0, {
    path: ["allowedAddresses"],
    error: "must be absent: shoppers use publishable keys from everywhere",
  })
  .refine(({ type, scopes }) => type === "secret" || scopes === undefined, {
    path: ["scopes"],
    error: "must be absent: only secret keys can be restricted",
  });

export const keyRolling = z.object({
  graceSeconds: field
    .integer(0, GRACE_SECONDS.max)
    .default(GRACE_SECONDS.default)
    .describe("Seconds for which the old key still works."),
});

export const keyFilters = z.object({
  ...field.pageFields("key"),
  type: field.choiceField(KEY_TYPES).optional().describe("`secret` or `publishable`."),
  state: field.choiceField(KEY_STATES).optional().describe("`active`, `expired` or `revoked`."),
});
