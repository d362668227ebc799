/** `$1, $2 …` from a starting number on. */
export function parameters(count: number, from: number): string {
  return Array.from({ length: count }, (_, at) => `$${from + at}`).join(", ");
}

/** `$1::text, $2::bigint …` from a starting number on. */
export function typedParameters(sqlTypes: readonly string[], from: number): string {
  return sqlTypes.map((type, at) => `$${from + at}::${type}`).join(", ");
}

/** `$1::text[], $2::bigint[] …` from a starting number on, for one unnest of columns. */
export function arrayParameters(sqlTypes: readonly string[], from: number): string {
  return typedParameters(
    sqlTypes.map((type) => `${type}[]`),
    from,
  );
}

/** The named columns of rows, each as one array for arrayParameters. */
export function columnArrays<Row>(
  columns: readonly (keyof Row)[],
  rows: readonly Row[],
): unknown[][] {
  return columns.map((column) => rows.map((row) => asElement(row[column])));
}

type Element = string | number | bigint | boolean | null | undefined;

const NEEDS_NO_QUOTES = /^[\w.:+/?=&%~@-]+$/;

/**
 * A list as the text that PostgreSQL reads. pg builds this text piece by piece with quotes around each element; for the
 * lists of a dispatcher of webhooks that was an eighth of all it left to the garbage collector.
 */
export function arrayText(values: readonly Element[]): string {
  return `{${values.map(elementText).join()}}`;
}

function elementText(value: Element): string | number | bigint | boolean {
  if (typeof value !== "string") return value ?? "NULL";
  const isPlain = NEEDS_NO_QUOTES.test(value) && value.toUpperCase() !== "NULL";
  return isPlain ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
}

// pg writes an array as text: a bigint in it needs its digits, a list of a json column its JSON.
function asElement(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  return Array.isArray(value) ? JSON.stringify(value) : value;
}

const BYTEA_OID = 17;
const ARRAY_HEAD_BYTES = 20;
/** In place of a length. */
const NULL = -1;

/**
 * A list of bytes as PostgreSQL reads an array in binary form: one buffer. pg writes such a list as text, with two digits for each
 * byte, and holds it five times while it does so.
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
