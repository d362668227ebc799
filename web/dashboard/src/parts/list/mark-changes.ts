import { type RefObject, useEffect, useRef } from "react";
import type { Row, Steady } from "./steady-rows.ts";

const FADE_MS = 1_200;

/** The ground of a row fades once after its record has changed, and a row that has left the list is quiet. */
export function useMarkedChanges(
  table: RefObject<HTMLElement | null>,
  steady: Pick<Steady<Row>, "rows" | "gone"> | undefined,
): void {
  const before = useRef<readonly Row[]>(undefined);
  useEffect(() => {
    const known = new Map(before.current?.map((row) => [row.id, row]));
    before.current = steady?.rows;
    const body = table.current?.querySelector("tbody");
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    steady?.rows.forEach((row, at) => {
      const shown = body?.rows[at];
      shown?.toggleAttribute("data-gone", steady.gone.has(row.id));
      const old = known.get(row.id);
      if (isStill || old === undefined || old === row) return;
      if (JSON.stringify(old) === JSON.stringify(row)) return;
      shown?.animate([{ background: "var(--selected)" }, {}], FADE_MS);
    });
  }, [table, steady]);
}
