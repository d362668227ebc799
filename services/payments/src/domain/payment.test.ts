import { expect, test } from "@jest/globals";
import { move, type Payment, type Status, TRANSITIONS, type Trigger } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";

const STATUSES: Status[] = [
  "created",
  "pending",
  "processing",
  "confirmed",
  "failed",
  "expired",
  "refunded",
];

function aPayment(status: Status): Payment {
  return { ...samplePayment(new Date(0)), status };
}

test("the table of moves is this one", () => {
  const triggers = Object.keys(TRANSITIONS) as Trigger[];
  const rows = STATUSES.map((status) =>
    [status, ...triggers.map((trigger) => move(aPayment(status), trigger, {})?.status ?? "-")]
      .map((cell) => cell.padEnd(13))
      .join("")
      .trimEnd(),
  );
  const header = ["", ...triggers]
    .map((cell) => cell.padEnd(13))
    .join("")
    .trimEnd();
  expect([header, ...rows].join("\n")).toBe(
    `
             declarePayer signPayer    changeNeeds  extend       cancel       submit       see          fallBack     refute       confirm      unconfirm    fail         expire       acceptLate   rejectLate   addSurplus   dropSurplus  refund       refundPart
created      created      -            -            created      expired      processing   processing   -            -            confirmed    -            -            expired      -            -            -            -            -            -
pending      pending      -            -            pending      expired      processing   processing   -            -            confirmed    -            -            expired      -            -            -            -            -            -
processing   -            processing   processing   -            -            processing   processing   processing   processing   confirmed    -            failed       expired      -            -            -            -            -            -
confirmed    -            -            -            -            -            -            -            -            -            -            processing   -            -            -            -            confirmed    confirmed    refunded     confirmed
failed       -            -            -            -            -            processing   processing   -            -            confirmed    -            -            -            failed       -            -            -            -            -
expired      -            -            -            -            -            -            -            -            -            confirmed    -            -            -            expired      expired      -            -            -            -
refunded     -            -            -            -            -            -            -            -            -            -            -            -            -            -            -            refunded     refunded     -            refunded
`.slice(1, -1),
  );
});

test("a move counts the version up and leaves the payment it was made from alone", () => {
  const before = aPayment("created");
  const after = move(before, "submit", { tx_hash: "0xaa", attempts: 1 });
  expect(after).toEqual({
    ...before,
    status: "processing",
    tx_hash: "0xaa",
    attempts: 1,
    version: 2,
  });
  expect(before.status).toBe("created");
});
