import { expect, test } from "@jest/globals";
import { newPayment } from "./new-payment.ts";
import type { Payment } from "./payment.ts";
import { type Step, timelineOf } from "./timeline.ts";

const at = (ms: number) => new Date(ms);

const aPayment = (change: Partial<Payment> = {}): Payment => {
  const payment = newPayment(
    {
      ...{ id: "pay_1", projectId: "proj_1", mode: 1, variant: 2, amount: "1", currency: "native" },
      ...{ chainId: 1n, qrMode: false, secretVersion: 1 },
      recipientAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    },
    new Map([[1n, { isTestnet: false, nativeDecimals: 18, tokenDecimals: new Map() }]]),
    at(0),
  );
  if (typeof payment === "string") throw new Error(payment);
  return { ...payment, ...change };
};

const step = (event: string, ms: number): Step => ({
  ...{ event, status: event, happened_at: at(ms), reason: null, tx_hash: null },
});
const told = (steps: Step[]) =>
  steps.map(({ event, happened_at }) => [event, happened_at.getTime()]);

test("a story begins with the creation, in the status it had then", () => {
  const [begun, ...more] = timelineOf(aPayment({ status: "expired" }), []);
  expect(begun).toEqual({
    ...{ event: "created", status: "pending", happened_at: at(0), reason: null, tx_hash: null },
  });
  expect(more).toEqual([]);
});

test("a payment from before there were records still knows when it was confirmed and refunded", () => {
  const payment = aPayment({ status: "refunded", confirmed_at: at(5), refunded_at: at(9) });
  expect(told(timelineOf(payment, []))).toEqual([
    ["created", 0],
    ["confirmed", 5],
    ["refunded", 9],
  ]);
});

test("what is recorded is told once, after what is known from before", () => {
  const payment = aPayment({ status: "refunded", confirmed_at: at(5), refunded_at: at(9) });
  expect(told(timelineOf(payment, [step("refunded", 9)]))).toEqual([
    ["created", 0],
    ["confirmed", 5],
    ["refunded", 9],
  ]);
  const recorded = [step("confirmed", 5), step("refunded_in_part", 7), step("refunded", 9)];
  expect(timelineOf(payment, recorded).slice(1)).toEqual(recorded);
});
