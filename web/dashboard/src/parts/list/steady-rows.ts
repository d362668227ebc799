// The rows of a list whose newer answers come by themselves: each stays where the reader saw it, with what has changed
// of it. New rows wait until the reader wants them.
import { useState } from "react";
import { getExpectedAt } from "../../api/arrivals.ts";

export interface Row {
  id: string;
}

export interface Steady<Item extends Row> {
  /** The newest answer, and when it came. */
  answer: readonly Item[];
  at: number;
  path: string;
  rows: readonly Item[];
  /** Rows that the list has no more, e.g. because they do not fit its filter. */
  gone: ReadonlySet<string>;
  waiting: number;
}

export type Answered<Item extends Row> = Pick<Steady<Item>, "answer" | "at" | "path">;

export function showAll<Item extends Row>(next: Answered<Item>): Steady<Item> {
  return { ...next, rows: next.answer, gone: new Set(), waiting: 0 };
}

export function keepRows<Item extends Row>(
  before: Steady<Item> | undefined,
  next: Answered<Item>,
  expectedAt: number,
): Steady<Item> {
  const isExpected = before === undefined || (before.at < expectedAt && expectedAt <= next.at);
  if (isExpected || before.path !== next.path || before.rows.length === 0) return showAll(next);
  const known = new Set(before.rows.map(({ id }) => id));
  const found = new Map(next.answer.map((item) => [item.id, item]));
  // Unknown ones after the last known row are older: they moved up.
  const last = next.answer.findLastIndex(({ id }) => known.has(id));
  const waiting = next.answer.slice(0, last + 1).filter(({ id }) => !known.has(id)).length;
  // As many rows as came have moved to the next page.
  const left = last === -1 ? 0 : before.rows.length - waiting;
  const gone = before.rows.slice(0, left).flatMap(({ id }) => (found.has(id) ? [] : id));
  return {
    ...next,
    rows: before.rows.map((row) => found.get(row.id) ?? row),
    gone: new Set(gone),
    waiting: last === -1 ? next.answer.length : waiting,
  };
}

/** Undefined until there is an answer. */
export function useSteadyRows<Item extends Row>(next: Answered<Item> | undefined) {
  const [openedAt] = useState(() => Date.now());
  const [kept, setKept] = useState<Steady<Item>>();
  let shown = kept;
  if (next !== undefined && (next.at !== kept?.at || next.path !== kept.path)) {
    shown = keepRows(kept, next, Math.max(openedAt, getExpectedAt()));
    setKept(shown);
  }
  return { steady: shown, show: () => kept && setKept(showAll(kept)) };
}
