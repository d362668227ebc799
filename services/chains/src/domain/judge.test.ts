import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Claim, type Facts, judge, type Surroundings } from "./judge.ts";
import { keyOf, NATIVE, type Transfer } from "./transfer.ts";

const SHOP = "0x1111111111111111111111111111111111111111";
const BUYER = "0x2222222222222222222222222222222222222222";
const OTHER = "0x3333333333333333333333333333333333333333";
const TOKEN = "0x4444444444444444444444444444444444444444";
const HASH = `0x${"aa".repeat(32)}`;
const NOON = new Date("2026-03-01T12:00:00Z");
const minutes = (count: number) => new Date(NOON.getTime() + count * 60_000);

const claim = (change: Partial<Claim> = {}): Claim => ({
  ...{ recipient: SHOP, currency: TOKEN, payer: undefined, baseAmount: 100n, exact: false },
  ...{ notBefore: minutes(-1), notAfter: minutes(30) },
  ...change,
});

let ordinal = 0;
const transfer = (value: bigint, change: Partial<Transfer> = {}): Transfer => ({
  ...{ txHash: HASH, kind: "log", ordinal: ordinal++, currency: TOKEN, value },
  ...{ sender: BUYER, recipient: SHOP },
  ...change,
});

const facts = (transfers: Transfer[], change: Partial<Facts> = {}): Facts => ({
  ...{ succeeded: true, blockTime: NOON, complete: true, transfers },
  ...change,
});

const around = (change: Partial<Surroundings> = {}): Surroundings => ({
  ...{ taken: new Set(), payersElsewhere: new Set(), earlier: [] },
  ...change,
});

/** The finding in one word, with the values that pay or that arrived. */
const found = (...terms: Parameters<typeof judge>): string => {
  const finding = judge(...terms);
  if (finding.outcome === "proven") return `proven by ${finding.pays.map(({ value }) => value)}`;
  if (finding.outcome === "refuted") return `${finding.reason} ${finding.received ?? "-"}`;
  return finding.why;
};

describe("a claim", () => {
  test.each<[string, string, Partial<Claim>, Facts]>([
    ["the exact amount", "proven by 100", {}, facts([transfer(100n)])],
    ["more", "proven by 101", {}, facts([transfer(101n)])],
    ["less", "underpaid 99", {}, facts([transfer(99n)])],
    ["nothing", "recipient_mismatch -", {}, facts([])],
    ["somebody else", "recipient_mismatch -", {}, facts([transfer(100n, { recipient: OTHER })])],
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
    ["exactly, by more", "amount_mismatch 101", { exact: true }, facts([transfer(101n)])],
    ["exactly, by less", "underpaid 99", { exact: true }, facts([transfer(99n)])],
    [
      "exactly, by all parts",
      "proven by 40,60",
      { exact: true },
      facts([transfer(40n), transfer(60n)]),
    ],
    [
      "exactly, one among others",
      "proven by 100",
      { exact: true },
      facts([transfer(1n), transfer(100n)]),
    ],
  ])("against %s is %s", (_what, expected, change, shown) => {
    expect(found(claim(change), shown, around())).toBe(expected);
  });

  test("is not settled by what pays something else, alone or in part", () => {
    const [used, free] = [transfer(100n), transfer(100n)];
    const taken = new Set([keyOf(used)]);
    expect(found(claim(), facts([used]), around({ taken }))).toBe("transfer_already_used 100");
    expect(found(claim(), facts([used, free]), around({ taken }))).toBe("proven by 100");
    const large = claim({ baseAmount: 150n });
    expect(found(large, facts([used, free]), around({ taken }))).toBe("transfer_already_used 200");
    const larger = claim({ baseAmount: 300n });
    expect(found(larger, facts([used, free]), around({ taken }))).toBe("underpaid 100");
  });

  test("is completed by what earlier transactions brought", () => {
    const earlier = [transfer(60n, { txHash: `0x${"bb".repeat(32)}` })];
    expect(found(claim(), facts([transfer(40n)]), around({ earlier }))).toBe("proven by 40,60");
    expect(found(claim(), facts([transfer(39n)]), around({ earlier }))).toBe("underpaid 99");
    expect(found(claim(), facts([transfer(100n)]), around({ earlier }))).toBe("proven by 100");
    expect(found(claim(), facts([]), around({ earlier }))).toBe("recipient_mismatch -");
  });

  test("that names no payer waits where another one names the sender", () => {
    const payersElsewhere = new Set([BUYER]);
    const shown = facts([transfer(100n)]);
    expect(found(claim(), shown, around({ payersElsewhere }))).toBe("held_for_another_payment");
    expect(found(claim({ payer: BUYER }), shown, around({ payersElsewhere }))).toBe(
      "proven by 100",
    );
    const two = facts([transfer(100n), transfer(100n, { sender: OTHER })]);
    expect(judge(claim(), two, around({ payersElsewhere }))).toMatchObject({
      ...{ outcome: "proven", sender: OTHER },
    });
  });

  test("in native coin is open while nobody can tell what contracts moved", () => {
    const native = claim({ currency: NATIVE });
    const unknown = { complete: false };
    expect(found(native, facts([], unknown), around())).toBe("native_movements_unknown");
    expect(found(native, facts([], { ...unknown, succeeded: false }), around())).toBe("reverted -");
    expect(found(claim(), facts([], unknown), around())).toBe("recipient_mismatch -");
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
    exact: fc.boolean(),
    payer: fc.constantFrom(undefined, BUYER),
  });

  test("what proves a claim is enough, free, of the payer, and counted once", () => {
    fc.assert(
      fc.property(anyCase, ({ transfers, takenEvery, ...terms }) => {
        const taken = new Set(transfers.filter((_, at) => at % takenEvery === 0).map(keyOf));
        const finding = judge(claim(terms), facts(transfers), around({ taken }));
        if (finding.outcome !== "proven") return;
        const { pays, received } = finding;
        expect(received).toBe(pays.reduce((sum, { value }) => sum + value, 0n));
        expect(terms.exact ? received === terms.baseAmount : received >= terms.baseAmount).toBe(
          true,
        );
        expect(new Set(pays.map(keyOf)).size).toBe(pays.length);
        for (const paying of pays) {
          expect(taken.has(keyOf(paying))).toBe(false);
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
        const finding = judge(claim({ baseAmount }), facts(transfers), around());
        expect(finding.outcome === "proven").toBe(sum >= baseAmount);
      }),
    );
  });
});
