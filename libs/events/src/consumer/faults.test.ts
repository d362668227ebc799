import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { isTransient } from "./faults.ts";

function answered(code: string) {
  return Object.assign(new Error("said the server"), { code, severity: "ERROR" });
}

test.each([
  ["22P02", false], // a text that is no number
  ["23514", false], // a violated check
  ["21000", false], // a list that names a row twice
  ["54000", false], // a text that is too long for an index
  ["P0001", false], // raised by a trigger
  ["42501", true], // no right
  ["42883", true], // no such function
  ["42P01", true], // no such table
  ["42703", true], // no such column
  ["XX000", true], // a fault inside the server
])("SQLSTATE %s passes without a change of the event: %s", (code, passes) => {
  expect(isTransient(answered(code))).toBe(passes);
  expect(isTransient(new Failure("internal", "cannot be said", { cause: answered(code) }))).toBe(
    passes,
  );
});

test("a fault that no database answered is the event's, unless a service is away", () => {
  expect(isTransient(new TypeError("no such property"))).toBe(false);
  expect(isTransient(new Failure("internal", "cannot be said"))).toBe(false);
  expect(isTransient(new Failure("service_unavailable", "not now"))).toBe(true);
});
