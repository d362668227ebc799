import { describe, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import {
  breaksConnection,
  getConstraint,
  getSqlState,
  isConflict,
  queryFailure,
} from "./errors.ts";

function serverError(code: string, more: object = {}) {
  return Object.assign(new Error("said the server"), { code, severity: "ERROR", ...more });
}

describe("conditions of the moment are unavailable, faults of the statement are not", () => {
  test.each([
    ["08006", "service_unavailable"], // connection failure
    ["53300", "service_unavailable"], // too many connections
    ["57P01", "service_unavailable"], // shut down
    ["57014", "service_unavailable"], // statement_timeout
    ["55P03", "service_unavailable"], // lock_timeout
    ["25006", "service_unavailable"], // a former primary
    ["40001", "service_unavailable"], // lost against another transaction
    ["40P01", "service_unavailable"],
    ["23505", "as it is"], // unique violation
    ["23514", "as it is"], // check violation
    ["42P01", "as it is"], // no such table
    ["22P02", "as it is"], // text that is no number
  ])("SQLSTATE %s: %s", (code, expected) => {
    const error = serverError(code);
    const seen = queryFailure(error);
    expect(seen instanceof Failure ? seen.errorCode : "as it is").toBe(expected);
    expect(getSqlState(seen)).toBe(code);
  });

  test("an error without a SQLSTATE never got an answer", () => {
    const socket = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    expect(queryFailure(socket)).toMatchObject({ errorCode: "service_unavailable", cause: socket });
  });

  test("a value that cannot be sent is the caller's fault", () => {
    const error = new TypeError("Converting circular structure to JSON");
    expect(queryFailure(error)).toBe(error);
  });

  test("what is public says nothing about the database", () => {
    const seen = queryFailure(serverError("57P01")) as Failure;
    expect(seen.message).not.toMatch(/server|sql|postgres|database/i);
  });
});

test("a connection is given up when its state is unknown, and kept after a refused statement", () => {
  expect(breaksConnection(new Error("Query read timeout"))).toBe(true);
  expect(breaksConnection(serverError("57P01", { severity: "FATAL" }))).toBe(true);
  expect(breaksConnection(serverError("25006"))).toBe(true);
  expect(breaksConnection(serverError("23505"))).toBe(false);
});

test("only lost races may be run again", () => {
  const conflict = serverError("40001");
  expect(isConflict(conflict)).toBe(true);
  expect(isConflict(queryFailure(conflict))).toBe(true);
  expect(isConflict(serverError("23505"))).toBe(false);
});

test("an error that names no constraint has none", () => {
  expect(getConstraint(new Error("x"))).toBeUndefined();
  expect(getConstraint(undefined)).toBeUndefined();
  expect(getConstraint("text")).toBeUndefined();
});
