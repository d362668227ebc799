import { describe, expect, test } from "@jest/globals";
import { toAddress, toAmount, toTxHash } from "@pay/values";
import fc from "fast-check";
import { getKey, NATIVE, type Transfer } from "../../providers/domain/transfer.ts";
import {
  type Claim,
  checkClaim,
  checkSurplus,
  type Facts,
  type RelatedTransfers,
  type Verdict,
} from "./claim.ts";
import type { Change } from "./sample-claims.ts";

const SHOP = toAddress("0x1111111111111111111111111111111111111111");
const BUYER = toAddress("0x2222222222222222222222222222222222222222");
const OTHER = toAddress("0x3333333333333333333333333333333333333333");
const TOKEN = toAddress("0x4444444444444444444444444444444444444444");
const HASH = toTxHash(`0x${"aa".repeat(32)}`);
const NOON = new Date("2026-03-01T12:00:00Z");
function minutes(count: number) {
  return new Date(NOON.getTime() + count * 60_000);
}

function claim(change: Change<Claim> = {}): Claim {
  return {
    recipient: SHOP,
    currency: TOKEN,
    payer: undefined,
    notBefore: minutes(-1),
    notAfter: minutes(30),
    ...change,
    baseAmount: toAmount(change.baseAmount ?? 100n),
  };
}

let ordinal = 0;
function transfer(value: bigint, change: Partial<Transfer> = {}): Transfer {
  return {
    txHash: HASH,
    kind: "log",
    ordinal: ordinal++,
    currency: TOKEN,
    value: toAmount(value),
    sender: BUYER,
    recipient: SHOP,
    ...change,
  };
}

function facts(transfers: Transfer[], change: Partial<Facts> = {}): Facts {
  return { succeeded: true, blockTime: NOON, complete: true, transfers, ...change };
}

function around(change: Partial<RelatedTransfers> = {}): RelatedTransfers {
  return { taken: new Set(), earlier: [], ...change };
}

/** The verdict in one word, with the values that pay or that arrived. */
function inAWord(verdict: Verdict): string {
  const { outcome } = verdict;
  if (outcome === "refuted") return `${verdict.reason} ${verdict.received ?? "-"}`;
  if (outcome === "unclear") return outcome;
  return `${outcome} by ${verdict.pays.map(({ value }) => value)}`;
}

function found(...terms: Parameters<typeof checkClaim>): string {
  return inAWord(checkClaim(...terms));
}

describe("a claim", () => {
  test.each<[string, string, Partial<Claim>, Facts]>([
    ["the exact amount", "proven by 100", {}, facts([transfer(100n)])],
    ["more", "proven by 101", {}, facts([transfer(101n)])],
    ["less", "underpaid 99", {}, facts([transfer(99n)])],
    ["nothing", "recipient_mismatch -", {}, facts([])],
    [
      "another recipient",
      "recipient_mismatch -",
      {},
      facts([transfer(100n, { recipient: OTHER })]),
    ],
    ["another currency", "wrong_token -", {}, facts([transfer(100n, { currency: NATIVE })])],
    ["a failed transaction", "reverted -", {}, facts([], { succeeded: false })],
    [
      "a transfer to oneself",
      "recipient_mismatch -",
      {},
      facts([transfer(100n, { sender: SHOP })]),
    ],
    ["another payer", "payer_mismatch 100", { payer: OTHER }, facts([transfer(100n)])],
    ["the declared payer", "proven by 100", { payer: BUYER }, facts([transfer(100n)])],
    [
      "a block before the window",
      "predates_payment 100",
      { notBefore: minutes(1) },
      facts([transfer(100n)]),
    ],
    ["a block at its start", "proven by 100", { notBefore: NOON }, facts([transfer(100n)])],
    ["a block after the window", "late 100", { notAfter: minutes(-1) }, facts([transfer(100n)])],
    ["a block at its end", "proven by 100", { notAfter: NOON }, facts([transfer(100n)])],
    ["no end of the window", "proven by 100", { notAfter: undefined }, facts([transfer(100n)])],
    ["a late one of another shop", "recipient_mismatch -", { notAfter: minutes(-1) }, facts([])],
    ["several parts", "proven by 60,40", {}, facts([transfer(40n), transfer(60n)])],
    [
      "one of the amount among others",
      "proven by 100",
      {},
      facts([transfer(700n), transfer(100n), transfer(99n)]),
    ],
    [
      "the least one above it",
      "proven by 150",
      {},
      facts([transfer(700n), transfer(150n), transfer(99n)]),
    ],
    [
      "no more parts than needed",
      "proven by 90,20",
      {},
      facts([transfer(5n), transfer(20n), transfer(90n)]),
    ],
  ])("against %s is %s", (_what, expected, change, shown) => {
    expect(found(claim(change), shown, around())).toBe(expected);
  });

  test("is not settled by what pays something else, alone or in part", () => {
    const [used, free] = [transfer(100n), transfer(100n)];
    const taken = new Set([getKey(used)]);
    expect(found(claim(), facts([used]), around({ taken }))).toBe("transfer_already_used 100");
    expect(found(claim(), facts([used, free]), around({ taken }))).toBe("proven by 100");
    const large = claim({ baseAmount: 150n });
    expect(found(large, facts([used, free]), around({ taken }))).toBe("transfer_already_used 200");
    const larger = claim({ baseAmount: 300n });
    expect(found(larger, facts([used, free]), around({ taken }))).toBe("underpaid 100");
  });

  test("is completed by what earlier transactions brought", () => {
    const earlier = [transfer(60n, { txHash: toTxHash(`0x${"bb".repeat(32)}`) })];
    expect(found(claim(), facts([transfer(40n)]), around({ earlier }))).toBe("proven by 40,60");
    expect(found(claim(), facts([transfer(39n)]), around({ earlier }))).toBe("underpaid 99");
    expect(found(claim(), facts([transfer(100n)]), around({ earlier }))).toBe("proven by 100");
    expect(found(claim(), facts([]), around({ earlier }))).toBe("recipient_mismatch -");
  });

  test("in native coin is open while no provider can show what contracts moved", () => {
    const native = claim({ currency: NATIVE });
    const unknown = { complete: false };
    expect(found(native, facts([], unknown), around())).toBe("unclear");
    expect(found(native, facts([], { ...unknown, succeeded: false }), around())).toBe("reverted -");
    expect(found(claim(), facts([], unknown), around())).toBe("recipient_mismatch -");
  });
});

describe("a further transaction for what is proven already", () => {
  function further(change: Partial<Claim>, shown: Facts, taken: Transfer[] = []) {
    return inAWord(checkSurplus(claim(change), shown, new Set(taken.map(getKey))));
  }

  test("adds all it brought, be it little or late", () => {
    const shown = facts([transfer(40n), transfer(7n), transfer(9n, { recipient: OTHER })]);
    expect(further({}, shown)).toBe("surplus by 40,7");
    expect(further({ notAfter: minutes(-1) }, shown)).toBe("surplus by 40,7");
  });

  test("adds nothing that pays something else, predates it or comes from another payer", () => {
    const [used, free] = [transfer(100n), transfer(3n)];
    expect(further({}, facts([used, free]), [used])).toBe("surplus by 3");
    expect(further({}, facts([used]), [used])).toBe("transfer_already_used 100");
    expect(further({ notBefore: minutes(1) }, facts([free]))).toBe("predates_payment 3");
    expect(further({ payer: OTHER }, facts([free]))).toBe("payer_mismatch 3");
    expect(further({}, facts([], { succeeded: false }))).toBe("reverted -");
  });
});

describe("whatever a transaction holds", () => {
  const anyTransfer = fc
    .tuple(fc.bigInt(1n, 200n), fc.constantFrom(BUYER, OTHER, SHOP), fc.constantFrom(SHOP, OTHER))
    .map(([value, sender, recipient]) => transfer(value, { sender, recipient }));
  const anyCase = fc.record({
    transfers: fc.array(anyTransfer, { maxLength: 8 }),
    takenEvery: fc.integer({ min: 1, max: 4 }),
    baseAmount: fc.bigInt(1n, 500n),
    payer: fc.constantFrom(undefined, BUYER),
  });

  test("what proves a claim is enough, free, of the payer, and counted once", () => {
    fc.assert(
      fc.property(anyCase, ({ transfers, takenEvery, ...terms }) => {
        const taken = new Set(transfers.filter((_, at) => at % takenEvery === 0).map(getKey));
        const verdict = checkClaim(claim(terms), facts(transfers), around({ taken }));
        if (verdict.outcome !== "proven") return;
        const { pays, received } = verdict;
        expect(received).toBe(pays.reduce((sum, { value }) => sum + value, 0n));
        expect(received >= terms.baseAmount).toBe(true);
        expect(new Set(pays.map(getKey)).size).toBe(pays.length);
        for (const paying of pays) {
          expect(taken.has(getKey(paying))).toBe(false);
          expect(paying.recipient).toBe(SHOP);
          expect(paying.sender).not.toBe(SHOP);
          expect(paying.sender).toBe(terms.payer ?? paying.sender);
        }
      }),
    );
  });

  test("a claim that all free transfers together satisfy is never refuted", () => {
    fc.assert(
      fc.property(anyCase, ({ transfers, baseAmount }) => {
        const sum = transfers
          .filter(({ sender, recipient }) => recipient === SHOP && sender !== SHOP)
          .reduce((total, { value }) => total + value, 0n);
        const verdict = checkClaim(claim({ baseAmount }), facts(transfers), around());
        expect(verdict.outcome === "proven").toBe(sum >= baseAmount);
      }),
    );
  });
});
