import { status } from "@grpc/grpc-js";
import { expect, test } from "@jest/globals";
import { Failure, toItemFailure, toRestError } from "@pay/failures";
import { fromStatus, toStatus } from "./status.ts";

function read(status: unknown) {
  return fromStatus(status, "/shop.v1.Shop/Buy");
}

test("a failure is one row of the table on every side", () => {
  const failure = new Failure("payment_expired", "Payment is expired");
  expect(toRestError(failure)).toEqual({
    statusCode: 409,
    message: "Payment is expired",
    error: "Conflict",
  });
  expect(read(toStatus(failure))).toMatchObject({
    errorCode: "payment_expired",
    message: "Payment is expired",
  });
});

test("a repeated refusal is marked as repeated on the other side of the wire", () => {
  function given(replayed: boolean) {
    return read(toStatus(new Failure("payment_not_found", "Payment not found", { replayed })));
  }

  expect(given(true)).toMatchObject({ errorCode: "payment_not_found", replayed: true });
  expect(given(false).replayed).toBe(false);
});

test("codes that share a gRPC status stay apart", () => {
  for (const code of [
    "idempotency_key_reused",
    "content_type_unsupported",
    "field_invalid",
  ] as const) {
    expect(read(toStatus(new Failure(code, "x"))).errorCode).toBe(code);
  }
});

test("a code of a newer release is read as the generic code of its kind", () => {
  const sent = toStatus(new Failure("tx_hash_used", "x"));
  sent.metadata?.set("failure-code", "a_new_code");
  expect(read(sent)).toMatchObject({ errorCode: "failed_precondition", message: "x" });
});

test("a replica that does not know the call yet is one that is away for the moment", () => {
  expect(read({ code: status.UNIMPLEMENTED })).toMatchObject({
    errorCode: "service_unavailable",
  });
});

test("what is not a failure shows nothing of itself", () => {
  const fault = new Error("duplicate key: s3cret");
  expect(toRestError(fault)).toEqual({
    statusCode: 500,
    message: "Internal server error",
    error: "Internal Server Error",
  });
  expect(toItemFailure(fault)).toEqual({
    kind: "internal",
    code: "internal",
    message: "Internal server error",
  });
  expect(toStatus(fault).details).not.toContain("s3cret");
});

test("the cause of a failure names the rpc that failed", () => {
  for (const sent of [{ code: status.UNAVAILABLE }, {}, toStatus(new Failure("internal", "x"))]) {
    expect(read(sent).cause).toMatchObject({ message: "/shop.v1.Shop/Buy", cause: sent });
  }
});
