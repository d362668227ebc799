import { expect, test } from "@jest/globals";
import { formatFor } from "./statement-format.ts";

test("a statement is JSON in lines, and CSV for those who name it", () => {
  for (const accept of [undefined, "*/*", "application/json", "text/csvx"]) {
    expect(formatFor(accept).contentType).toMatch(/^application\/jsonl/);
  }
  expect(formatFor("text/csv").contentType).toMatch(/^text\/csv/);
  expect(formatFor("application/json;q=0.5, text/csv").contentType).toMatch(/^text\/csv/);
  const row = { orderId: 'a"\n', chainId: 1, paymentId: null };
  expect(JSON.parse(formatFor(undefined).row(row))).toEqual(row);
  expect(formatFor(undefined).head(["orderId"])).toBe("");
});

test.each([
  ["plain", "plain"],
  ["", ""],
  [null, ""],
  [42, "42"],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\nlines", '"two\nlines"'],
  ["=1+1", '"\'=1+1"'],
  ["+49", '"\'+49"'],
  ["-1", '"\'-1"'],
  ["@cmd", '"\'@cmd"'],
  ["\tx", '"\'\tx"'],
  ["＝1", '"\'＝1"'],
  ['=cmd|"x"', '"\'=cmd|""x"""'],
])("in CSV the cell %j is written as %j", (value, written) => {
  expect(formatFor("text/csv").row({ a: value, b: "end" })).toBe(`${written},end\r\n`);
});

test("the head of a CSV names its columns", () => {
  expect(formatFor("text/csv").head(["id", "amount"])).toBe("id,amount\r\n");
  expect(formatFor("text/csv", true).head(["id"])).toBe("\ufeffid\r\n");
  expect(formatFor(undefined, true).head(["id"])).toBe("");
});
