import { z } from "zod";
import { SCOPES } from "../caller.ts";
import type { ApiKey } from "../projects/key-storage.ts";
import type { ShownKey } from "../projects/manage-keys.ts";
import { isoTimeShape, pick, shapeOf } from "./shape.ts";

// A repeated answer comes out of storage as JSON, where times are text.
const iso = (time: Date | string | null): string | null =>
  time === null ? null : new Date(time).toISOString();

const FIELDS = {
  id: { schema: z.string(), of: (k: ApiKey) => k.id },
  type: { schema: z.enum(["secret", "publishable"]), of: (k: ApiKey) => k.type },
  mode: { schema: z.enum(["live", "test"]), of: (k: ApiKey) => k.mode },
  scopes: { schema: z.array(z.enum(SCOPES)), of: (k: ApiKey) => k.scopes },
  name: { schema: z.string().nullable(), of: (k: ApiKey) => k.name },
  prefix: { schema: z.string(), of: (k: ApiKey) => k.prefix },
  last4: { schema: z.string(), of: (k: ApiKey) => k.last4 },
  createdAt: { schema: isoTimeShape, of: (k: ApiKey) => iso(k.created_at) },
  expiresAt: { schema: isoTimeShape.nullable(), of: (k: ApiKey) => iso(k.expires_at) },
  revokedAt: { schema: isoTimeShape.nullable(), of: (k: ApiKey) => iso(k.revoked_at) },
};

const ITEM = Object.keys(FIELDS);

export const renderKey = (key: ApiKey) => pick(FIELDS, ITEM, key);
/** With the key itself, which is shown this once. */
export const renderNewKey = (key: ShownKey) => ({ ...renderKey(key), key: key.key });
export const keyItem = shapeOf(FIELDS, ITEM);
export const createdKey = keyItem.extend({ key: z.string() });
