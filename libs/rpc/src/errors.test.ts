import { expect, test } from "@jest/globals";
import { Failure, fromStatus, toItemFailure, toRestError, toStatus } from "./errors.ts";

test("a failure is one row of the table on every side", () => {
  const failure = new Failure("failed_precondition", "Payment is expired");
  expect(toRestError(failure)).toEqual({
    statusCode: 409,
    message: "Payment is expired",
    error: "Conflict",
  });
  expect(fromStatus(toStatus(failure))).toMatchObject({
    kind: "failed_precondition",
    message: "Payment is expired",
  });
});

test("a refusal that is given again says so on the other side of the wire", () => {
  const given = (replayed: boolean) =>
    fromStatus(toStatus(new Failure("not_found", "Payment not found", { replayed })));
  expect(given(true)).toMatchObject({ kind: "not_found", replayed: true });
  expect(given(false).replayed).toBe(false);
});

test("kinds that share a gRPC status stay apart", () => {
  for (const kind of ["unprocessable", "unsupported_media_type", "invalid_argument"] as const) {
    expect(fromStatus(toStatus(new Failure(kind, "x"))).kind).toBe(kind);
  }
});

test("what is not a failure shows nothing of itself", () => {
  const fault = new Error("duplicate key: s3cret");
  expect(toRestError(fault)).toEqual({
    statusCode: 500,
    message: "Internal server error",
    error: "Internal Server Error",
  });
  expect(toItemFailure(fault)).toEqual({ kind: "internal", message: "Internal server error" });
  expect(toStatus(fault).details).not.toContain("s3cret");
});
