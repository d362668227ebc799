import { type FileChoice, parseChoice } from "./columns.ts";

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 24 * 3_600_000;

export interface ReportSearch extends FileChoice {
  from?: string | undefined;
  to?: string | undefined;
}

export function parseReport(search: Record<string, unknown>): ReportSearch {
  const { from, to } = search;
  return {
    ...(typeof from === "string" && DAY.test(from) && { from }),
    ...(typeof to === "string" && DAY.test(to) && { to }),
    ...parseChoice(search),
  };
}

/** The last 30 days, unless the address has others. */
export function readPeriod({ from, to }: ReportSearch, now = new Date()) {
  const last = to ?? now.toISOString().slice(0, 10);
  const first = new Date(Date.parse(last) - 29 * DAY_MS).toISOString().slice(0, 10);
  return { from: from ?? first, to: last };
}
