// The client secret is derived, never stored: a repeated response has it again, and no table or topic has it. Keys have
// versions, so that a new key can be used while payments of the old one are open.
import { createHmac, timingSafeEqual } from "node:crypto";
import { toBase62 } from "@pay/values";
import type { Payment } from "./payment.ts";

export interface SecretKeys {
  /** Signs new payments. */
  current: number;
  keys: ReadonlyMap<number, string>;
}

const KEY = /^([1-9][0-9]{0,3}):(.{32,})$/;

/** Parses `1:key,2:newer key`, of which the first signs: every replica needs a key before one of them signs with it. */
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

/** Undefined where its key is not configured. */
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

/** A secret ends a day after the confirmation of its payment, or after the time limit of an unpaid one. */
export function hasOutlived({ status, expires_at, confirmed_at }: Ended, now: Date): boolean {
  if (status === "processing") return false;
  const endedAt = confirmed_at ?? expires_at;
  return now.getTime() >= endedAt.getTime() + LIVES_ON_MS;
}
