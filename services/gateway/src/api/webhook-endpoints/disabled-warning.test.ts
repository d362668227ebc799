import { expect, test } from "@jest/globals";
import { disabledWarning } from "./disabled-warning.ts";

function endpoints(...reasons: string[]) {
  return reasons.map((disabledReason, at) => ({ id: `we_${at}`, disabledReason }));
}

test("names the endpoints that the service has disabled", () => {
  expect(disabledWarning(endpoints("", "failing"))).toBe(
    "webhook endpoint we_1 is disabled because it failed for three days",
  );
  expect(disabledWarning(endpoints("failing", "failing"))?.split(", ")).toHaveLength(2);
});

test("says nothing of the others, and names five at the most", () => {
  expect(disabledWarning(endpoints("", ""))).toBeUndefined();
  expect(disabledWarning(endpoints(...Array(9).fill("failing")))?.split(", ")).toHaveLength(5);
});
