import { expect, test } from "@jest/globals";
import { REASONS, RULES } from "@pay/values";
import { WAITS } from "./evidence.ts";
import { listOutcomes, type Progress } from "./rules.ts";

function outcomes(progress: Partial<Progress>) {
  const whole = { state: "waiting" as const, reason: undefined, waitsFor: undefined };
  return listOutcomes({ ...whole, ...progress }).map(({ outcome }) => outcome);
}

test("every rule has an outcome, in the order in which they are applied", () => {
  const rules = listOutcomes({ state: "confirmed", reason: undefined, waitsFor: undefined });
  expect(rules.map(({ name }) => name)).toEqual(RULES);
  expect(new Set(rules.map(({ outcome }) => outcome))).toEqual(new Set(["passed"]));
});

test.each([
  ...REASONS.map((reason) => ({ state: "rejected" as const, reason, outcome: "failed" })),
  ...WAITS.map((waitsFor) => ({ waitsFor, outcome: "waiting" })),
  { state: "abandoned" as const, outcome: "failed" },
  { state: "waiting" as const, outcome: "waiting" },
])("exactly one rule decides, and none after it is reached: %o", ({ outcome, ...progress }) => {
  const found = outcomes(progress);
  const at = found.indexOf(outcome as (typeof found)[number]);
  expect(at).toBeGreaterThanOrEqual(0);
  expect(found).toEqual([
    ...Array(at).fill("passed"),
    outcome,
    ...Array(RULES.length - at - 1).fill("not_reached"),
  ]);
});

test("a transaction that came too late fails the bound of time after all rules about what it did", () => {
  const rules = listOutcomes({ state: "rejected", reason: "late", waitsFor: undefined });
  expect(rules.filter(({ outcome }) => outcome === "passed").map(({ name }) => name)).toEqual(
    RULES.slice(0, RULES.indexOf("not_after")),
  );
});

test("money on top of a paid amount is bound by no time and no amount", () => {
  const found = listOutcomes({ state: "surplus", reason: undefined, waitsFor: undefined });
  const free = found.filter(({ outcome }) => outcome === "not_applied").map(({ name }) => name);
  expect(free).toEqual(["not_after", "amount"]);
});
