// Rows of records, each with a link in its first cell.
import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { isKeyFree } from "../keys.ts";

export interface Column {
  name: string;
  /** Only where there is room. */
  isWide?: boolean;
  isRight?: boolean;
}

/** J and K go from row to row, while a row has the focus. */
function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const step = { j: 1, k: -1 }[event.key];
  if (step === undefined || !isKeyFree(event.nativeEvent)) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("td:first-child a")];
  links[links.indexOf(document.activeElement as HTMLElement) + step]?.focus();
}

/** The link stays what the keyboard reaches; the row is only a larger target for the pointer. */
export function openRow(event: MouseEvent<HTMLElement>) {
  const isOther =
    event.metaKey ||
    event.ctrlKey ||
    (event.target instanceof Element && event.target.closest("a, button") !== null);
  if (isOther || String(getSelection()) !== "") return;
  event.currentTarget.querySelector<HTMLElement>("td:first-child a")?.click();
}

export function Table({ columns, children }: { columns: readonly Column[]; children: ReactNode }) {
  return (
    <table className="list" onKeyDown={moveFocus}>
      <thead>
        <tr>
          {columns.map(({ name, isWide, isRight }) => (
            <th
              key={name}
              scope="col"
              className={[isWide && "wide", isRight && "right"].filter(Boolean).join(" ")}
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
