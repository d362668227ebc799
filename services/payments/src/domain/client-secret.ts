// The client secret is derived, never stored: the same payment always has the same secret, a replayed answer
// carries it again, and no table or topic holds it. Keys have versions, so that a new one can come into use while
// payments made under the old one are still open.
import { createHmac, timingSafeEqual } from "node:crypto";
import { toBase62 } from "@pay/money";

export interface SecretKeys {
  /** Signs new payments. */
  current: number;
  keys: ReadonlyMap<number, string>;
}

const KEY = /^([1-9][0-9]{0,3}):(.{32,})$/;

/** Reads `1:key,2:newer key`; undefined when a part is not of that form. */
export const parseSecretKeys = (text: string): SecretKeys | undefined => {
  const keys = new Map<number, string>();
  for (const part of text.split(",")) {
    const match = KEY.exec(part.trim());
    if (match === null) return undefined;
    keys.set(Number(match[1]), match[2] as string);
  }
  return { keys, current: Math.max(...keys.keys()) };
};

const TEST_MODE = 2;

interface Subject {
  id: string;
  mode: number;
  secret_version: number;
}

export const clientSecretOf = (payment: Subject, { keys }: SecretKeys): string => {
  const key = keys.get(payment.secret_version);
  if (key === undefined) throw new Error(`client secret key ${payment.secret_version} is missing`);
  const digest = createHmac("sha256", key).update(payment.id).digest();
  return `cs_${payment.mode === TEST_MODE ? "test" : "live"}_${toBase62(digest, 43)}`;
};

/** Takes the same time whatever the text. */
export const isClientSecret = (text: string, payment: Subject, keys: SecretKeys): boolean => {
  const expected = Buffer.from(clientSecretOf(payment, keys));
  const given = Buffer.alloc(expected.length);
  given.write(text);
  return timingSafeEqual(given, expected) && Buffer.byteLength(text) === expected.length;
};
