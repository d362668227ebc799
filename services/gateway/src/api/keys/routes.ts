import { createKey, revokeKey, rollKey } from "../../keys/manage-keys.ts";
import { listKeys } from "../../keys/storage.ts";
import { route } from "../../pipeline/route.ts";
import { IDS } from "../example-values.ts";
import { deleted } from "../field-values.ts";
import { getPage, renderPage } from "../page.ts";
import { listShape } from "../response-fields.ts";
import { keyCreation, keyFilters, keyRolling } from "./request.ts";
import { createdKey, keyItem, renderKey, renderNewKey, rolledKey } from "./response.ts";

// Without this a restricted key could give itself the rights it lacks, and a test key could make live keys.
const keys = {
  auth: "secret",
  unrestrictedLive: true,
  tag: "Keys",
  limit: "standard",
  audit: { ofKeys: true, own: true },
} as const;
const KEY = { prefix: "key", noun: "Key" } as const;

export const createKeyRoute = route({
  ...keys,
  summary: "Create a key; it is returned once",
  example: {
    request: { scopes: ["payments:read"], name: "Reports" },
    response: { lastUsedAt: null },
  },
  body: keyCreation,
  response: createdKey,
  success: 201,
  handle: async (call, deps) => renderNewKey(await createKey(deps, call, call.body)),
});

export const listKeysRoute = route({
  ...keys,
  summary: "List the project's keys, newest first",
  query: keyFilters,
  response: listShape("ProjectKeyList", keyItem),
  success: 200,
  handle: async (call, { pool, clock }) => {
    const { type, state } = call.query;
    const filter = { page: getPage(call.query), type, state, now: clock.now() };
    const { rows, total, nextAfter } = await listKeys(pool, call.caller.projectId, filter);
    return renderPage(call, { total: BigInt(total), nextAfter }, rows.map(renderKey));
  },
});

export const revokeKeyRoute = route({
  ...keys,
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
  ...keys,
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
