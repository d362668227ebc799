type Element = string | number | bigint | boolean | null | undefined;

const NEEDS_NO_QUOTES = /^[\w.:+/?=&%~@-]+$/;

/**
 * A list as the text that PostgreSQL reads. pg puts quotes around each element, which was an eighth of the garbage of a
 * dispatcher of webhooks.
 */
export function arrayText(values: readonly Element[]): string {
  return `{${values.map(elementText).join()}}`;
}

function elementText(value: Element): string | number | bigint | boolean {
  if (typeof value !== "string") return value ?? "NULL";
  const isPlain = NEEDS_NO_QUOTES.test(value) && value.toUpperCase() !== "NULL";
  return isPlain ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

const BYTEA_OID = 17;
const ARRAY_HEAD_BYTES = 20;
/** In place of a length. */
const NULL = -1;

/**
 * A list of bytes as PostgreSQL reads an array in binary form. pg writes such a list as text and holds it five times
 * while it does so.
 */
export function byteaArray(values: readonly (Uint8Array | null | undefined)[]): Buffer {
  const size = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), ARRAY_HEAD_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  const hasNull = values.some((value) => value == null);
  // One dimension, whether a null is in it, the elements' type, how many there are, and the number of the first.
  let at = 0;
  for (const head of [1, Number(hasNull), BYTEA_OID, values.length, 1]) {
    at = bytes.writeInt32BE(head, at);
  }
  for (const value of values) {
    at = bytes.writeInt32BE(value?.length ?? NULL, at);
    if (value == null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}
