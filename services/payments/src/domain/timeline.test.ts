import { expect, test } from "@jest/globals";
import type { Payment } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";
import { buildTimeline, type Step } from "./timeline.ts";

function at(ms: number) {
  return new Date(ms);
}

function aPayment(change: Partial<Payment> = {}): Payment {
  return { ...samplePayment(at(0), { variant: 2, amount: "1" }), ...change };
}

function step(event: string, ms: number): Step {
  return { event, status: event, happened_at: at(ms), reason: null, tx_hash: null };
}

function summary(steps: Step[]) {
  return steps.map(({ event, happened_at }) => [event, happened_at.getTime()]);
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

test("a payment without recorded steps still shows when it was confirmed and refunded", () => {
  const payment = aPayment({ status: "refunded", confirmed_at: at(5), refunded_at: at(9) });
  expect(summary(buildTimeline(payment, []))).toEqual([
    ["created", 0],
    ["confirmed", 5],
    ["refunded", 9],
  ]);
});

test("a recorded step appears once, after the steps that the payment itself has", () => {
  const payment = aPayment({ status: "refunded", confirmed_at: at(5), refunded_at: at(9) });
  expect(summary(buildTimeline(payment, [step("refunded", 9)]))).toEqual([
    ["created", 0],
    ["confirmed", 5],
    ["refunded", 9],
  ]);
  const recorded = [step("confirmed", 5), step("refunded_in_part", 7), step("refunded", 9)];
  expect(buildTimeline(payment, recorded).slice(1)).toEqual(recorded);
});
