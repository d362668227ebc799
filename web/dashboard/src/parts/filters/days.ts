// Days of a date field as times of the API, in the member's zone.
import { formatDate } from "../../times.ts";

/** Midnight, `days` after the day. */
export function toTime(day: string | undefined, days: number): string | undefined {
  if (day === undefined) return undefined;
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days).toISOString();
}

export function toDay(at: string | undefined, days: number): string | undefined {
  if (at === undefined || Number.isNaN(Date.parse(at))) return undefined;
  const date = new Date(at);
  date.setDate(date.getDate() + days);
  const month = String(date.getMonth() + 1).padStart(2, "0");
  return `${date.getFullYear()}-${month}-${String(date.getDate()).padStart(2, "0")}`;
}

/** The end of a period is the midnight after its last day. */
export function describePeriod(begin: string | undefined, end: string | undefined) {
  const from = toDay(begin, 0);
  const to = toDay(end, -1);
  if (from === undefined) return to && `until ${formatDate(to)}`;
  if (to === undefined) return `since ${formatDate(from)}`;
  return from === to ? formatDate(from) : `${formatDate(from)} to ${formatDate(to)}`;
}
