import { z } from "zod";
import type { ShownKey } from "../../keys/manage-keys.ts";
import type { ApiKey } from "../../keys/storage.ts";
import { isoTimeShape } from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

// A repeated answer comes out of storage as JSON, where times are text.
function iso(time: Date | string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

const FIELDS = {
  id: { schema: z.string(), of: (k: ApiKey) => k.id },
  type: { schema: z.enum(["secret", "publishable"]), of: (k: ApiKey) => k.type },
  mode: { schema: z.enum(["live", "test"]), of: (k: ApiKey) => k.mode },
  scopes: { schema: z.array(z.string()), of: (k: ApiKey) => k.scopes },
  name: { schema: z.string().nullable(), of: (k: ApiKey) => k.name },
  prefix: { schema: z.string(), of: (k: ApiKey) => k.prefix },
  last4: { schema: z.string(), of: (k: ApiKey) => k.last4 },
  createdAt: { schema: isoTimeShape, of: (k: ApiKey) => iso(k.created_at) },
  createdBy: { schema: z.string(), of: (k: ApiKey) => k.created_by },
  lastUsedAt: { schema: isoTimeShape.nullable(), of: (k: ApiKey) => iso(k.last_used_at) },
  expiresAt: { schema: isoTimeShape.nullable(), of: (k: ApiKey) => iso(k.expires_at) },
  revokedAt: { schema: isoTimeShape.nullable(), of: (k: ApiKey) => iso(k.revoked_at) },
};

const ITEM = listNames(FIELDS);

export function renderKey(key: ApiKey) {
  return pick(FIELDS, ITEM, key);
}

/** With the key itself, which is shown this once. */
export function renderNewKey(key: ShownKey) {
  return { ...renderKey(key), key: key.key };
}

export const keyItem = buildShape(FIELDS, ITEM);
export const createdKey = keyItem.extend({ key: z.string() });
