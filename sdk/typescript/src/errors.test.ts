import { expect, test } from "@jest/globals";
import { PayError, refusalIn } from "./errors.ts";

const body = {
  statusCode: 400,
  message:
    "amount must be a positive decimal string with at most 36 fraction digits, e.g. 12.5; chainId is required",
  error: "Bad Request",
};

test("an error has its code, its fields and its request id", async () => {
  const headers = { "X-Error-Code": "field_invalid", "X-Request-Id": "r1" };
  const error = await refusalIn(Response.json(body, { status: 400, headers }));
  expect(error).toBeInstanceOf(PayError);
  expect(error).toMatchObject({
    status: 400,
    code: "field_invalid",
    message: body.message,
    requestId: "r1",
    replayed: false,
    fields: [
      {
        name: "amount",
        message: "must be a positive decimal string with at most 36 fraction digits, e.g. 12.5",
      },
      { name: "chainId", message: "is required" },
    ],
  });
});

test("an error without fields has none, and a replayed error is marked as replayed", async () => {
  const headers = { "X-Error-Code": "payment_expired", "Idempotent-Replayed": "true" };
  const error = await refusalIn(Response.json(body, { status: 409, headers }));
  expect(error).toMatchObject({ code: "payment_expired", fields: [], replayed: true });
});

test("a response of a proxy becomes an error with its status", async () => {
  const error = await refusalIn(new Response("<html>Bad Gateway</html>", { status: 502 }));
  expect(error).toMatchObject({ status: 502, code: "http_502", requestId: undefined });
  expect(error.message).toBe("the service answered with status 502");
});
