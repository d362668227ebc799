import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { bumpedFees, firstFees } from "./fees.ts";

const fee = fc.bigInt({ min: 0n, max: 10n ** 12n });

test("first fees pay for the next block and never more than the bound", () => {
  fc.assert(
    fc.property(fee, fee, fee, (baseFee, priorityFee, max) => {
      const fees = firstFees({ baseFee, priorityFee }, max);
      if (fees === undefined) return expect(baseFee + priorityFee).toBeGreaterThan(max);
      expect(fees.maxFee).toBeLessThanOrEqual(max);
      expect(fees.maxFee).toBeGreaterThanOrEqual(baseFee + fees.priorityFee);
    }),
  );
});

test("the fees of another transaction of the nonce are an eighth more, within the bound", () => {
  fc.assert(
    fc.property(fee, fee, fee, fee, (a, b, baseFee, max) => {
      const last = { maxFee: a > b ? a : b, priorityFee: a > b ? b : a };
      const fees = bumpedFees(last, { baseFee, priorityFee: 0n }, max);
      if (fees === undefined) return expect(last.maxFee * 9n).toBeGreaterThan((max - 1n) * 8n - 8n);
      expect(fees.maxFee * 8n).toBeGreaterThanOrEqual(last.maxFee * 9n);
      expect(fees.priorityFee * 8n).toBeGreaterThanOrEqual(last.priorityFee * 9n);
      expect(fees.maxFee).toBeLessThanOrEqual(max);
      expect(fees.priorityFee).toBeLessThanOrEqual(fees.maxFee);
    }),
  );
});
