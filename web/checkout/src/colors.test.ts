import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { contrast, luminance, textOn } from "./colors.ts";

test("black and white are as far apart as colors can be", () => {
  expect([luminance("#000000"), luminance("#FFFFFF")]).toEqual([0, 1]);
  expect(contrast("#000000", "#FFFFFF")).toBeCloseTo(21);
});

test("text can be read on every color", () => {
  const color = fc.integer({ min: 0, max: 0xffffff });
  fc.assert(
    fc.property(color, (value) => {
      const brand = `#${value.toString(16).padStart(6, "0")}`;
      expect(contrast(brand, textOn(brand))).toBeGreaterThanOrEqual(4.5);
    }),
  );
});
