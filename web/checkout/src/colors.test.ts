import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { contrast, GROUNDS, isVisibleOn, luminance, textOn } from "../../look/colors.ts";
import { toHex } from "./colors.ts";

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
  expect({ light, dark }).toEqual(GROUNDS);
  expect([isVisibleOn(light, "#FFF6D0"), isVisibleOn(dark, "#FFF6D0")]).toEqual([false, true]);
  expect([isVisibleOn(light, "#1D3B34"), isVisibleOn(dark, "#1D3B34")]).toEqual([true, false]);
});

const WEB = new URL("../../", import.meta.url);
const tokens = readFileSync(new URL("look/tokens.css", WEB), "utf8");

/** The value of a token on the light (0) or the dark (1) side. */
function readToken(name: string, side: 0 | 1): string {
  const value = new RegExp(`^\\s*--${name}: ([^;]+);`, "m").exec(tokens)?.[1] ?? "";
  const pair = /^light-dark\((#\w+), (#\w+)\)$/.exec(value);
  return pair?.[side + 1] ?? value;
}

const SURFACES = ["ground", "sunken", "raised", "hover", "selected"];
const STATES = ["good", "busy", "heed", "bad", "still"];

/** Each text with the grounds on which it stands. */
const TEXTS: Record<string, string[]> = {
  ...Object.fromEntries(
    ["text", "text-quiet", "text-faint", "accent-text"].map((text) => [text, SURFACES]),
  ),
  ...Object.fromEntries(STATES.map((state) => [`${state}-text`, [...SURFACES, `${state}-soft`]])),
  "text-on-accent": ["accent", "accent-hover"],
  "person-text": ["person-soft"],
  "on-colour": ["project"],
  "badge-text": ["badge-ground"],
  ...Object.fromEntries(
    ["text", "quiet", "name", "string", "number"].map((text) => [`code-${text}`, ["code-ground"]]),
  ),
};

const MARKS = ["edge", "focus", ...STATES.map((state) => `${state}-mark`)];

function listTooFaint(pairs: [string, string][], least: number): string[] {
  return pairs.flatMap(([front, ground]) =>
    ([0, 1] as const).flatMap((side) => {
      const ratio = contrast(readToken(front, side), readToken(ground, side));
      return ratio >= least ? [] : [`${front} on ${ground}, ${side}: ${ratio.toFixed(2)}`];
    }),
  );
}

test("the ground on which a shop's color is judged is that of the page", () => {
  expect([readToken("sunken", 0), readToken("sunken", 1)]).toEqual([GROUNDS.light, GROUNDS.dark]);
});

test("every text can be read on its grounds in both themes, and every mark be seen", () => {
  const texts = Object.entries(TEXTS).flatMap(([text, grounds]) =>
    grounds.map((ground): [string, string] => [text, ground]),
  );
  expect(listTooFaint(texts, 4.5)).toEqual([]);
  const marks = MARKS.flatMap((mark) =>
    ["ground", "raised", "sunken"].map((ground): [string, string] => [mark, ground]),
  );
  expect(listTooFaint(marks, 3)).toEqual([]);
});

const OUTSIDE_TOKENS = [
  /#[\da-f]{3,8}\b/gi,
  /\b(?:rgba?|hsla?|lab|lch|oklab|oklch|light-dark)\(/g,
  /\bfont-size:[^;]*?[\d.]+(?:rem|px)/g,
  /\bfont:[^;/]*?\s[\d.]+(?:rem|px)/g,
  /\bbox-shadow:(?!\s*(?:none|var\(--shadow))[^;]*/g,
];

test("no stylesheet but the tokens names a color, a shadow or a size of type", () => {
  const sheets = readdirSync(WEB, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".css") && !/(?:^|\/)(?:dist|node_modules)\//.test(name),
  );
  expect(sheets).toContain("look/tokens.css");
  const found = sheets
    .filter((name) => name !== "look/tokens.css")
    .flatMap((name) => {
      const text = readFileSync(new URL(name, WEB), "utf8").replace(/url\([^)]*\)/g, "");
      return OUTSIDE_TOKENS.flatMap((pattern) => text.match(pattern) ?? []).map(
        (match) => `${name}: ${match}`,
      );
    });
  expect(found).toEqual([]);
});
