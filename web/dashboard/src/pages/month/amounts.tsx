import { formatAmount, isZero } from "../../amounts.ts";

function split(amount: string): { isNegative: boolean; digits: string } {
  const isNegative = amount.startsWith("-");
  return { isNegative, digits: isNegative ? amount.slice(1) : amount };
}

/** An amount with its sign; null where it is not known. */
export function formatSigned(amount: string | null): string {
  if (amount === null) return "Not known";
  const { isNegative, digits } = split(amount);
  return `${isNegative ? "− " : ""}${formatAmount(digits)}`;
}

export function isNothing(amount: string | null): boolean {
  return amount !== null && isZero(split(amount).digits);
}

const FRACTION_DIGITS_SHOWN = 6;

/** One that would look like nothing stays whole. */
function shorten(text: string): string {
  const [whole = "", fraction = ""] = text.split(".");
  if (fraction.length <= FRACTION_DIGITS_SHOWN) return text;
  const cut = `${whole}.${fraction.slice(0, FRACTION_DIGITS_SHOWN)}`;
  return /[1-9]/.test(cut) ? `${cut}…` : text;
}

/** Eighteen digits would push the last columns away: a long figure is cut, and whole under the pointer. */
export function Figure({ text }: { text: string }) {
  const cut = shorten(text);
  return cut === text ? text : <span title={text}>{cut}</span>;
}

/** A change of the balance: what comes in has a plus. */
export function Change({ amount, isOut = false }: { amount: string; isOut?: boolean }) {
  const { isNegative, digits } = split(amount);
  if (isZero(digits)) return <span className="faint">{formatAmount(digits)}</span>;
  return <Figure text={`${isNegative === isOut ? "+" : "−"} ${formatAmount(digits)}`} />;
}
