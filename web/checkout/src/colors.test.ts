import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { contrast, isVisibleOn, luminance, textOn, toHex } from "./colors.ts";

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

test("a color that cannot be told from the page is not used", () => {
  const [light, dark] = [toHex("rgb(246, 247, 249)"), toHex("rgb(11, 13, 17)")];
  expect([light, dark]).toEqual(["#f6f7f9", "#0b0d11"]);
  expect([isVisibleOn(light, "#FFF6D0"), isVisibleOn(dark, "#FFF6D0")]).toEqual([false, true]);
  expect([isVisibleOn(light, "#1D3B34"), isVisibleOn(dark, "#1D3B34")]).toEqual([true, false]);
});
