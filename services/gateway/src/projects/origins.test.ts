import { expect, test } from "@jest/globals";
import { allowsOrigin, canonicalOrigin } from "./origins.ts";

test.each([
  ["https://shop.example", "https://shop.example"],
  ["https://Shop.Example/", "https://shop.example"],
  ["https://shop.example:443", "https://shop.example"],
  ["https://shop.example:8443", "https://shop.example:8443"],
  ["http://localhost:3000", "http://localhost:3000"],
  ["http://127.0.0.1:5173/", "http://127.0.0.1:5173"],
  ["https://*.shop.example", "https://*.shop.example"],
  ["https://münze.example", "https://xn--mnze-0ra.example"],
])("%s is kept as %s", (text, kept) => {
  expect(canonicalOrigin(text)).toBe(kept);
});

test.each([
  "*",
  "null",
  "",
  "shop.example",
  "http://shop.example",
  "http://*.localhost",
  "https://shop.example/path",
  "https://shop.example//",
  "https://shop.example?x=1",
  "https://user@shop.example",
  "https://*",
  "https://*.com",
  "https://a.*.example",
  "https://shop .example",
  "ftp://shop.example",
  "javascript:alert(1)",
  "https://shop.example:99999",
])("%j is no origin", (text) => {
  expect(canonicalOrigin(text)).toBeUndefined();
});

test.each([
  [[], "https://any.example", true],
  [["https://shop.example"], "https://shop.example", true],
  [["https://shop.example"], "https://shop.example.evil.example", false],
  [["https://shop.example"], "http://shop.example", false],
  [["https://*.shop.example"], "https://preview-7.shop.example", true],
  [["https://*.shop.example"], "https://a.b.shop.example", true],
  [["https://*.shop.example"], "https://shop.example", false],
  [["https://*.shop.example"], "https://.shop.example", false],
  [["https://*.shop.example"], "https://evilshop.example", false],
  [["https://shop.example"], "null", false],
])("with %j, %s may call: %s", (allowed, origin, may) => {
  expect(allowsOrigin(allowed, origin)).toBe(may);
});
