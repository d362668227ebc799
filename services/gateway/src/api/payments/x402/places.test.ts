import { expect, test } from "@jest/globals";
import { isFailureKind } from "@pay/failures";
import { takePlace } from "./places.ts";

type Place = Parameters<typeof takePlace>[0];

/** Takes places until there is none, and gives back how many there were and how to leave them. */
function fill(choose: (at: number) => Place) {
  const taken: (() => void)[] = [];
  for (;;) {
    try {
      taken.push(takePlace(choose(taken.length)));
    } catch (error) {
      expect(isFailureKind("unavailable", error)).toBe(true);
      return { count: taken.length, leave: () => taken.map((leave) => leave()) };
    }
  }
}

test("a payment has 10 places, a project 100 and the process 500, and others are served beside them", () => {
  const payment = fill(() => ({ id: "pay_1", projectId: "proj_1" }));
  expect(payment.count).toBe(10);
  const project = fill((at) => ({ id: `pay_of_1_${at}`, projectId: "proj_1" }));
  expect(project.count).toBe(90);
  takePlace({ id: "pay_2", projectId: "proj_2" })();
  const others = fill((at) => ({ id: `pay_other_${at}`, projectId: `proj_other_${at}` }));
  expect(others.count).toBe(400);
  for (const one of [payment, project, others]) one.leave();
  takePlace({ id: "pay_1", projectId: "proj_1" })();
});
