import { execFileSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { derivedId, isId, newId, newSecret, numberedId, numberOfId, toBase62 } from "./ids.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("an id has its prefix and 24 characters, and no two are equal", () => {
  const ids = new Set(Array.from({ length: 5_000 }, () => newId("pay")));
  expect(ids.size).toBe(5_000);
  for (const id of ids) expect(id).toMatch(/^pay_[0-9A-Za-z]{24}$/);
});

describe("the time in an id", () => {
  test("ids sort by the millisecond in which they were made", () => {
    const times = fc.integer({ min: 0, max: Date.UTC(8000, 0) });
    fc.assert(
      fc.property(times, times, (one, other) => {
        fc.pre(one !== other);
        expect(newId("pay", one) < newId("pay", other)).toBe(one < other);
      }),
    );
  });

  test("ids of one millisecond share nothing but that millisecond", () => {
    const ids = Array.from({ length: 2_000 }, () => newId("pay", Date.UTC(2026, 10, 22)));
    expect(new Set(ids.map((id) => id.slice(0, 12))).size).toBe(1);
    expect(new Set(ids.map((id) => id.slice(12))).size).toBe(2_000);
    for (let at = 12; at < 28; at++) {
      expect(new Set(ids.map((id) => id[at])).size).toBe(62);
    }
  });

  test("a derived id has the time of its source, and another one for every other detail", () => {
    const source = newId("evt");
    const derived = derivedId("refund", source);
    expect(derived).toBe(derivedId("refund", source));
    expect(derived.slice(7, 15)).toBe(source.slice(4, 12));
    expect(isId("refund", derived)).toBe(true);
    const ids = [derived, derivedId("refund", source, 1), derivedId("refund", newId("evt"))];
    expect(new Set(ids).size).toBe(3);
    expect(isId("evt", derivedId("evt", "a source that is no id", 1))).toBe(true);
  });
});

test("an id of a numbered row gives its number to its own reader alone", () => {
  const numbers = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
  const times = fc.integer({ min: 0, max: Date.UTC(8000, 0) });
  fc.assert(
    fc.property(numbers, times, (number, ms) => {
      const id = numberedId("tr", { ms, number, reader: "one" });
      expect(isId("tr", id)).toBe(true);
      expect(numberOfId("tr", id, "one")).toBe(number);
      expect(numberOfId("tr", id, "another")).toBeUndefined();
    }),
  );
  expect(numberOfId("tr", newId("tr"), "one")).toBeUndefined();
  expect(numberOfId("tr", `tr_${"z".repeat(24)}`, "one")).toBeUndefined();
  expect(numberOfId("tr", "no id", "one")).toBeUndefined();
});

test("an id is known by its form", () => {
  expect(isId("pay", newId("pay"))).toBe(true);
  expect(isId("pay", newId("refund"))).toBe(false);
  expect(isId("pay", "pay_..%2f..%2fetc%2fpasswd000")).toBe(false);
  expect(isId("pay", `${newId("pay")}0`)).toBe(false);
});

test("every character of the alphabet is drawn about equally often", () => {
  const counts = new Map<string, number>();
  const text = Array.from({ length: 4_000 }, () => newId("pay").slice(12)).join("");
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  const expected = text.length / 62;
  for (const count of counts.values())
    expect(Math.abs(count - expected)).toBeLessThan(expected / 4);
});

test("a secret keeps its prefix and 256 bits", () => {
  expect(newSecret("sk_live_")).toMatch(/^sk_live_[0-9A-Za-z]{43}$/);
});

test("base62 is the number in base 62, most significant digit first", () => {
  expect(toBase62(Uint8Array.of(0, 61), 2)).toBe("0z");
  expect(toBase62(Uint8Array.of(0, 62), 2)).toBe("10");
  function toNumber(text: string) {
    return [...text].reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
  }

  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      expect(toNumber(toBase62(bytes, 43))).toBe(BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
    }),
  );
});

const IDS = new URL("./ids.ts", import.meta.url);

function idsOfAnotherProcess(count: number): string[] {
  const script = `import { newId } from ${JSON.stringify(IDS.href)};
    for (let at = 0; at < ${count}; at++) console.log(newId("pay"));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script]);
  return output.toString().trim().split("\n");
}

test("ids of processes that work one after the other sort in the order of their work", () => {
  const rounds = Array.from({ length: 3 }, () => idsOfAnotherProcess(100));
  const [first = [], second = [], third = []] = rounds.map((ids) => ids.toSorted());
  expect([...first, ...second, ...third]).toEqual([...first, ...second, ...third].toSorted());
  expect(new Set(rounds.flat()).size).toBe(300);
});
