/** Base units as people write them; never by way of a number, which would round. */
export function toDecimal(base: bigint, decimals: number): string {
  const digits = base.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = withoutEndZeros(digits.slice(digits.length - decimals));
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** An address with its middle left out, for places where the whole one stands beside it. */
export function shortened(address: string): string {
  return `${address.slice(0, 8)}…${address.slice(-6)}`;
}

/** The reverse of toDecimal. */
export function toBase(decimal: string, decimals: number): bigint {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}
