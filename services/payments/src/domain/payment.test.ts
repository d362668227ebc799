import { expect, test } from "@jest/globals";
import { isAllowed, type Status, TRANSITIONS, type Trigger } from "./payment.ts";

const STATUSES: Status[] = [
  "created",
  "pending",
  "processing",
  "confirmed",
  "failed",
  "expired",
  "refunded",
];

test("the table of moves is this one", () => {
  const rows = (Object.keys(TRANSITIONS) as Trigger[]).map((trigger) => [
    trigger,
    TRANSITIONS[trigger].event.slice("payment.".length),
    TRANSITIONS[trigger].step ?? "-",
    ...STATUSES.map((from) =>
      STATUSES.filter((to) => isAllowed(trigger, from, to))
        .map((to) => (to === from ? "=" : to.slice(0, 4)))
        .join(" "),
    ),
  ]);
  const widths = [15, 16, 23, 9, 9, 11, 11, 11, 9];
  const table = [["", "event", "step", ...STATUSES], ...rows].map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("")
      .trimEnd(),
  );
  expect(`\n${table.join("\n")}\n`).toBe(TABLE);
});

const TABLE = `
               event           step                   created  pending  processing confirmed  failed     expired  refunded
declarePayer   payer_declared  payer_declared         =        =        =                     =          =
extend         extended        extended               =        =
cancel         expired         expired                expi     expi
submit         processing      transaction_submitted  proc     proc                           proc       proc
submitMore     submitted       transaction_submitted  =        =        =                     =          =
observe        processing      transaction_submitted  proc     proc                           proc       proc
refute         refuted         transaction_refuted                      =
confirm        confirmed       confirmed              conf     conf     conf                  conf       conf     conf
revoke         processing      transaction_reorged                                 proc                           proc
voidAccepted   expired         transaction_reorged                                 expi                           expi
fail           failed          failed                 fail     fail     fail                             fail
expire         expired         expired                expi     expi     expi                  expi
expireLate     expired         paid_late              expi     expi     expi                  expi
receive        received        part_received          =        =                              =          =
receiveLate    received        paid_late                                                      =          =
receiveSurplus received        surplus_received                                    =                              =
receiveAgain   received        part_received                                                                      conf fail expi
lose           received        transaction_reorged    =        =                   =          =          =        =
screen         screened        screened               =        =        =          =          =          =        =
rejectMoney    late_rejected   late_rejected                                                  =          =
refund         refunded        refunded               refu     refu     refu       refu       refu       refu
refundPart     refunded        refunded_in_part       =        =        =          =          =          =
refundSurplus  refunded        surplus_refunded                                                                   =
undoRefund     changed         refund_undone                                                                      conf fail expi
undoRefundPart changed         refund_undone          =        =        =          =          =          =        =
change         changed         -                      =        =        =          =          =          =        =
`;
