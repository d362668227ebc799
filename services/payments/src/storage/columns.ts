// The columns of a payment. Hashes, wallets and addresses are bytes in the table and text in the program: this file is the one
// place that converts them. Two functions of the database, payment_spelled and payment_spelling, do the same for the version
// before.
import { bigints, columnArrays } from "@pay/database";
import { toAddress } from "@pay/values";
import { NOTHING_YET } from "../domain/new-payment.ts";
import type { Payment } from "../domain/payment.ts";
import { payment_records } from "../generated/columns.ts";

// The timeline is written by a trigger and read by itself.
const { steps: _, ...COLUMNS } = payment_records;
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

function isLater(name: string): boolean {
  return Object.hasOwn(NOTHING_YET, name);
}

export const CREATED_NAMES = NAMES.filter((name) => !isLater(name));
export const CREATED_TYPES = CREATED_NAMES.map((name) => COLUMNS[name]);
/** A creation sets them as well. */
const MOVING = ["status", "expires_at"];
export const MOVED_NAMES = NAMES.filter((name) => MOVING.includes(name) || isLater(name));
export const MOVED_TYPES = MOVED_NAMES.map((name) => COLUMNS[name]);

/** Each of them named, because a later column must not outdate a prepared statement. */
export const PAYMENT_COLUMNS = NAMES.map((name) => `payment.${name}`).join(", ");

const BYTES_OID = 17;

/** For queries of payments: bytes are text, whole numbers are bigint. */
export const paymentTypes = {
  // biome-ignore lint/suspicious/noExplicitAny: the shape pg asks for
  getTypeParser: (oid: number, format?: any): any =>
    oid === BYTES_OID
      ? (text: string) => toText(text.slice("\\x".length))
      : bigints.getTypeParser(oid, format),
};

const ADDRESS_DIGITS = 40;
const HASH_DIGITS = 64;
/** An address, and a bit for each of its digits that is a capital. */
const SPELLED_DIGITS = 50;

/** What a column of bytes says; the bytes are given in hexadecimal digits. */
function toText(digits: string): string {
  if (digits.length === ADDRESS_DIGITS || digits.length === HASH_DIGITS) return `0x${digits}`;
  if (digits.length !== SPELLED_DIGITS) return Buffer.from(digits, "hex").toString();
  const capitals = Buffer.from(digits.slice(ADDRESS_DIGITS), "hex");
  let text = "0x";
  for (let n = 0; n < ADDRESS_DIGITS; n++) {
    const digit = digits.charAt(n);
    text += ((capitals[n >> 3] ?? 0) >> (n & 7)) & 1 ? digit.toUpperCase() : digit;
  }
  return text;
}

/** A hash or a wallet as the database reads bytes; an empty text is none. */
export function toBytes(hex: string | null): string | null {
  return hex ? `\\x${hex.slice("0x".length)}` : null;
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** An address that keeps its capitals, or another text. */
export function packSpelling(text: string): string {
  if (!ADDRESS.test(text)) return `\\x${Buffer.from(text).toString("hex")}`;
  const digits = text.slice("0x".length);
  const lower = toAddress(text).slice("0x".length);
  if (lower === digits) return `\\x${digits}`;
  const capitals = Buffer.alloc((SPELLED_DIGITS - ADDRESS_DIGITS) / 2);
  for (let n = 0; n < ADDRESS_DIGITS; n++) {
    if (digits.charAt(n) !== lower.charAt(n)) {
      capitals[n >> 3] = (capitals[n >> 3] ?? 0) | (1 << (n & 7));
    }
  }
  return `\\x${lower}${capitals.toString("hex")}`;
}

/** The columns of new payments, each as one array. */
export function createdArrays(payments: readonly Payment[]): unknown[][] {
  const rows = payments.map((payment) => ({
    ...payment,
    currency: packSpelling(payment.currency),
    recipient_address: packSpelling(payment.recipient_address),
  }));
  return columnArrays(CREATED_NAMES, rows);
}

/** The columns of moved payments, each as one array. */
export function movedArrays(payments: readonly Payment[]): unknown[][] {
  const rows = payments.map((payment) => ({
    ...payment,
    tx_hash: toBytes(payment.tx_hash),
    payer_address: toBytes(payment.payer_address),
    sender_address: toBytes(payment.sender_address),
    seen_sender: toBytes(payment.seen_sender),
    needs_hash: toBytes(payment.needs_hash),
  }));
  return columnArrays(MOVED_NAMES, rows);
}
