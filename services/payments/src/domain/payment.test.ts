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
  const rows = triggers.map((trigger) => {
    const moves = STATUSES.map((status) => move(aPayment(status), trigger, {}));
    return [
      trigger,
      TRANSITIONS[trigger].step ?? "-",
      ...moves.map((one) => one?.payment.status ?? "-"),
    ];
  });
  const table = [["", "step", ...STATUSES], ...rows].map(([trigger = "", step = "", ...cells]) =>
    `${trigger.padEnd(14)}${step.padEnd(23)}${cells.map((cell) => cell.padEnd(12)).join("")}`.trimEnd(),
  );
  expect(table.join("\n")).toBe(
    `
              step                   created     pending     processing  confirmed   failed      expired     refunded
declarePayer  payer_declared         created     pending     -           -           -           -           -
signPayer     payer_declared         -           -           processing  -           -           -           -
changeNeeds   -                      -           -           processing  -           -           -           -
extend        extended               created     pending     -           -           -           -           -
cancel        expired                expired     expired     -           -           -           -           -
submit        transaction_submitted  processing  processing  processing  -           processing  -           -
observe       transaction_submitted  processing  processing  processing  -           processing  -           -
preferMined   -                      -           -           processing  -           -           -           -
switchHash    transaction_refuted    -           -           processing  -           -           -           -
rejectHash    transaction_refuted    -           -           processing  -           -           -           -
confirm       confirmed              confirmed   confirmed   confirmed   -           confirmed   confirmed   -
revoke        transaction_reorged    -           -           -           processing  -           -           -
fail          failed                 -           -           failed      -           -           -           -
expire        expired                expired     expired     expired     -           -           -           -
expireLate    paid_late              -           -           expired     -           -           -           -
acceptLate    late_accepted          -           -           -           -           failed      expired     -
rejectLate    late_rejected          -           -           -           -           -           expired     -
addSurplus    surplus_received       -           -           -           confirmed   -           -           refunded
dropSurplus   transaction_reorged    -           -           -           confirmed   -           -           refunded
refund        refunded               -           -           -           refunded    -           -           -
refundPart    refunded_in_part       -           -           -           confirmed   -           -           -
refundSurplus surplus_refunded       -           -           -           -           -           -           refunded
`.slice(1, -1),
  );
});

test("a move counts the version up and leaves the payment it was made from alone", () => {
  const before = aPayment("created");
  const after = move(before, "submit", { tx_hash: "0xaa", attempts: 1 });
  expect(after?.payment).toEqual({
    ...before,
    status: "processing",
    tx_hash: "0xaa",
    attempts: 1,
    version: 2,
  });
  expect(before.status).toBe("created");
});
