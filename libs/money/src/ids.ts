import { randomBytes, randomFillSync } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// The largest multiple of 62 a byte can hold: bytes beyond it would favour some letters, so they are dropped.
const FAIR_MAX = 248;
const ID_LENGTH = 24;

export type IdPrefix = "pay" | "cust" | "refund" | "proj" | "stl" | "we" | "evt" | "key" | "del";

// One system call fills the pool for about 170 ids.
const pool = Buffer.alloc(4096);
let used = pool.length;

const letters = (count: number): string => {
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
};

/** An id nobody can guess: 142 random bits behind a prefix that says what it names. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${letters(ID_LENGTH)}`;

/** Whether the text has the form of such an id; says nothing about whether it exists. */
export const isId = (prefix: IdPrefix, text: string): boolean =>
  text.length === prefix.length + 1 + ID_LENGTH &&
  text.startsWith(`${prefix}_`) &&
  /^[0-9A-Za-z]+$/.test(text.slice(prefix.length + 1));

/** A secret of 256 random bits; its prefix, e.g. sk_live_, tells its owner what leaked. */
export const newSecret = (prefix: string): string => prefix + toBase62(randomBytes(32), 43);

// Five digits at a time: 62^5 times a 16-bit limb is still an exact number.
const STEP_DIGITS = 5;
const STEP = 62 ** STEP_DIGITS;

/** Bytes as base62 text of a fixed length, most significant digit first; an even number of bytes. */
export const toBase62 = (bytes: Uint8Array, length: number): string => {
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
};
