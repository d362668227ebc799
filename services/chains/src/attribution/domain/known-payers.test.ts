// Anyone may declare a wallet that is going to pay, also a stranger who knows whose wallet it will be.
import { describe, expect, test } from "@jest/globals";
import type { Claimant } from "./candidate.ts";
import type { Rival } from "./hold.ts";
import {
  BUYER,
  claimant,
  held,
  makeFacts,
  minutes,
  outcomes,
  rival,
  transfer,
} from "./sample-claims.ts";

const [HELD, PAID, USED] = ["held", "proven", "transfer_already_used"];
const ONE = makeFacts(transfer(100n));

function known(baseAmount = 100n, change: Parameters<typeof claimant>[0] = {}) {
  return held({ payerDeclaredAt: minutes(-1), ...change, claim: { payer: BUYER, baseAmount } });
}

function knownRival(baseAmount = 100n): Rival {
  return rival({ payer: BUYER, payerDeclaredAt: minutes(-1), baseAmount });
}

describe("a claim of the wallet that was declared before it sent", () => {
  test.each<[string, Claimant[], Rival[], string[]]>([
    ["beside another one of the amount is held", [known(), known()], [], [HELD, HELD]],
    ["beside an open payment that it is declared for is held", [known()], [knownRival()], [HELD]],
    [
      "beside open payments that it was not declared for in time is paid",
      [known()],
      [rival(), rival({ payer: BUYER }), rival({ payer: BUYER, payerDeclaredAt: minutes(1) })],
      [PAID],
    ],
    ["to exactly the amount goes before a cheaper order", [known(), known(1n)], [], [PAID, USED]],
    ["to other amounts is held", [known(90n), known(1n)], [], [HELD, HELD]],
    ["for a cheaper order is held beside an open payment", [known(1n)], [knownRival()], [HELD]],
    ["to exactly the amount is paid beside a cheaper one", [known()], [knownRival(1n)], [PAID]],
    [
      "beside the merchant's hash for another payment has nothing left",
      [known(), claimant({ merchantSubmitted: true })],
      [knownRival()],
      [USED, PAID],
    ],
    [
      "goes to the first where its project says so",
      [known(100n, { firstWins: true }), known(100n, { firstWins: true })],
      [],
      [PAID, USED],
    ],
  ])("%s", (_what, claims, rivals, expected) => {
    expect(outcomes(claims, ONE, { rivals })).toEqual(expected);
    expect(outcomes(claims.toReversed(), ONE, { rivals })).toEqual(expected.toReversed());
  });

  test("is held where the transfer completes what another of its orders got in part", () => {
    const whole = { ...known(), earlier: [transfer(60n)] };
    expect(outcomes([known(40n), whole], makeFacts(transfer(40n)))).toEqual([HELD, HELD]);
  });

  test("is decided by the signature of the wallet", () => {
    const mine = known(100n, { isSigned: true });
    expect(outcomes([known(), mine], ONE, { rivals: [knownRival()] })).toEqual([USED, PAID]);
  });
});
