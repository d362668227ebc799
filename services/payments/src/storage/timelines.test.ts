import { expect, test } from "@jest/globals";
import { TRANSITIONS } from "../domain/payment.ts";
import type { NewStep } from "../domain/timeline.ts";
import { formatStep, parseSteps } from "./timelines.ts";

const [OWN, OTHER] = [`0x${"a".repeat(64)}`, `0x${"b".repeat(64)}`] as const;
const STATUSES = [
  "created",
  "pending",
  "processing",
  "confirmed",
  "failed",
  "expired",
  "refunded",
] as const;
const EVENTS = [...new Set(Object.values(TRANSITIONS).flatMap(({ step }) => step ?? []))];

function aStep(change: Partial<NewStep> = {}): NewStep {
  return {
    event: "confirmed",
    status: "confirmed",
    happened_at: new Date(1_700_000_000_123),
    made_by: null,
    reason: null,
    tx_hash: OTHER,
    ...change,
  };
}

test("each event and each status is read as it was written", () => {
  const steps = EVENTS.flatMap((event) => STATUSES.map((status) => aStep({ event, status })));
  expect(parseSteps(steps.map(formatStep).join("\n"), OWN)).toEqual(steps);
});

test("a step keeps its actor, its reason and its hash, and without one it is about the hash of the payment", () => {
  const steps = [
    aStep({ made_by: "key_1" }),
    aStep({ made_by: "mem_1", reason: "underpaid" }),
    aStep({ tx_hash: null, reason: "late" }),
  ];
  const read = parseSteps(steps.map(formatStep).join("\n"), OWN);
  expect(read).toEqual([steps[0], steps[1], { ...steps[2], tx_hash: OWN }]);
});

test("a step that was taken without a hash has none after the payment gets one", () => {
  expect(parseSteps("ee1700000000000#", OWN)).toMatchObject([{ event: "expired", tx_hash: null }]);
});

test("a reason with the signs of the format does not spoil the line", () => {
  const read = parseSteps(formatStep(aStep({ reason: "a#b\nc" })), null);
  expect(read).toEqual([aStep({ reason: "a b c" })]);
});

test("a payment without steps has none", () => {
  expect(parseSteps(null, OWN)).toEqual([]);
});
