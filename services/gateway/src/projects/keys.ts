import { newId, newSecret } from "@pay/money";
import type { KeyMode, KeyType, Scope } from "../caller.ts";
import { digestKey } from "../digest.ts";

/** A key at the only moment it is known in plain text. */
export interface NewKey {
  id: string;
  text: string;
  type: KeyType;
  mode: KeyMode;
  scopes: readonly Scope[];
  name: string | null;
  digest: Buffer;
  prefix: string;
  last4: string;
}

/** sk: everything; rk: a secret key restricted to scopes; pk: what a browser may do. */
export const newKey = (
  key: { type: KeyType; mode: KeyMode; scopes?: readonly Scope[]; name?: string | null },
  pepper: string,
): NewKey => {
  const { type, mode, scopes = [], name = null } = key;
  const kind = type === "publishable" ? "pk" : scopes.length > 0 ? "rk" : "sk";
  const prefix = `${kind}_${mode}_`;
  const text = newSecret(prefix);
  return {
    id: newId("key"),
    text,
    type,
    mode,
    scopes,
    name,
    digest: digestKey(text, pepper),
    prefix,
    last4: text.slice(-4),
  };
};
