import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { errorAnswer } from "./respond.ts";

test("an answer that may be another one a second later says when to come back", () => {
  for (const code of ["service_unavailable", "rate_limited"] as const) {
    const { headers } = errorAnswer(new Failure(code, "later"));
    expect(headers).toMatchObject({ "X-Error-Code": code, "Retry-After": "1" });
  }
  expect(errorAnswer(new Failure("page_invalid", "never")).headers).not.toHaveProperty(
    "Retry-After",
  );
});
