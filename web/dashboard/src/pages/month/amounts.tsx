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

/** A change of the balance: what comes in has a plus. */
export function Change({ amount, isOut = false }: { amount: string; isOut?: boolean }) {
  const { isNegative, digits } = split(amount);
  if (isZero(digits)) return <span className="faint">{formatAmount(digits)}</span>;
  return <>{`${isNegative === isOut ? "+" : "−"} ${formatAmount(digits)}`}</>;
}
