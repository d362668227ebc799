// An id is a prefix and 24 characters: 8 of time and 16 random ones. Ids sort by the time at which they were made, so
// tables and indexes grow at their end, and another id of the same millisecond is one of 62^16. No right follows from
// knowing an id.
import { createHash, randomBytes, randomFillSync } from "node:crypto";

// In ASCII order, so that texts of one length sort as their numbers do.
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// The largest multiple of 62 that a byte can hold. Bytes beyond it would favour some characters, so they are dropped.
const FAIR_MAX = 248;
const TIME_LENGTH = 8;
const RANDOM_LENGTH = 16;
const SUFFIX_LENGTH = TIME_LENGTH + RANDOM_LENGTH;

export type IdPrefix =
  | "pay"
  | "cust"
  | "refund"
  | "sweep"
  | "proj"
  | "stl"
  | "dst"
  | "we"
  | "evt"
  | "key"
  | "del"
  | "tr"
  | "book"
  | "mem"
  | "aud"
  | "log"
  | "auth";

// One system call fills the pool for about 250 ids.
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomCharacters(count: number): string {
  let text = "";
  while (text.length < count) {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used++] as number;
    if (byte < FAIR_MAX) text += ALPHABET[byte % 62];
  }
  return text;
}

/** Milliseconds in base 62; 8 characters last until the year 8888. */
function timeCharacters(ms: number): string {
  let text = "";
  for (let rest = ms; text.length < TIME_LENGTH; rest = Math.floor(rest / 62)) {
    text = ALPHABET[rest % 62] + text;
  }
  return text;
}

/** An id of this moment; its 95 random bits cannot be guessed. */
export function newId(prefix: IdPrefix, nowMs = Date.now()): string {
  return `${prefix}_${timeCharacters(nowMs)}${randomCharacters(RANDOM_LENGTH)}`;
}

const SUFFIX = new RegExp(`_([0-9A-Za-z]{${TIME_LENGTH}})[0-9A-Za-z]{${RANDOM_LENGTH}}$`);

/** An id that the same source and details always give, with the time of the source, which is an id itself. */
export function derivedId(
  prefix: IdPrefix,
  source: string,
  ...details: (string | number)[]
): string {
  const digest = createHash("sha256")
    .update([source, ...details].join(" "))
    .digest();
  const time = SUFFIX.exec(source)?.[1] ?? "";
  return `${prefix}_${time}${toBase62(digest, SUFFIX_LENGTH - time.length)}`;
}

/** An id for a row that has a number already, and for one reader of it: it holds the time, the number and a check. */
export function numberedId(
  prefix: IdPrefix,
  { ms, number, reader }: { ms: number; number: bigint; reader: string },
): string {
  let digits = "";
  for (let rest = number; digits.length < NUMBER_LENGTH; rest /= 62n) {
    digits = ALPHABET[Number(rest % 62n)] + digits;
  }
  const head = `${timeCharacters(ms)}${digits}`;
  const digest = createHash("sha256").update(`${head} ${reader}`).digest();
  return `${prefix}_${head}${toBase62(digest, SUFFIX_LENGTH - head.length)}`;
}

/** 62^11 is more than a column of 64 bits holds. */
const NUMBER_LENGTH = 11;

/** The number in such an id; undefined where it was made for another reader. */
export function numberOfId(prefix: IdPrefix, id: string, reader: string): bigint | undefined {
  if (!isId(prefix, id)) return undefined;
  const suffix = id.slice(prefix.length + 1);
  const ms = Number(readDigits(suffix.slice(0, TIME_LENGTH)));
  const number = readDigits(suffix.slice(TIME_LENGTH, TIME_LENGTH + NUMBER_LENGTH));
  return numberedId(prefix, { ms, number, reader }) === id ? number : undefined;
}

function readDigits(text: string): bigint {
  let value = 0n;
  for (const digit of text) value = value * 62n + BigInt(ALPHABET.indexOf(digit));
  return value;
}

/** Whether the text has the form of such an id; it does not follow that the id exists. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 1 + SUFFIX_LENGTH &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9A-Za-z]+$/.test(text.slice(prefix.length + 1))
  );
}

/** A secret of 256 random bits; its prefix, e.g. sk_live_, shows its owner what leaked. */
export function newSecret(prefix: string): string {
  return prefix + toBase62(randomBytes(32), 43);
}

// Five digits at a time: 62^5 times a 16-bit limb is still an exact number.
const STEP_DIGITS = 5;
const STEP = 62 ** STEP_DIGITS;

/** Bytes as base62 text of a fixed length, most significant digit first; an even number of bytes. */
export function toBase62(bytes: Uint8Array, length: number): string {
  const limbs: number[] = [];
  for (let at = 0; at < bytes.length; at += 2) {
    limbs.push(((bytes[at] as number) << 8) | (bytes[at + 1] as number));
  }
  let text = "";
  while (text.length < length) {
    let rest = 0;
    for (let at = 0; at < limbs.length; at++) {
      const value = rest * 65_536 + (limbs[at] as number);
      limbs[at] = Math.floor(value / STEP);
      rest = value % STEP;
    }
    for (let digit = 0; digit < STEP_DIGITS; digit++) {
      text = ALPHABET[rest % 62] + text;
      rest = Math.floor(rest / 62);
    }
  }
  return text.slice(-length);
}

/** The owner of the data a request is about; every query names both. */
export interface Tenant {
  projectId: string;
  mode: number;
}
