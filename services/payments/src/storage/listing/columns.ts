// The columns of a payment for lists, whose statements depend on the filter. All others are in prisma/sql.
import { bigints } from "@pay/database";
import { payments } from "../../generated/columns.ts";

// The timeline is read by itself. A later column must not change the result of a prepared statement, so all are named.
const { steps: _, ...COLUMNS } = payments;
export const PAYMENT_COLUMNS = Object.keys(COLUMNS)
  .map((name) => `payment.${name}`)
  .join(", ");

const BYTES_OID = 17;

/** Bytes are text with 0x, whole numbers are bigint. */
export const paymentTypes = {
  // biome-ignore lint/suspicious/noExplicitAny: the shape that pg requires
  getTypeParser: (oid: number, format?: any): any =>
    oid === BYTES_OID
      ? (text: string) => `0x${text.slice("\\x".length)}`
      : bigints.getTypeParser(oid, format),
};
