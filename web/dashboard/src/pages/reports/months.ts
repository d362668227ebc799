// Months in words, and as days.
import type { BookMonth } from "../../api/records.ts";
import type { StatusWords } from "../../status-words.ts";

const NAME = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });

export function formatMonth(month: string): string {
  const time = Date.parse(`${month}-01`);
  return Number.isNaN(time) ? month : NAME.format(time);
}

/** Both days are in it. */
export function getPeriod(month: string): { from: string; to: string } {
  const [year = 0, nth = 1] = month.split("-").map(Number);
  const to = new Date(Date.UTC(year, nth, 0)).toISOString().slice(0, 10);
  return { from: `${month}-01`, to };
}

export function describeMonth({ state, differences }: Omit<BookMonth, "month">): StatusWords {
  if (differences > 0) {
    const word = differences === 1 ? "1 difference" : `${differences} differences`;
    return { word, tone: "heed", icon: "warning" };
  }
  return state === "running"
    ? { word: "Running", tone: "still", icon: "clock" }
    : { word: "Agrees with the chain", tone: "good", icon: "check" };
}
