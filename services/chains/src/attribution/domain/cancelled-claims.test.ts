// A payment that its merchant has cancelled is not meant, whatever was said of it before: it gets what is left.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Claimant } from "./candidate.ts";
import type { Rival } from "./hold.ts";
import {
  BUYER,
  type Change,
  claimant,
  decide,
  declared,
  held,
  makeFacts,
  minutes,
  OTHER,
  outcomes,
  rival,
  signed,
  transfer,
} from "./sample-claims.ts";

const [HELD, PAID, USED] = ["held", "proven", "transfer_already_used"];
const ONE = makeFacts(transfer(100n));

function cancelled(one: Claimant = held({ found: true })): Claimant {
  return { ...one, isCancelled: true };
}

function known(change: Change<Claimant["claim"]> = {}): Claimant {
  return held({ payerDeclaredAt: minutes(-1), claim: { ...change, payer: BUYER } });
}

describe("a claim of a cancelled payment", () => {
  test.each<[string, Claimant[], Rival[], string[]]>([
    ["has nothing left by an equal one", [cancelled(held()), held()], [], [USED, PAID]],
    [
      "that was known has nothing left by one that was",
      [cancelled(known()), known()],
      [],
      [USED, PAID],
    ],
    [
      "that was known has nothing left by a found one",
      [cancelled(known()), held({ found: true })],
      [],
      [USED, PAID],
    ],
    [
      "that was signed has nothing left by another one",
      [cancelled(signed()), held()],
      [],
      [USED, PAID],
    ],
    [
      "to exactly the amount has nothing left by a cheaper order",
      [cancelled(known()), known({ baseAmount: 1n })],
      [],
      [USED, PAID],
    ],
    ["is paid where no other one is", [cancelled()], [], [PAID]],
    [
      "is paid where others are of another wallet",
      [cancelled(), declared(minutes(-1), OTHER)],
      [],
      [PAID, "payer_mismatch"],
    ],
    [
      "to exactly the amount is paid before a cheaper one that is cancelled, too",
      [cancelled(known()), cancelled(known({ baseAmount: 1n }))],
      [],
      [PAID, USED],
    ],
    [
      "is held beside an equal one that is cancelled, too",
      [cancelled(), cancelled()],
      [],
      [HELD, HELD],
    ],
    ["is held while an open payment may be meant", [cancelled()], [rival()], [HELD]],
    [
      "gets nothing of what open ones are held for",
      [cancelled(), held(), held()],
      [],
      [HELD, HELD, HELD],
    ],
  ])("%s", (_what, claims, rivals, expected) => {
    expect(outcomes(claims, ONE, { rivals })).toEqual(expected);
    expect(outcomes(claims.toReversed(), ONE, { rivals })).toEqual(expected.toReversed());
  });

  test("waits for every open one, and none waits for it", () => {
    const [gone, open] = [cancelled(known()), held({ found: true })];
    function waitFor(late: Claimant) {
      return { isDue: (one: Claimant) => one !== late };
    }

    expect(outcomes([gone, open], ONE, waitFor(open))).toEqual(["waits", "waits"]);
    expect(outcomes([gone, open], ONE, waitFor(gone))).toEqual(["waits", PAID]);
  });

  const aClaim = fc.record({
    merchantSubmitted: fc.boolean(),
    found: fc.boolean(),
    firstWins: fc.boolean(),
    isSigned: fc.boolean(),
    isProven: fc.constantFrom(false, false, false, true),
    payer: fc.constantFrom(undefined, BUYER, OTHER),
    declaredBefore: fc.boolean(),
    baseAmount: fc.constantFrom(30n, 40n, 70n, 100n),
    order: fc.bigInt(0n, 5n),
    isDue: fc.boolean(),
  });
  const aRival = fc.record({
    payer: fc.constantFrom(undefined, BUYER, OTHER),
    payerDeclaredAt: fc.constantFrom(undefined, minutes(-1), minutes(1)),
    baseAmount: fc.constantFrom(30n, 40n, 70n, 100n),
    firstWins: fc.boolean(),
    isAmbiguous: fc.boolean(),
  });
  const aTransfer = fc.tuple(fc.constantFrom(30n, 40n, 70n, 100n), fc.constantFrom(BUYER, OTHER));

  test("changes nothing for open payments, whatever is claimed and sent", () => {
    fc.assert(
      fc.property(
        fc.array(aClaim, { minLength: 1, maxLength: 5 }),
        fc.array(aClaim, { minLength: 1, maxLength: 3 }),
        fc.array(aRival, { maxLength: 3 }),
        fc.array(aTransfer, { minLength: 1, maxLength: 4 }),
        (open, gone, others, sent) => {
          const waiting = new Set<Claimant>();
          function makeClaimant({
            payer,
            baseAmount,
            declaredBefore,
            isDue,
            order,
            ...change
          }: (typeof open)[number]) {
            const payerDeclaredAt = minutes(declaredBefore ? -1 : 1);
            const one = claimant({ ...change, payerDeclaredAt, claim: { payer, baseAmount } });
            one.namedOrder += order * 1_000_000n;
            if (!isDue) waiting.add(one);
            return one;
          }

          const claims = open.map(makeClaimant);
          const rivals = others.map(rival);
          const facts = makeFacts(...sent.map(([value, sender]) => transfer(value, sender)));
          const terms = { rivals, isDue: (one: Claimant) => !waiting.has(one) };
          const alone = decide(claims, facts, terms);
          const beside = gone.map((one) => {
            const { isDue, ...terms } = one;
            const made = cancelled(makeClaimant({ ...terms, isDue: true }));
            if (!isDue) waiting.add(made);
            return made;
          });
          const together = decide([...beside, ...claims], facts, terms);
          for (const { id } of claims) expect(together.get(id)).toEqual(alone.get(id));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
