// What a passkey signs. A browser keeps the token that its challenge is derived from, so that nothing is stored before
// an answer is right, and no other browser can use the answer.
import { newSecret } from "@pay/values";
import { listDigests, toDigest } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";

export const CHALLENGE_MS = 5 * 60_000;
const PREFIX = "chal_";
const FORM = /^(\d{13})\.chal_[0-9A-Za-z]{43}$/;

/** What the answer is for: an answer for one purpose or member is none for another. */
export type Purpose = "sign-in" | `add ${string}` | `confirm ${string}` | `oidc ${string}`;

export interface Challenge {
  /** Kept by the browser. */
  token: string;
  bytes: Buffer;
}

function toText(purpose: Purpose, token: string): string {
  return `challenge ${purpose} ${token}`;
}

export function createChallenge(purpose: Purpose, peppers: Peppers, now: Date): Challenge {
  const token = `${now.getTime() + CHALLENGE_MS}.${newSecret(PREFIX)}`;
  return { token, bytes: toDigest(toText(purpose, token), peppers[0]) };
}

/** The challenges that the token stands for, one for each pepper; undefined where it is none or late. */
export function readChallenge(
  token: string | undefined,
  purpose: Purpose,
  { peppers, now }: { peppers: Peppers; now: Date },
): { digests: Buffer[]; expiresAt: Date } | undefined {
  const [, expiry] = FORM.exec(token ?? "") ?? [];
  if (token === undefined || expiry === undefined) return undefined;
  const expiresAt = new Date(Number(expiry));
  if (expiresAt.getTime() <= now.getTime()) return undefined;
  return { digests: listDigests(toText(purpose, token), peppers), expiresAt };
}
