import { describe, expect, test } from "@jest/globals";
import {
  asFailure,
  Failure,
  fromItemFailure,
  getKind,
  toItemFailure,
  toRestError,
} from "./failure.ts";
import { FAILURES, type FailureCode } from "./table.ts";

/** The status of each kind. */
const KINDS: Record<string, number> = {
  invalid_argument: 400,
  unauthenticated: 401,
  payment_required: 402,
  permission_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  failed_precondition: 409,
  already_exists: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  resource_exhausted: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  deadline_exceeded: 504,
};

function getStatus(error: unknown): number {
  return toRestError(error).statusCode;
}

const CODES = Object.keys(FAILURES) as FailureCode[];

describe.each(CODES)("%s", (code) => {
  test("is a word that machines can compare", () => {
    expect(code).toMatch(/^[a-z_]+$/);
  });

  test("has the status of its kind", () => {
    const { kind } = toItemFailure(new Failure(code, "x"));
    expect(KINDS[kind]).toBe(getStatus(new Failure(code, "x")));
  });

  test("is read as the generic code of its kind where it is unknown", () => {
    const written = toItemFailure(new Failure(code, "x"));
    const read = fromItemFailure({ ...written, code: "a_new_code" });
    expect([getKind(read.errorCode), read.message]).toEqual([getKind(code), "x"]);
    expect(FAILURES[read.errorCode]).toEqual(FAILURES[code]);
  });

  test("is read as it was written", () => {
    expect(fromItemFailure(toItemFailure(new Failure(code, "x")))).toMatchObject({
      errorCode: code,
      message: "x",
    });
  });
});

test("a refusal of which nothing is known is a fault, and shows nothing of itself", () => {
  const read = fromItemFailure({ kind: "new", code: "new", message: "s3cret" });
  expect(read).toMatchObject({ errorCode: "internal", message: "Internal server error" });
  expect(asFailure(read)).toBe(read);
});
