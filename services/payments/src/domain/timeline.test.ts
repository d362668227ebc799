import { expect, test } from "@jest/globals";
import { move, type Payment } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";
import { buildTimeline, getStep } from "./timeline.ts";

function at(ms: number) {
  return new Date(ms);
}

function aPayment(change: Partial<Payment> = {}): Payment {
  return { ...samplePayment(at(0), { variant: 2, amount: "1" }), ...change };
}

test("a timeline begins with the creation, in its first status", () => {
  const [begun, ...more] = buildTimeline(aPayment({ status: "expired" }), []);
  expect(begun).toEqual({
    event: "created",
    status: "pending",
    happened_at: at(0),
    reason: null,
    tx_hash: null,
  });
  expect(more).toEqual([]);
});

test("a step that a move adds has its time, its status and the failure code", () => {
  const failed = move(aPayment({ status: "processing" }), "fail", { failure_code: "reverted" });
  expect(failed && getStep(failed, at(7))).toEqual({
    event: "failed",
    status: "failed",
    happened_at: at(7),
    reason: "reverted",
    tx_hash: null,
  });
});

test("a step about another hash names it with its verdict", () => {
  const about = { hash: "0xaa", verdict: "underpaid" };
  const rejected = move(aPayment({ status: "processing" }), "rejectHash", {}, about);
  expect(rejected && getStep(rejected, at(7))).toMatchObject({
    event: "transaction_refuted",
    reason: "underpaid",
    tx_hash: "0xaa",
  });
});

test("a change of the needs is no step", () => {
  const changed = move(aPayment({ status: "processing" }), "changeNeeds", { needs: "review" });
  expect(changed && getStep(changed, at(7))).toBeUndefined();
});
