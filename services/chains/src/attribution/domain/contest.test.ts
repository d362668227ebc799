import { describe, expect, test } from "@jest/globals";
import { derivedId, toTxHash } from "@pay/values";
import fc from "fast-check";
import type { Claimant } from "./candidate.ts";
import type { Rival } from "./hold.ts";
import { computeRank, type Rank } from "./ranks.ts";
import {
  BUYER,
  claimant,
  decide,
  declared,
  held,
  makeFacts,
  minutes,
  NOON,
  OTHER,
  outcomes,
  rival,
  signed,
  transfer,
} from "./sample-claims.ts";

/** Than all that a test lets be named in order. */
const LATER = 1_000_000n;

describe("the rank of a claim", () => {
  test.each<[string, Rank | undefined, Claimant]>([
    ["whose payer signed for it", "signed", signed()],
    [
      "that another payer signed for",
      undefined,
      { ...signed({}), claim: declared(NOON, OTHER).claim },
    ],
    [
      "whose sender signed for another payment, submitted by the merchant",
      undefined,
      claimant({ merchantSubmitted: true, signedElsewhere: new Set([BUYER]) }),
    ],
    [
      "the merchant submitted, for any amount",
      "merchant",
      claimant({ merchantSubmitted: true, claim: { baseAmount: 1n } }),
    ],
    ["whose payer was declared before the sight", "known", declared(minutes(-1))],
    [
      "of less, whose payer was declared before the sight",
      "known_larger",
      declared(minutes(-1), BUYER, { baseAmount: 1n }),
    ],
    ["whose payer was declared at the sight", "declared_late", declared(NOON)],
    ["whose payer was declared after it", "declared_late", declared(minutes(1))],
    ["whose payer was declared at an unknown time", "declared_late", declared(undefined)],
    ["of exactly the amount", "exact", claimant()],
    ["of less than the transfer", "larger", claimant({ claim: { baseAmount: 99n } })],
    ["of more than the transfer", "larger", claimant({ claim: { baseAmount: 101n } })],
    ["of what is proven already", "surplus", claimant({ isProven: true, merchantSubmitted: true })],
    ["of another payer", undefined, declared(minutes(-1), OTHER)],
    ["that began later", undefined, claimant({ claim: { notBefore: minutes(1) } })],
    ["that ended earlier", undefined, claimant({ claim: { notAfter: minutes(-1) } })],
    [
      "of what is proven, ended earlier",
      "surplus",
      claimant({ isProven: true, claim: { notAfter: minutes(-1) } }),
    ],
    [
      "of another recipient, submitted by the merchant",
      undefined,
      claimant({ merchantSubmitted: true, claim: { recipient: OTHER } }),
    ],
  ])("%s is %s", (_what, rank, one) => {
    const facts = makeFacts(transfer(100n));
    expect(computeRank(one, { facts, firstSeenAt: NOON })).toBe(rank);
  });
});

describe("a transfer that several claim", () => {
  function byMerchant() {
    return claimant({ merchantSubmitted: true, namedOrder: LATER });
  }

  test.each<[string, Claimant, Claimant]>([
    ["the payer's signature before the merchant's hash", signed({ baseAmount: 1n }), byMerchant()],
    ["the merchant's hash before an exact amount", byMerchant(), claimant()],
    ["the merchant's hash before a payer known before", byMerchant(), declared(minutes(-5))],
    ["a payer known before over one declared late", declared(minutes(-5)), declared(minutes(5))],
    ["a declared payer over an exact amount", declared(minutes(5)), claimant()],
    ["an exact amount over a cheaper order", claimant(), claimant({ claim: { baseAmount: 1n } })],
    ["the first of two equals", claimant(), claimant({ namedOrder: LATER })],
  ])("goes to %s, in whatever order they stand", (_what, better, worse) => {
    const facts = makeFacts(transfer(100n));
    const expected = ["proven", "transfer_already_used"];
    expect(outcomes([better, worse], facts)).toEqual(expected);
    expect(outcomes([worse, better], facts)).toEqual(expected.toReversed());
  });

  test("goes past a claim that it cannot serve", () => {
    const claims = [declared(minutes(-5), OTHER), claimant()];
    expect(outcomes(claims, makeFacts(transfer(100n)))).toEqual(["payer_mismatch", "proven"]);
  });

  test("whose sender signed for a payment that asks for more goes to no other one", () => {
    const elsewhere = claimant({ signedElsewhere: new Set([BUYER]) });
    const facts = makeFacts(transfer(100n), transfer(100n, OTHER));
    expect(outcomes([signed({ baseAmount: 150n }), elsewhere], makeFacts(transfer(100n)))).toEqual([
      "underpaid",
      "payer_mismatch",
    ]);
    expect(outcomes([signed(), elsewhere], facts)).toEqual(["proven", "proven"]);
  });

  test("serves the worse claim with what the better one has left", () => {
    const claims = [claimant({ claim: { baseAmount: 40n } }), declared(minutes(-1))];
    const facts = makeFacts(transfer(100n), transfer(40n));
    expect(outcomes(claims, facts)).toEqual(["proven", "proven"]);
  });

  test("waits while a better or equal claim waits for its depth, and a refusal does not", () => {
    const precious = declared(minutes(-1));
    function isDue(one: Claimant) {
      return one !== precious;
    }

    const [cheap, equal] = [claimant(), declared(minutes(-2))];
    const stranger = declared(minutes(-1), OTHER);
    const claims = [cheap, equal, precious, stranger];
    const facts = makeFacts(transfer(100n));
    expect(outcomes(claims, facts, { isDue })).toEqual([
      "waits",
      "waits",
      "waits",
      "payer_mismatch",
    ]);
    const worse = { isDue: (one: Claimant) => one !== cheap };
    expect(outcomes([cheap, precious], facts, worse)).toEqual(["waits", "proven"]);
  });

  test("adds to what is proven only what no open claim needs", () => {
    const proven = claimant({ isProven: true, merchantSubmitted: true, namedOrder: 0n });
    const [first, second] = [transfer(100n), transfer(30n)];
    const verdicts = decide([proven, claimant()], makeFacts(first, second));
    expect(verdicts.get(proven.id)).toMatchObject({ outcome: "surplus", received: 30n });
    expect(outcomes([proven, claimant()], makeFacts(first))).toEqual([
      "transfer_already_used",
      "proven",
    ]);
  });

  test("that replaced the submitted one and does not pay is a replacement and nothing else", () => {
    const other = toTxHash(`0x${"bb".repeat(32)}`);
    const claims = [claimant({ claim: { baseAmount: 101n } }), claimant()];
    expect(outcomes(claims, makeFacts(transfer(100n)), { txHash: other })).toEqual([
      "replaced",
      "proven",
    ]);
  });

  test("whatever the claims and their order, pays once and the best first", () => {
    const anyClaim = fc.record({
      merchantSubmitted: fc.boolean(),
      payer: fc.constantFrom(undefined, BUYER, OTHER),
      declaredBefore: fc.boolean(),
      baseAmount: fc.bigInt(1n, 120n),
      order: fc.bigInt(0n, 5n),
    });
    fc.assert(
      fc.property(
        fc.array(anyClaim, { minLength: 1, maxLength: 8 }),
        fc.array(fc.bigInt(1n, 120n), { minLength: 1, maxLength: 4 }),
        (terms, values) => {
          const claims = terms.map(({ payer, baseAmount, declaredBefore, order, ...change }, at) =>
            claimant({
              ...change,
              namedOrder: order * LATER + BigInt(at),
              payerDeclaredAt: minutes(declaredBefore ? -1 : 1),
              claim: { payer, baseAmount },
            }),
          );
          const facts = makeFacts(...values.map((value) => transfer(value)));
          const verdicts = decide(claims, facts);
          const paid = [...verdicts.values()].flatMap((one) => ("pays" in one ? one.pays : []));
          expect(new Set(paid).size).toBe(paid.length);
          const reversed = decide(claims.toReversed(), facts);
          for (const { id } of claims) expect(reversed.get(id)).toEqual(verdicts.get(id));
        },
      ),
    );
  });
});

describe("a claim that no wallet has signed", () => {
  const [HELD, PAID, USED] = ["held", "proven", "transfer_already_used"];
  function cheap(baseAmount = 1n) {
    return held({ claim: { baseAmount } });
  }

  const ONE = makeFacts(transfer(100n));
  test.each<[string, Claimant[], Rival[], string[]]>([
    ["is alone", [held()], [], [PAID]],
    ["is equal to another one", [held(), held()], [], [HELD, HELD]],
    ["is as late as another one", [lateFor(100n), lateFor(1n)], [], [HELD, HELD]],
    ["takes more than it asks, as another one", [cheap(90n), cheap(80n)], [], [HELD, HELD]],
    ["stands beside an open payment of the amount", [held()], [rival()], [HELD]],
    ["is for a cheaper order beside it", [cheap()], [rival()], [HELD]],
    ["asks what it asks, of a larger transfer", [cheap(40n)], [rival({ baseAmount: 40n })], [HELD]],
    ["is exact beside a cheaper order", [held(), cheap()], [], [PAID, USED]],
    ["names the sender late beside an exact one", [lateFor(100n), held()], [], [HELD, HELD]],
    ["stands beside another amount", [held()], [rival({ baseAmount: 99n })], [PAID]],
    ["stands beside one of another payer", [held()], [rival({ payer: OTHER })], [PAID]],
    ["stands beside one of this payer", [held()], [rival({ payer: BUYER })], [HELD]],
    ["was found beside it", [held({ found: true })], [rival()], [HELD]],
    [
      "was found, whatever its project lets win",
      [claimant({ found: true })],
      [rival({ firstWins: true })],
      [HELD],
    ],
    [
      "only the chain has named, before an open payment, whatever its project lets win",
      [claimant({ askedAt: NOON })],
      [rival({ firstWins: true })],
      [HELD],
    ],
    [
      "only the chain has named, beside a claim of a payment that was not open",
      [claimant({ askedAt: NOON }), claimant()],
      [],
      [PAID, USED],
    ],
    [
      "lets the first win, beside a payer who was known in time",
      [claimant()],
      [rival({ firstWins: true, payer: BUYER, payerDeclaredAt: minutes(-1) })],
      [HELD],
    ],
    ["lets the first win, as the other one", [claimant(), claimant()], [], [PAID, USED]],
    ["lets the first win, unlike the other one", [claimant(), held()], [], [HELD, HELD]],
    [
      "stands beside one that ended as ambiguous",
      [cheap()],
      [rival({ baseAmount: 7n, isAmbiguous: true })],
      [HELD],
    ],
  ])("that %s", (_what, claims, rivals, expected) => {
    expect(outcomes(claims, ONE, { rivals })).toEqual(expected);
    expect(outcomes(claims.toReversed(), ONE, { rivals })).toEqual(expected.toReversed());
  });

  function lateFor(baseAmount: bigint) {
    return held({ payerDeclaredAt: minutes(1), claim: { payer: BUYER, baseAmount } });
  }

  test.each<[string, () => Claimant]>([
    ["signed", () => signed()],
    ["declared before the sight", () => declared(minutes(-1))],
    ["the merchant's", () => claimant({ merchantSubmitted: true })],
  ])("is decided by a claim that is %s, which is not held for it", (_what, better) => {
    const claims = [held(), better(), cheap()];
    expect(outcomes(claims, ONE, { rivals: [rival()] })).toEqual([USED, PAID, USED]);
  });

  test("of the signer's other payment finds the transfer used", () => {
    const other = held({ signedElsewhere: new Set([BUYER]) });
    expect(outcomes([other, signed()], ONE)).toEqual([USED, PAID]);
  });

  test("gets a transfer where there are as many of the amount as payments", () => {
    const two = makeFacts(transfer(100n), transfer(100n));
    expect(outcomes([held(), held()], two)).toEqual([PAID, PAID]);
    expect(outcomes([held()], two, { rivals: [rival()] })).toEqual([PAID]);
    expect(outcomes([held(), held()], two, { rivals: [rival()] })).toEqual([HELD, HELD]);
    expect(outcomes([held(), held(), held()], two)).toEqual([HELD, HELD, HELD]);
    const apart = makeFacts(transfer(100n), transfer(40n));
    expect(outcomes([held(), held({ claim: { baseAmount: 40n } })], apart)).toEqual([PAID, PAID]);
  });

  test("to a sum is held where a part is just what another payment asks for", () => {
    const parts = makeFacts(transfer(60n), transfer(40n));
    expect(outcomes([held()], parts, { rivals: [rival({ baseAmount: 40n })] })).toEqual([HELD]);
    expect(outcomes([held()], parts, { rivals: [rival({ baseAmount: 50n })] })).toEqual([PAID]);
  });

  test("keeps what it is held for from worse ones, and nothing else", () => {
    const facts = makeFacts(transfer(100n), transfer(30n));
    const proven = claimant({ isProven: true });
    const claims = [held(), held(), held({ claim: { baseAmount: 20n } }), proven];
    expect(outcomes(claims, facts)).toEqual([HELD, HELD, PAID, "waits"]);
  });

  test("of two hashes of one payment is held for no sake of the other", () => {
    const first = held();
    const second = held({ subjectId: first.subjectId, txHash: toTxHash(`0x${"bb".repeat(32)}`) });
    expect(outcomes([first, second], ONE)).toEqual([PAID, "replaced"]);
  });

  test("ends as ambiguous when its time is over, and holds the others as before", () => {
    const [over, open] = [held(), cheap()];
    const change = { isOver: (one: Claimant) => one === over, rivals: [rival()] };
    expect(outcomes([over, open], ONE, change)).toEqual(["ambiguous", HELD]);
  });

  test("of a refund or settlement is never held", () => {
    const refund = held({ subjectId: derivedId("refund", "1"), merchantSubmitted: true });
    expect(outcomes([refund, held()], ONE, { rivals: [rival()] })).toEqual([PAID, USED]);
  });
});
