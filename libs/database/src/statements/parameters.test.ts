import { expect, test } from "@jest/globals";
import { arrayParameters, columnArrays, parameters } from "./parameters.ts";

test("parameters are numbered from where the statement has come to", () => {
  expect(parameters(3, 1)).toBe("$1, $2, $3");
  expect(parameters(0, 1)).toBe("");
  expect(arrayParameters(["text", "bigint"], 4)).toBe("$4::text[], $5::bigint[]");
});

test("rows become arrays of columns, and no digit and no list is lost", () => {
  const rows = [
    { id: "a", amount: 10n ** 30n, hashes: [{ hash: "0x1" }], seen: null },
    { id: "b", amount: 0n, hashes: [], seen: null },
  ];
  expect(columnArrays(["amount", "hashes", "id", "seen"], rows)).toEqual([
    ["1000000000000000000000000000000", "0"],
    ['[{"hash":"0x1"}]', "[]"],
    ["a", "b"],
    [null, null],
  ]);
});
