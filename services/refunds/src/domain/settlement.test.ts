import { expect, test } from "@jest/globals";
import { getNextStatus, STATUSES, TRANSITIONS, type Trigger } from "./settlement.ts";

test("the table of moves has exactly these moves", () => {
  const triggers = Object.keys(TRANSITIONS) as Trigger[];
  function line(cells: string[]) {
    return cells
      .map((cell) => cell.padEnd(11))
      .join("")
      .trimEnd();
  }

  const rows = STATUSES.map((status) =>
    line([status, ...triggers.map((trigger) => getNextStatus(status, trigger) ?? "-")]),
  );
  expect([line(["", ...triggers]), ...rows].join("\n")).toBe(
    `
           approve    reject     submit     rejectHash complete   reorg      fail
requested  approved   failed     -          -          -          -          -
approved   -          -          approved   approved   completed  -          failed
completed  -          -          -          -          -          approved   -
failed     -          -          -          -          -          -          -
`.slice(1, -1),
  );
});
