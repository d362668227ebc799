import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseReference, REFERENCE_KEY, toReference, toReferenceSuffix } from "./reference.ts";

const MARKER = "8021".repeat(8);
const id = fc.stringMatching(/^pay_[0-9A-Za-z]{22}$/);
const bytes = fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some).toString("hex"));
/** Schema 0 lists codes: what a wallet adds. */
const walletSuffix = fc.stringMatching(/^[a-z]{1,12}$/).map((code) => {
  const length = code.length.toString(16).padStart(2, "0");
  return `${Buffer.from(code).toString("hex")}${length}00${MARKER}`;
});
const noName = fc.oneof(bytes, walletSuffix, fc.constant(MARKER));

test("a suffix is 44 bytes, as ERC-8021 has them", () => {
  const reference = toReference("pay_1");
  expect(toReferenceSuffix(reference)).toBe(`a1616da16370617950${reference}001902${MARKER}`);
  expect(toReferenceSuffix(reference)).toHaveLength(88);
  expect(toReferenceSuffix(reference)).toContain(REFERENCE_KEY);
});

test("a reference is the first half of a hash of the payment's id", () => {
  expect(toReference("pay_1")).toBe("aa61da39d387e783c89f5788147892bd");
});

test("a reference is read whatever a wallet adds before and behind it", () => {
  fc.assert(
    fc.property(id, noName, noName, (paymentId, before, behind) => {
      const reference = toReference(paymentId);
      const suffix = toReferenceSuffix(reference);
      expect(parseReference(before + suffix + behind)).toBe(reference);
      expect(parseReference(suffix + before + suffix)).toBe(reference);
    }),
  );
});

test("two references name nothing, and other bytes neither", () => {
  fc.assert(
    fc.property(id, id, noName, (one, other, between) => {
      fc.pre(one !== other);
      const both = [one, other].map((paymentId) => toReferenceSuffix(toReference(paymentId)));
      expect(parseReference(both.join(between))).toBeUndefined();
      expect(parseReference(between)).toBeUndefined();
    }),
  );
});

test("a suffix with one digit changed or cut off names not that payment", () => {
  fc.assert(
    fc.property(id, fc.nat(87), fc.integer({ min: 1, max: 15 }), (paymentId, place, by) => {
      const reference = toReference(paymentId);
      const suffix = toReferenceSuffix(reference);
      const digit = (Number.parseInt(suffix.charAt(place), 16) ^ by).toString(16);
      const changed = suffix.slice(0, place) + digit + suffix.slice(place + 1);
      expect(parseReference(changed)).not.toBe(reference);
      expect(parseReference(suffix.slice(0, place))).toBeUndefined();
      expect(parseReference(`0${suffix}`)).toBeUndefined();
      if (place < 18 || place >= 50) expect(parseReference(changed)).toBeUndefined();
    }),
  );
});
