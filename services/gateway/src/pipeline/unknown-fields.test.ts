import { expect, test } from "@jest/globals";
import { describeUnknown } from "./unknown-fields.ts";

function unknownFields(body: object, known: readonly string[]) {
  return describeUnknown("field", Object.keys(body), known);
}

const KNOWN = ["amount", "orderId", "expiresInMinutes"];

test("a body with known fields alone has no warning", () => {
  expect(unknownFields({ amount: "1", orderId: "a" }, KNOWN)).toBeUndefined();
});

test.each([
  ["expireInMinutes", "unknown field expireInMinutes; did you mean expiresInMinutes"],
  ["order_id", "unknown field order_id; did you mean orderId"],
  ["Amount", "unknown field Amount; did you mean amount"],
  ["colour", "unknown field colour"],
])("%s is named, with the field that it resembles", (name, warning) => {
  expect(unknownFields({ amount: "1", [name]: 1 }, KNOWN)).toBe(warning);
});

test("a name that is no header text is not repeated", () => {
  expect(unknownFields({ "a\r\nSet-Cookie: x": 1 }, KNOWN)).toBe("unknown field");
});

test.each(["sk_live_", "cs_live_", "sess_", "whsec_", ""])(
  "a secret of the form %s in place of a name is not repeated",
  (prefix) => {
    expect(unknownFields({ [`${prefix}${"k".repeat(43)}`]: 1 }, KNOWN)).toBe("unknown field");
  },
);

test("many are counted and not named", () => {
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`stray${index}`, 1]));
  expect(unknownFields(many, KNOWN)).toMatch(/^(unknown field stray\d, ){5}2 more$/);
});

test("a parameter of the query is named as one", () => {
  const warning = "unknown parameter stauts; did you mean status";
  expect(describeUnknown("parameter", ["stauts"], ["status", "page"])).toBe(warning);
});
