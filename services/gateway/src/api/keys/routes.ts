import { createKey, revokeKey, rollKey } from "../../keys/manage-keys.ts";
import { listKeys } from "../../keys/storage.ts";
import { route } from "../../pipeline/route.ts";
import { IDS } from "../example-values.ts";
import { deleted } from "../field-values.ts";
import { getPage, renderPage } from "../page.ts";
import { listShape } from "../response-fields.ts";
import { keyCreation, keyFilters, keyRolling } from "./request.ts";
import { createdKey, keyItem, renderKey, renderNewKey, rolledKey } from "./response.ts";

const keys = { auth: "secret", tag: "Keys", limit: "standard" } as const;
const writing = {
  ...keys,
  scope: "keys:write",
  confirmed: true,
  audit: { ofKeys: true, own: true },
} as const;
const KEY = { prefix: "key", noun: "Key" } as const;

export const createKeyRoute = route({
  ...writing,
  summary: "Create a key; it is returned once",
  example: {
    request: { scopes: ["payments:read"], name: "Reports" },
    response: { lastUsedAt: null },
  },
  body: keyCreation,
  response: createdKey,
  success: 201,
  failures: ["live_key_required"],
  handle: async (call, deps) => renderNewKey(await createKey(deps, call, call.body)),
});

export const listKeysRoute = route({
  ...keys,
  scope: "keys:read",
  summary: "List the project's keys, newest first; in test mode those of test mode",
  query: keyFilters,
  response: listShape("ProjectKeyList", keyItem),
  success: 200,
  handle: async (call, { pool, clock }) => {
    const { type, state } = call.query;
    const { mode } = call.caller;
    const filter = { page: getPage(call.query), mode, type, state, now: clock.now() };
    const { rows, total, nextAfter } = await listKeys(pool, call.caller.projectId, filter);
    return renderPage(call, { total: BigInt(total), nextAfter }, rows.map(renderKey));
  },
});

export const revokeKeyRoute = route({
  ...writing,
  id: KEY,
  summary: "Revoke a key",
  example: { response: { id: IDS.key } },
  response: deleted,
  success: 200,
  failures: ["api_key_last"],
  handle: async (call, deps) => {
    const { id } = call.params;
    await revokeKey(deps, call, id);
    return { deleted: true, id };
  },
});

export const rollKeyRoute = route({
  ...writing,
  id: KEY,
  summary: "Roll a key; the old key works until the end of the grace period",
  example: { request: { graceSeconds: 86_400 }, response: { lastUsedAt: null } },
  body: keyRolling,
  response: rolledKey,
  success: 201,
  failures: ["api_key_already_rolled"],
  handle: async (call, deps) =>
    renderNewKey(await rollKey(deps, call, call.params.id, call.body.graceSeconds)),
});
