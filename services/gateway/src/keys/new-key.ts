import { newId, newSecret } from "@pay/values";
import { ALL_SCOPES, isEveryScope, type KeyMode, type KeyType } from "./caller.ts";
import { toDigest } from "./digest.ts";
import type { Pepper } from "./pepper.ts";

/** A new key, which is known in plain text only now. */
export interface NewKey {
  id: string;
  text: string;
  type: KeyType;
  mode: KeyMode;
  /** As they are stored. */
  scopes: readonly string[];
  name: string | null;
  /** Addresses and ranges that it may be used from; everywhere where it is empty. */
  allowedAddresses: readonly string[];
  expiresAt: Date | null;
  digest: Buffer;
  /** Of the pepper under the digest. */
  pepperVersion: number;
  prefix: string;
  last4: string;
}

type KeyBounds = Pick<NewKey, "scopes" | "name" | "allowedAddresses" | "expiresAt">;

/** sk: everything; rk: a secret key restricted to scopes; pk: what a browser may do. */
export function newKey(
  key: Pick<NewKey, "type" | "mode"> & Partial<KeyBounds>,
  pepper: Pepper,
): NewKey {
  const { type, mode, scopes = ALL_SCOPES, name = null } = key;
  const { allowedAddresses = [], expiresAt = null } = key;
  const kind = type === "publishable" ? "pk" : isEveryScope(scopes) ? "sk" : "rk";
  const prefix = `${kind}_${mode}_`;
  const text = newSecret(prefix);
  return {
    id: newId("key"),
    text,
    type,
    mode,
    scopes,
    name,
    allowedAddresses,
    expiresAt,
    digest: toDigest(text, pepper),
    pepperVersion: pepper.version,
    prefix,
    last4: text.slice(-4),
  };
}
