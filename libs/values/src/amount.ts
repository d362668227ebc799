// Amounts travel as decimal strings and are reckoned in base units as bigint. Nothing here rounds: an amount
// that does not fit its currency has no base units at all.

declare const kind: unique symbol;

/** An amount of money in base units of its currency: a whole number, never negative. */
export type Amount = bigint & { readonly [kind]: "Amount" };

/** The format of a merchant's amount: no sign, exponent, spaces or leading zeros. */
export const AMOUNT_PATTERN = /^(0|[1-9][0-9]{0,59})(\.[0-9]{1,36})?$/;

const WHOLE = /^[0-9]+$/;
const BASE_UNITS_MAX = 2n ** 256n - 1n;

/** Undefined when the text is no amount, needs finer units than the currency has, or exceeds a uint256. */
export function toBaseUnits(amount: string, decimals: number): Amount | undefined {
  if (!AMOUNT_PATTERN.test(amount)) return undefined;
  const [whole = "0", fraction = ""] = amount.split(".");
  if (fraction.length > decimals) return undefined;
  const base = BigInt(whole + fraction.padEnd(decimals, "0"));
  return base <= BASE_UNITS_MAX ? (base as Amount) : undefined;
}

/** The amount in a message or a row, or reckoned from such; anything else there is a fault of ours. */
export function toAmount(base: string | bigint): Amount {
  if (typeof base === "string" && !WHOLE.test(base)) throw new Error("no amount in base units");
  const amount = typeof base === "string" ? BigInt(base) : base;
  if (amount < 0n) throw new Error("an amount is never negative");
  return amount as Amount;
}

export const ZERO_AMOUNT = toAmount(0n);

/** Unlike a difference, a sum of amounts is one. */
export function sumAmounts(amounts: readonly Amount[]): Amount {
  return amounts.reduce<bigint>((sum, one) => sum + one, 0n) as Amount;
}

/** The shortest decimal string of the same value. */
export function toDecimal(base: Amount, decimals: number): string {
  const digits = base.toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  const fraction = digits.slice(point).replace(/(?<!0)0+$/, "");
  return fraction === "" ? digits.slice(0, point) : `${digits.slice(0, point)}.${fraction}`;
}

/** The same of a sum that may be negative. */
export function toSignedDecimal(base: bigint, decimals: number): string {
  return base < 0n
    ? `-${toDecimal(toAmount(-base), decimals)}`
    : toDecimal(toAmount(base), decimals);
}
