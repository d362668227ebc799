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
  expect(refuseHandoff({ status, expires_at, needs: null }, expires_at)?.errorCode).toBe(code);
});

test("an overdue payment is not handed off, also before its expiry is stored", () => {
  const later = new Date(expires_at.getTime() + 1);
  const late = { status: "created", expires_at, needs: null } as const;
  expect(refuseHandoff(late, later)?.errorCode).toBe("payment_expired");
});

test("a payment that waits for a signature is handed off also after its time limit", () => {
  const later = new Date(expires_at.getTime() + 1);
  const held = { status: "processing", expires_at, needs: "payer_signature" } as const;
  for (const status of ["processing", "expired"] as const)
    expect(refuseHandoff({ ...held, status }, later)).toBeUndefined();
  expect(refuseHandoff({ ...held, needs: "review" }, expires_at)?.errorCode).toBe(
    "payment_status_invalid",
  );
});
