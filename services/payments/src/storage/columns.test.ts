import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { packSpelling, paymentTypes } from "./columns.ts";

const toText = paymentTypes.getTypeParser(17);

test.each([
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "0x70997970C51812DC3A010C7D01B50E0D17DC79C8",
  "native",
])("%s is read as it was written", (text) => {
  expect(toText(packSpelling(text))).toBe(text);
});

test("every address is read as it was written, and takes 25 bytes at most", () => {
  const digit = fc.constantFrom(..."0123456789abcdefABCDEF");
  const digits = fc.array(digit, { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(digits, (one) => {
      const stored = packSpelling(`0x${one.join("")}`);
      expect(toText(stored)).toBe(`0x${one.join("")}`);
      expect(stored.length).toBeLessThanOrEqual("\\x".length + 2 * 25);
    }),
  );
});
