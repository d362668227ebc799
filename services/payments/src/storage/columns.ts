// The columns of a payment. Hashes and wallets are bytes in the table and text with 0x in the program: this file is the one
// place that converts them.
import { bigints, columnArrays } from "@pay/database";
import { NOTHING_YET } from "../domain/new-payment.ts";
import type { Payment } from "../domain/payment.ts";
import { payment_records as COLUMNS } from "../generated/columns.ts";

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

function isLater(name: string): boolean {
  return Object.hasOwn(NOTHING_YET, name);
}

export const CREATED_NAMES = NAMES.filter((name) => !isLater(name));
export const CREATED_TYPES = CREATED_NAMES.map((name) => COLUMNS[name]);
export const MOVED_NAMES = NAMES.filter((name) => name === "status" || isLater(name));
export const MOVED_TYPES = MOVED_NAMES.map((name) => COLUMNS[name]);

/** Every column but the timeline, each of them named, because a later column must not outdate a prepared statement. */
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
export function bytesOf(hex: string | null): string | null {
  return hex ? `\\x${hex.slice("0x".length)}` : null;
}

/** The columns of moved payments, each as one array. */
export function movedArrays(payments: readonly Payment[]): unknown[][] {
  const rows = payments.map((payment) => ({
    ...payment,
    tx_hash: bytesOf(payment.tx_hash),
    payer_address: bytesOf(payment.payer_address),
    sender_address: bytesOf(payment.sender_address),
    seen_sender: bytesOf(payment.seen_sender),
  }));
  return columnArrays(MOVED_NAMES, rows);
}
