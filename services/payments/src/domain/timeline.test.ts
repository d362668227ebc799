import { expect, test } from "@jest/globals";
import { ACCEPTED_STEP, type Move, type Payment } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";
import { buildTimeline, getSteps } from "./timeline.ts";

function at(ms: number) {
  return new Date(ms);
}

function aPayment(change: Partial<Payment> = {}): Payment {
  return { ...samplePayment(at(0), { variant: 2, amount: "1" }), ...change };
}

test("a timeline begins with the creation, in its first status and by its actor", () => {
  const payment = aPayment({ status: "expired", requested_by: "key_1" });
  const [begun, ...more] = buildTimeline(payment, []);
  expect(begun).toEqual({
    event: "created",
    status: "pending",
    happened_at: at(0),
    made_by: "key_1",
    reason: null,
    tx_hash: null,
  });
  expect(more).toEqual([]);
});

function stepsAfter(move: Partial<Move>) {
  return getSteps({ trigger: "fail", payment: aPayment(), ...move }, at(7), "mem_1");
}

test("a step that a move adds has its time, its actor, its status and the failure code", () => {
  const payment = aPayment({ status: "failed", failure_code: "reverted" });
  expect(stepsAfter({ payment })).toEqual([
    {
      event: "failed",
      status: "failed",
      happened_at: at(7),
      made_by: "mem_1",
      reason: "reverted",
      tx_hash: null,
    },
  ]);
});

test("a step about another hash names it with its outcome", () => {
  const about = { hash: "0xaa", verdict: "reverted" };
  expect(stepsAfter({ trigger: "refute", about })).toMatchObject([
    { event: "transaction_refuted", reason: "reverted", tx_hash: "0xaa" },
  ]);
});

test("a change that merchants hear nothing of is no step, and an acceptance is one more", () => {
  expect(stepsAfter({ trigger: "change" })).toEqual([]);
  expect(
    stepsAfter({ trigger: "confirm", before: ACCEPTED_STEP }).map(({ event }) => event),
  ).toEqual(["late_accepted", "confirmed"]);
});
