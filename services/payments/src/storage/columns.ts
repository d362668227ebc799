// The columns of a payment. Hashes and wallets are bytes in the table and text with 0x in the program.
import { bigints, columnArrays } from "@pay/database";
import { NOTHING_YET } from "../domain/new-payment.ts";
import type { Payment } from "../domain/payment.ts";
import { payments } from "../generated/columns.ts";

// The timeline is appended to and read by itself.
const { steps: _, ...COLUMNS } = payments;
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

/** For queries of payments: bytes are text with 0x, whole numbers are bigint. */
export const paymentTypes = {
  // biome-ignore lint/suspicious/noExplicitAny: the shape pg asks for
  getTypeParser: (oid: number, format?: any): any =>
    oid === BYTES_OID
      ? (text: string) => `0x${text.slice("\\x".length)}`
      : bigints.getTypeParser(oid, format),
};

/** A hash or a wallet as the database reads bytes; an empty text is none. */
export function toBytes(hex: string | null): string | null {
  return hex ? `\\x${hex.slice("0x".length)}` : null;
}

/** The columns of new payments, each as one array. */
export function createdArrays(payments: readonly Payment[]): unknown[][] {
  return columnArrays(CREATED_NAMES, payments);
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
