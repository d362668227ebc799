// The table of what happened and what becomes of the payment. The amount is 10, the time limit 30 minutes.
import { describe, expect, test } from "@jest/globals";
import { beginHistory, liveThrough } from "./sample-history.ts";

/** What merchants do not receive. */
const INTERNAL: ReadonlySet<string> = new Set([
  "payment.changed",
  "payment.submitted",
  "payment.refuted",
  "payment.payer_declared",
  "payment.late_rejected",
]);

// facts | status | failure code | received | final | events for merchants
const TABLE = `
                                                         | created    | -                     | -  | -  | -
submit a                                                 | processing | -                     | -  | -  | processing
submit a; submit b                                       | processing | -                     | -  | -  | processing
submit a; money seen=10 a=mined                          | processing | -                     | 10 | -  | processing
money seen=10                                            | processing | -                     | 10 | -  | processing
money final=10                                           | confirmed  | -                     | 10 | 10 | confirmed
submit a; money seen=10 a=mined; money final=10 a=counted | confirmed | -                     | 10 | 10 | processing confirmed
money final=4                                            | created    | -                     | 4  | 4  | received
submit a; money final=4 a=counted                        | failed     | underpaid             | 4  | 4  | processing failed
submit a; money final=4 a=counted; money seen=10 final=4 a=counted | processing | -           | 10 | 4  | processing failed processing
submit a; money final=4 a=counted; money final=10 a=counted | confirmed | -                   | 10 | 10 | processing failed confirmed
submit a; money final=4 a=counted; pass 31m              | failed     | underpaid             | 4  | 4  | processing failed
money seen=10; pass 31m                                  | processing | -                     | 10 | -  | processing
money seen=10; pass 31m; money final=10                  | confirmed  | -                     | 10 | 10 | processing confirmed
money seen=10; pass 31d                                  | expired    | not_found             | 10 | -  | processing expired
money final=4; pass 31m                                  | expired    | underpaid             | 4  | 4  | received expired
pass 31m; money final=4                                  | expired    | underpaid             | 4  | 4  | expired received
pass 31m                                                 | expired    | -                     | -  | -  | expired
pass 31m; money final=10                                 | confirmed  | -                     | 10 | 10 | expired confirmed
pass 31m; money late=10                                  | expired    | late                  | 10 | -  | expired received
pass 31m; money lateFinal=10                             | expired    | late                  | 10 | 10 | expired received
pass 31m; money lateFinal=4                              | expired    | late                  | 4  | 4  | expired received
money final=4; pass 31m; money final=4 lateFinal=6       | expired    | late                  | 10 | 10 | received expired received
money final=4; pass 31m; money final=4 lateFinal=5       | expired    | underpaid             | 9  | 9  | received expired received
submit a; pass 31m; money lateFinal=10 a=late            | expired    | late                  | 10 | 10 | processing expired
submit a; pass 31m; money a=late                         | expired    | late                  | -  | -  | processing expired
submit a; pass 31m                                       | processing | -                     | -  | -  | processing
submit a; pass 91m                                       | expired    | not_found             | -  | -  | processing expired
submit a; money a=not_found; pass 91m                    | expired    | not_found             | -  | -  | processing expired
submit a; pass 91m; money a=reverted                     | failed     | reverted              | -  | -  | processing expired failed
submit a; money final=4; pass 91m                        | expired    | underpaid             | 4  | 4  | processing expired
submit a; money a=mined; pass 91m                        | processing | -                     | -  | -  | processing
submit a; money a=mined needs=review; pass 91m           | processing | -                     | -  | -  | processing
submit a; money a=mined; pass 31d                        | expired    | not_found             | -  | -  | processing expired
cancel                                                   | expired    | cancelled             | -  | -  | expired
cancel; money lateFinal=10                               | expired    | cancelled             | 10 | 10 | expired received
cancel; money final=10                                   | expired    | cancelled             | 10 | 10 | expired received
money final=4; cancel                                    | expired    | cancelled             | 4  | 4  | received expired
cancel; merchant a; money a=counted lateFinal=10         | expired    | cancelled             | 10 | 10 | expired received
submit a; money a=reverted                               | failed     | reverted              | -  | -  | processing failed
submit a; money a=recipient_mismatch; pass 31m           | failed     | recipient_mismatch    | -  | -  | processing failed
submit a; money a=replaced                               | failed     | replaced              | -  | -  | processing failed
submit a; money a=transfer_already_used                  | failed     | transfer_already_used | -  | -  | processing failed
submit a; money a=replaced final=3                       | failed     | underpaid             | 3  | 3  | processing failed
submit a; submit b; money a=reverted                     | processing | -                     | -  | -  | processing
submit a; submit b; money a=reverted b=wrong_token       | failed     | wrong_token           | -  | -  | processing failed
submit a; submit b; money a=reverted b=counted final=10  | confirmed  | -                     | 10 | 10 | processing confirmed
submit a; money a=reverted; submit b                     | processing | -                     | -  | -  | processing failed processing
submit a; money a=reverted; merchant a                   | failed     | reverted              | -  | -  | processing failed
pass 31m; merchant a                                     | processing | -                     | -  | -  | expired processing
pass 31m; merchant a; pass 61m                           | expired    | not_found             | -  | -  | expired processing expired
pass 31m; assign a; money a=counted final=10             | confirmed  | -                     | 10 | 10 | expired processing confirmed
submit a; money a=mined needs=sign                       | processing | -                     | -  | -  | processing
submit a; money a=mined needs=sign; pass 91m             | failed     | ambiguous             | -  | -  | processing failed
submit a; money a=ambiguous                              | failed     | ambiguous             | -  | -  | processing failed
submit a; money a=ambiguous; sign; money a=counted final=10 | confirmed | -                   | 10 | 10 | processing failed confirmed
money needs=sign arrived=1                               | created    | -                     | -  | -  | -
money needs=sign arrived=1; pass 31m                     | expired    | ambiguous             | -  | -  | expired
pass 31m; money needs=sign arrived=1                     | expired    | ambiguous             | -  | -  | expired
money needs=sign arrived=1; pass 31m; sign; money final=10 | confirmed | -                    | 10 | 10 | expired confirmed
money final=10; money final=10 seen=12                   | confirmed  | -                     | 12 | 10 | confirmed received
money final=10; money final=12; money final=10           | confirmed  | -                     | 10 | 10 | confirmed received received
money final=10; money final=0                            | processing | -                     | -  | -  | confirmed processing
money final=10; money final=4                            | processing | -                     | 4  | 4  | confirmed processing
money final=10; money final=0; pass 61m                  | failed     | reorged               | -  | -  | confirmed processing failed
money final=10; money final=4; pass 61m                  | failed     | reorged               | 4  | 4  | confirmed processing failed
money final=10; money final=0; money final=10            | confirmed  | -                     | 10 | 10 | confirmed processing confirmed
money final=10; money final=0; pass 61m; money final=10  | confirmed  | -                     | 10 | 10 | confirmed processing failed confirmed
money final=10; money final=0; pass 61m; money lateFinal=10 | expired | late                  | 10 | 10 | confirmed processing failed expired
submit a; money final=10 a=counted; money a=; pass 61m   | failed     | reorged               | -  | -  | processing confirmed processing failed
money seen=10; money seen=0; pass 61m                    | failed     | reorged               | -  | -  | processing failed
money final=4; accept                                    | confirmed  | -                     | 4  | 4  | received confirmed
money seen=4; accept                                     | processing | -                     | 4  | -  | received processing
money seen=4; accept; money final=4                      | confirmed  | -                     | 4  | 4  | received processing confirmed
pass 31m; money lateFinal=10; accept                     | confirmed  | -                     | 10 | 10 | expired received confirmed
pass 31m; money late=10; accept; money lateFinal=10      | confirmed  | -                     | 10 | 10 | expired received processing confirmed
cancel; money lateFinal=10; accept                       | confirmed  | -                     | 10 | 10 | expired received confirmed
submit a; money final=4 a=counted; accept                | confirmed  | -                     | 4  | 4  | processing failed confirmed
pass 31m; money lateFinal=10; accept; money late=3       | processing | -                     | 3  | -  | expired received confirmed processing
pass 31m; money lateFinal=10; accept; money late=3; pass 61m | expired | late                 | 3  | -  | expired received confirmed processing expired
cancel; money lateFinal=10; accept; money late=3         | expired    | cancelled             | 3  | -  | expired received confirmed expired
pass 31m; money lateFinal=10; reject                     | expired    | late                  | 10 | 10 | expired received
pass 31m; money lateFinal=10; reject; accept             | confirmed  | -                     | 10 | 10 | expired received confirmed
money final=10; declare                                  | refunded   | -                     | 10 | 10 | confirmed refunded
money final=10; declare; completed done=10               | refunded   | -                     | 10 | 10 | confirmed refunded
money final=10; declare; failed void=1                   | confirmed  | -                     | 10 | 10 | confirmed refunded
money final=10; completed done=4                         | confirmed  | -                     | 10 | 10 | confirmed refunded
money final=10; completed done=4; completed done=10      | refunded   | -                     | 10 | 10 | confirmed refunded refunded
money final=10; completed done=10; reorged done=0 held=10 | confirmed | -                     | 10 | 10 | confirmed refunded
money final=14; completed done=4 surplus=4               | confirmed  | -                     | 14 | 14 | confirmed refunded
money final=14; completed done=4 surplus=4; completed done=10 surplus=4 | confirmed | -       | 14 | 14 | confirmed refunded refunded
money final=14; completed done=14 surplus=4              | refunded   | -                     | 14 | 14 | confirmed refunded
money final=10; completed done=10; money final=13        | refunded   | -                     | 13 | 13 | confirmed refunded received
money final=13; completed done=10; completed done=13 surplus=3 | refunded | -                 | 13 | 13 | confirmed refunded refunded
money final=4; pass 31m; completed done=4                | refunded   | underpaid             | 4  | 4  | received expired refunded
submit a; money final=4 a=counted; completed done=4      | refunded   | underpaid             | 4  | 4  | processing failed refunded
pass 31m; money lateFinal=10; completed done=10          | refunded   | late                  | 10 | 10 | expired received refunded
pass 31m; money lateFinal=10; completed done=4           | expired    | late                  | 10 | 10 | expired received refunded
pass 31m; money lateFinal=10; completed done=10; money lateFinal=13 | expired | late          | 13 | 13 | expired received refunded received
money final=4; accept; completed done=4                  | refunded   | -                     | 4  | 4  | received confirmed refunded
money final=10; money final=0; completed done=10; money final=10 | refunded | -               | 10 | 10 | confirmed processing refunded refunded
money final=10; completed done=10; money final=0         | processing | -                     | -  | -  | confirmed refunded processing
money final=10; completed done=10; money final=0; money final=10 | refunded | -               | 10 | 10 | confirmed refunded processing refunded
money seen=10; money final=10 screened=10 needs=review   | processing | -                     | 10 | 10 | processing screened
money seen=10; money final=10 screened=10 needs=review; pass 31d | processing | -             | 10 | 10 | processing screened
money final=10 screened=10 needs=review; accept          | confirmed  | -                     | 10 | 10 | screened processing confirmed
money final=10 screened=10 needs=review; created held=10 | processing | -                     | 10 | 10 | screened processing
money final=10 screened=10 needs=review; completed done=10 | refunded | -                     | 10 | 10 | screened processing refunded
money final=10 screened=10 needs=review; completed done=4 held=4 | processing | -             | 10 | 10 | screened processing refunded
money final=10 screened=10 needs=review; completed done=10; money final=20 screened=10 | refunded | - | 20 | 20 | screened processing refunded received
money final=10 screened=4 needs=review                   | processing | -                     | 10 | 10 | screened processing
money final=10 screened=4 needs=review; money final=14 screened=4 | confirmed | -             | 14 | 14 | screened processing confirmed
money final=10; money final=14 screened=14               | confirmed  | -                     | 14 | 14 | confirmed screened received
money final=4 screened=4 needs=review; pass 31m          | expired    | underpaid             | 4  | 4  | screened received expired
money final=4 screened=4 needs=review; accept            | confirmed  | -                     | 4  | 4  | screened received confirmed
pass 31m; money lateFinal=10 screened=0 needs=review     | expired    | late                  | 10 | 10 | expired screened received
money final=10 screened=10 needs=review; money seen=0; pass 61m | failed | reorged            | -  | -  | screened processing failed
money final=10 screened=10 needs=review; money seen=0; money final=10 screened=10 needs=review; accept | confirmed | - | 10 | 10 | screened processing confirmed
money screened=0 needs=review                            | created    | -                     | -  | -  | screened
money screened=0 needs=review; pass 31m                  | expired    | -                     | -  | -  | screened expired
money final=4; pass 31m; created held=4; money final=10  | expired    | underpaid             | 10 | 10 | received expired received
money final=4; pass 31m; created held=4; money final=10; failed held=0 | confirmed | -        | 10 | 10 | received expired received confirmed
money final=4; pass 31m; completed done=4; money final=10 | expired   | underpaid             | 10 | 10 | received expired refunded received
money final=4; pass 31m; completed done=4; money final=14 | confirmed | -                     | 14 | 14 | received expired refunded confirmed
money final=4; pass 31m; completed done=4; money final=10; accept | confirmed | -             | 10 | 10 | received expired refunded received confirmed
`;

function toRow(line: string): string[] {
  return line.split("|").map((cell) => cell.trim());
}

describe("what happened, and what becomes of the payment", () => {
  test.each(TABLE.split("\n").flatMap((line) => (line.includes("|") ? [toRow(line)] : [])))(
    "%s → %s %s",
    (facts = "", ...expected) => {
      const { payment, events, refused } = liveThrough(facts);
      const told = events.filter((type) => !INTERNAL.has(type));
      expect(refused).toEqual([]);
      expect([
        payment.status,
        payment.failure_code ?? "-",
        `${payment.received_base_amount ?? "-"}`,
        `${payment.final_base_amount ?? "-"}`,
        told.map((type) => type.slice("payment.".length)).join(" ") || "-",
      ]).toEqual(expected);
    },
  );
});

test("a report that is not newer changes nothing", () => {
  const { payment, events } = liveThrough("money final=10 turn=3; money turn=3; money turn=2");
  expect([payment.status, payment.money_turn, events]).toEqual([
    "confirmed",
    3,
    ["payment.confirmed"],
  ]);
});

test("money below a thousandth of the amount is no event for merchants", () => {
  const begun = beginHistory();
  const payment = { ...begun.payment, base_amount: 10_000n as typeof begun.payment.base_amount };
  const { events } = liveThrough("money final=9; money final=20", { ...begun, payment });
  expect(events).toEqual(["payment.changed", "payment.received"]);
});
