import { listDigests } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";

/** Characters of the longest subject. */
export const SUBJECT_LENGTH_MAX = 255;

/** What is kept of an issuer's subject: under the current pepper first, then under the older ones. */
export function subjectDigests(
  issuer: string,
  subject: string,
  peppers: Peppers,
): [Buffer, ...Buffer[]] {
  return listDigests(JSON.stringify([issuer, subject]), peppers);
}
