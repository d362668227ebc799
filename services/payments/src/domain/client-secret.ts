// The client secret is derived, never stored: the same payment always has the same secret, a replayed answer
// carries it again, and no table or topic holds it. Keys have versions, so that a new one can come into use while
// payments made under the old one are still open.
import { createHmac, timingSafeEqual } from "node:crypto";
import { toBase62 } from "@pay/values";
import type { Payment } from "./payment.ts";

export interface SecretKeys {
  /** Signs new payments. */
  current: number;
  keys: ReadonlyMap<number, string>;
}

const KEY = /^([1-9][0-9]{0,3}):(.{32,})$/;

/**
 * Reads `1:key,2:newer key`, of which the first signs: every replica must know a key before one of them signs with it.
 * Undefined when a part is not of that form, or a version comes twice.
 */
export function parseSecretKeys(text: string): SecretKeys | undefined {
  const entries = text.split(",").map((part) => KEY.exec(part.trim()));
  const keys = new Map<number, string>();
  for (const entry of entries) {
    if (entry === null || keys.has(Number(entry[1]))) return undefined;
    keys.set(Number(entry[1]), entry[2] as string);
  }
  return { keys, current: Number(entries[0]?.[1]) };
}

const TEST_MODE = 2;

interface Subject {
  id: string;
  mode: number;
  secret_version: number;
}

/** Undefined where the key that signed it is no longer there. */
export function deriveClientSecret(payment: Subject, { keys }: SecretKeys): string | undefined {
  const key = keys.get(payment.secret_version);
  if (key === undefined) return undefined;
  const digest = createHmac("sha256", key).update(payment.id).digest();
  return `cs_${payment.mode === TEST_MODE ? "test" : "live"}_${toBase62(digest, 43)}`;
}

/** Takes the same time whatever the text. */
export function isClientSecret(text: string, payment: Subject, keys: SecretKeys): boolean {
  const secret = deriveClientSecret(payment, keys);
  if (secret === undefined) return false;
  const expected = Buffer.from(secret);
  const given = Buffer.alloc(expected.length);
  given.write(text);
  return timingSafeEqual(given, expected) && Buffer.byteLength(text) === expected.length;
}

const LIVES_ON_MS = 24 * 60 * 60_000;

type Ended = Pick<Payment, "status" | "expires_at" | "confirmed_at">;

/**
 * Whether the payment ended so long ago that its secret opens nothing more. Of a payment that was paid the confirmation
 * counts, not a later refund; one that was not can end no later than it expires, unless a transaction is judged still.
 */
export function hasOutlived({ status, expires_at, confirmed_at }: Ended, now: Date): boolean {
  if (status === "processing") return false;
  const endedAt = confirmed_at ?? expires_at;
  return now.getTime() >= endedAt.getTime() + LIVES_ON_MS;
}
