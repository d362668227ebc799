import { expect, test } from "@jest/globals";
import { refuseHandoff } from "./handoff.ts";

const expires_at = new Date("2026-02-01T10:00:00Z");

test.each([
  ["created", undefined],
  ["pending", undefined],
  ["failed", undefined],
  ["processing", "payment_status_invalid"],
  ["confirmed", "payment_status_invalid"],
  ["refunded", "payment_status_invalid"],
  ["expired", "payment_expired"],
] as const)("of a payment that is %s the refusal is %s", (status, code) => {
  expect(refuseHandoff({ status, expires_at }, expires_at)?.errorCode).toBe(code);
});

test("a payment whose time is over is not handed on, also before the expiry is recorded", () => {
  const later = new Date(expires_at.getTime() + 1);
  expect(refuseHandoff({ status: "created", expires_at }, later)?.errorCode).toBe(
    "payment_expired",
  );
});
