import { z } from "zod";
import { SCOPES } from "../caller.ts";
import * as field from "../fields.ts";
import { listKeys } from "../projects/key-storage.ts";
import { createKey, ownerOf, revokeKey, rollKey } from "../projects/manage-keys.ts";
import { route } from "../route.ts";
import { createdKey, keyItem, renderKey, renderNewKey } from "../shapes/key.ts";
import { listShape } from "../shapes/shape.ts";
import { must } from "../validate.ts";
import { pageOf, rendersPage } from "./page.ts";

const GRACE_SECONDS = { default: 86_400, max: 604_800 };

const SCOPES_MAX = 50;
const scopesRule = must(`be an array with one or more of ${SCOPES.join(", ")}`);

const creation = z
  .object({
    type: field.oneOf(["secret", "publishable"]),
    mode: field.oneOf(["live", "test"]),
    scopes: field
      .listUpTo(SCOPES_MAX, z.enum(SCOPES, scopesRule), scopesRule)
      .refine((scopes) => scopes.length > 0, scopesRule)
      .transform((scopes) => [...new Set(scopes)])
      .meta({ openapi: { type: "array", minItems: 1, items: { type: "string", enum: SCOPES } } })
      .optional(),
    name: field.name(100).optional(),
  })
  .refine(({ type, scopes }) => type === "secret" || scopes === undefined, {
    path: ["scopes"],
    error: "must be absent: only secret keys can be restricted",
  });

const rolling = z.object({
  graceSeconds: field.integer(0, GRACE_SECONDS.max).default(GRACE_SECONDS.default),
});

const keys = { auth: "secret", tag: "Keys", limit: "standard" } as const;
const KEY = { prefix: "key", noun: "Key" } as const;

export const keyRoutes = [
  route({
    ...keys,
    method: "POST",
    path: "/v1/projects/me/keys",
    summary: "Make a key; it is shown this once",
    body: creation,
    response: createdKey,
    success: 201,
    handle: async (call, deps) => renderNewKey(await createKey(deps, call, call.body)),
  }),
  route({
    ...keys,
    method: "GET",
    path: "/v1/projects/me/keys",
    summary: "List the project's keys, newest first",
    query: z.object(field.pageFields("key")),
    response: listShape(keyItem),
    success: 200,
    handle: async (call, { pool }) => {
      const page = pageOf(call.query);
      const { rows, total } = await listKeys(pool, ownerOf(call.caller), page);
      const nextAfter = (rows.length === page.limit && rows.at(-1)?.id) || "";
      return rendersPage(call, { total: BigInt(total), nextAfter }, rows.map(renderKey));
    },
  }),
  route({
    ...keys,
    method: "DELETE",
    path: "/v1/projects/me/keys/{id}",
    id: KEY,
    summary: "Revoke a key at once",
    response: z.strictObject({ deleted: z.literal(true), id: z.string() }),
    success: 200,
    handle: async ({ caller, params }, deps) => {
      await revokeKey(deps, caller, params.id);
      return { deleted: true, id: params.id };
    },
  }),
  route({
    ...keys,
    method: "POST",
    path: "/v1/projects/me/keys/{id}/roll",
    id: KEY,
    summary: "Replace a key; the old one works until the end of the grace",
    body: rolling,
    response: createdKey,
    success: 201,
    handle: async (call, deps) =>
      renderNewKey(await rollKey(deps, call, call.params.id, call.body.graceSeconds)),
  }),
];
