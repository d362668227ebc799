import { z } from "zod";
import { SCOPES } from "../../keys/caller.ts";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";

const GRACE_SECONDS = { default: 86_400, max: 604_800 };

const SCOPES_MAX = 50;
const scopesRule = buildRule(`be an array with one or more of ${SCOPES.join(", ")}`);

export const keyCreation = z
  .object({
    type: field.choiceField(["secret", "publishable"]).describe("`secret` or `publishable`."),
    mode: field.choiceField(["live", "test"]).describe("`live` or `test`."),
    scopes: field
      .listUpTo(SCOPES_MAX, z.enum(SCOPES, scopesRule), scopesRule)
      .refine((scopes) => scopes.length > 0, scopesRule)
      .transform((scopes) => [...new Set(scopes)])
      .meta({ openapi: { type: "array", minItems: 1, items: { type: "string", enum: SCOPES } } })
      .optional()
      .describe("Scopes of a restricted key; an empty list for an unrestricted key."),
    name: field.name(100).optional().describe("Name of the key."),
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

export const keyPages = z.object(field.pageFields("key"));
