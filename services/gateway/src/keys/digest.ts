import { createHmac, timingSafeEqual } from "node:crypto";
import type { Pepper, Peppers } from "./pepper.ts";

/** The digest that is stored instead of a key, a session or a subject; without the pepper it cannot be reversed. */
export function toDigest(text: string, { secret }: Pepper): Buffer {
  return createHmac("sha256", secret).update(text).digest();
}

/** The digests under each pepper, that of the current one first. */
export function listDigests(text: string, [current, ...older]: Peppers): [Buffer, ...Buffer[]] {
  return [toDigest(text, current), ...older.map((pepper) => toDigest(text, pepper))];
}

/** Whether a row has one of the digests; takes the same time wherever they differ. */
export function bears(row: { digest: Buffer }, digests: readonly Buffer[]): boolean {
  return digests.some((digest) => timingSafeEqual(digest, row.digest));
}

/** For each list of digests the row with one of them. */
export function byDigests<R extends { digest: Buffer }>(
  rows: readonly R[],
  wanted: readonly Buffer[][],
): (R | undefined)[] {
  const found = new Map(rows.map((row) => [row.digest.toString("latin1"), row]));
  return wanted.map((digests) => {
    const digest = digests.find((one) => found.has(one.toString("latin1")));
    return digest && found.get(digest.toString("latin1"));
  });
}
