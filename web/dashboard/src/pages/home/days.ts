// The summary of thirty days, arranged for the page: a bar for each day of one currency.
import type { PaymentSummary } from "../../api/records.ts";

export type Total = PaymentSummary["totals"][number];
export type Day = PaymentSummary["days"][number];

export interface Bar {
  day: string;
  received: string;
  refunded: string;
}

const DAY_MS = 24 * 3_600_000;

export function toKey({ chainId, currency }: Pick<Total, "chainId" | "currency">): string {
  return `${chainId}-${currency}`;
}

/** The currencies with money, the one of most payments first. */
export function sortTotals(totals: readonly Total[]): Total[] {
  return [...totals].sort(
    (one, other) =>
      other.received.payments - one.received.payments ||
      other.started.payments - one.started.payments,
  );
}

/** Each day of the period, also one without a change. */
export function listBars({ from, to, days }: PaymentSummary, of: Total): Bar[] {
  const byDay = new Map(
    days.filter((day) => toKey(day) === toKey(of)).map((day) => [day.day, day]),
  );
  const count = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, nth) => {
    const day = new Date(Date.parse(from) + nth * DAY_MS).toISOString().slice(0, 10);
    const sums = byDay.get(day);
    return {
      day,
      received: sums?.received.amount ?? "0",
      refunded: sums?.refunded.amount ?? "0",
    };
  });
}

/** Payments that were confirmed and created in the period, in all currencies. */
export function countPaid(totals: readonly Total[]): { paid: number; started: number } {
  return {
    paid: totals.reduce((sum, { paid }) => sum + paid.payments, 0),
    started: totals.reduce((sum, { started }) => sum + started.payments, 0),
  };
}
