import { types } from "pg";

const INT8 = 20;
const INT8_ARRAY = 1016;
const NUMERIC = 1700;
const NUMERIC_ARRAY = 1231;

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: BigInt,
  [NUMERIC]: BigInt,
  [INT8_ARRAY]: toBigints,
  [NUMERIC_ARRAY]: toBigints,
};

/** Of an array of one dimension without quotes, as arrays of numbers are. */
function toBigints(text: string): (bigint | null)[] {
  const list = text.slice(1, -1);
  return list === "" ? [] : list.split(",").map((item) => (item === "NULL" ? null : BigInt(item)));
}

/** For queries whose whole numbers, of the chain or of sums, must not lose a digit: bigint instead of text. */
export const bigints = {
  // biome-ignore lint/suspicious/noExplicitAny: the shape pg asks for
  getTypeParser: (oid: number, format?: any): any =>
    PARSERS[oid] ?? types.getTypeParser(oid, format),
};
