import { isEveryScope } from "../../keys/caller.ts";
import type { ShownKey } from "../../keys/manage-keys.ts";
import type { ApiKey } from "../../keys/storage.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

const FIELDS = {
  id: { schema: shown.id("key"), of: (k: ApiKey) => k.id },
  type: {
    schema: shown.choice(["secret", "publishable"], "`secret` or `publishable`.", "secret"),
    of: (k: ApiKey) => k.type,
  },
  mode: {
    schema: shown.choice(["live", "test"], "`live` or `test`.", "live"),
    of: (k: ApiKey) => k.mode,
  },
  scopes: {
    schema: shown.strings("Scopes of a restricted key; an empty list for an unrestricted key.", [
      "payments:read",
    ]),
    of: (k: ApiKey) => (isEveryScope(k.scopes) ? [] : k.scopes),
  },
  name: {
    schema: shown.stringOrNull("Name of the key; null without one.", "Reports"),
    of: (k: ApiKey) => k.name,
  },
  prefix: {
    schema: shown.string("First characters of the key.", "rk_live_"),
    of: (k: ApiKey) => k.prefix,
  },
  last4: {
    schema: shown.string("Last four characters of the key.", "9Lzr"),
    of: (k: ApiKey) => k.last4,
  },
  createdAt: { schema: shown.createdAt, of: (k: ApiKey) => shown.storedTime(k.created_at) },
  createdBy: {
    schema: shown.string("Id of the key or member that created it, or `operator`.", "operator"),
    of: (k: ApiKey) => k.created_by,
  },
  lastUsedAt: {
    schema: shown.timeOrNull("Time of the last use, to about a minute; null for never."),
    of: (k: ApiKey) => shown.storedTime(k.last_used_at),
  },
  expiresAt: {
    schema: shown.timeOrNull("Time at which the key stops working; null for never."),
    of: (k: ApiKey) => shown.storedTime(k.expires_at),
  },
  allowedAddresses: {
    schema: shown.strings(
      "Addresses and ranges that may use the key; an empty list means all.",
      [],
    ),
    of: (k: ApiKey) => k.allowed_addresses,
  },
  revokedAt: {
    schema: shown.timeOrNull("Time of the revocation; null before it."),
    of: (k: ApiKey) => shown.storedTime(k.revoked_at),
  },
};

const ITEM = listNames(FIELDS);

export function renderKey(key: ApiKey) {
  return pick(FIELDS, ITEM, key);
}

/** With the key itself, which is shown this once. */
export function renderNewKey(key: ShownKey) {
  return { ...renderKey(key), key: key.key };
}

export const keyItem = buildShape("ProjectKeyItem", FIELDS, ITEM);
const withKey = {
  key: shown.string(
    "The API key. Returned once.",
    "rk_live_2sXc4vB6nM8kJ0hG3fD5aS7pO9iU1yT3rE5wQ6z9Lzr",
  ),
};
export const createdKey = keyItem.extend(withKey).meta({ id: "CreatedProjectKey" });
export const rolledKey = keyItem.extend(withKey).meta({ id: "ProjectKeyRoll" });
