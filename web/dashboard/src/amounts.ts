// Amounts are decimal strings; sums and comparisons are made in whole numbers of their last digit.

function split(amount: string): { whole: string; fraction: string } {
  const [whole = "0", fraction = ""] = amount.split(".");
  return { whole, fraction };
}

export function isNegative(amount: string): boolean {
  return amount.startsWith("-");
}

/** Made when they are needed: a browser takes milliseconds for each. */
let grouped: Intl.NumberFormat | undefined;
let short: Intl.NumberFormat | undefined;

const HIDDEN = "•••";
let isHidden = false;

/** For a screen that customers see, too. */
export function setHidden(value: boolean): void {
  isHidden = value;
}

/** What a person only looks at, so that it can be hidden. */
export function formatAmount(amount: string): string {
  return isHidden ? HIDDEN : formatMoved(amount);
}

/**
 * With groups of three digits and at least two after the point. What a person sends, signs or agrees to is never
 * hidden.
 */
export function formatMoved(amount: string): string {
  if (isNegative(amount)) return `-${formatMoved(amount.slice(1))}`;
  const { whole, fraction } = split(amount);
  grouped ??= new Intl.NumberFormat("en");
  return `${grouped.format(BigInt(whole))}.${fraction.padEnd(2, "0")}`;
}

/** Beside an axis. */
export function formatShort(amount: string): string {
  if (isHidden) return HIDDEN;
  short ??= new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 6 });
  return short.format(amount as `${number}`);
}

function scale(amount: string, digits: number): bigint {
  const { whole, fraction } = split(amount);
  return BigInt(whole + fraction.padEnd(digits, "0"));
}

function countDigits(...amounts: string[]): number {
  return Math.max(...amounts.map((amount) => split(amount).fraction.length));
}

function withoutEndZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

export function toDecimal(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const fraction = withoutEndZeros(text.slice(text.length - digits));
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

export function addAmount(one: string, other: string): string {
  const digits = countDigits(one, other);
  return toDecimal(scale(one, digits) + scale(other, digits), digits);
}

/** What is left of the first after the second; never less than zero. */
export function subtractAmount(from: string, less: string): string {
  const digits = countDigits(from, less);
  const rest = scale(from, digits) - scale(less, digits);
  return toDecimal(rest > 0n ? rest : 0n, digits);
}

export function isMore(one: string, other: string): boolean {
  const digits = countDigits(one, other);
  return scale(one, digits) > scale(other, digits);
}

export function isZero(amount: string): boolean {
  return !isMore(amount, "0");
}

/** The share of a whole in thousandths, for the width of a bar. */
export function computeShare(part: string, whole: string): number {
  const digits = countDigits(part, whole);
  const total = scale(whole, digits);
  if (total === 0n) return 0;
  return Number((scale(part, digits) * 1000n) / total);
}

const STEPS = [1n, 2n, 3n, 4n, 5n, 6n, 8n, 10n];

/** A round amount that none of these exceeds: the top of an axis, whose half is round as well. */
export function findTop(amounts: readonly string[]): string {
  const digits = countDigits("0", ...amounts) + 1;
  const highest = amounts
    .filter((amount) => !isNegative(amount))
    .map((amount) => scale(amount, digits))
    .reduce((most, value) => (value > most ? value : most), 0n);
  if (highest === 0n) return "1";
  const unit = 10n ** BigInt(highest.toString().length - 1);
  const step = STEPS.find((one) => one * unit >= highest) ?? 10n;
  return toDecimal(step * unit, digits);
}

export function halve(amount: string): string {
  const digits = countDigits(amount) + 1;
  return toDecimal(scale(amount, digits) / 2n, digits);
}
