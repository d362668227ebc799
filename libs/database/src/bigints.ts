import { types } from "pg";

const INT8 = 20;
const NUMERIC = 1700;

/** For queries whose whole numbers, of the chain or of sums, must not lose a digit: bigint instead of text. */
export const bigints = {
  // biome-ignore lint/suspicious/noExplicitAny: the shape pg asks for
  getTypeParser: (oid: number, format?: any): any =>
    oid === INT8 || oid === NUMERIC ? BigInt : types.getTypeParser(oid, format),
};
