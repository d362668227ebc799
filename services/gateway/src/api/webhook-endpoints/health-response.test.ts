import { expect, test } from "@jest/globals";
import { renderEndpointHealth } from "./health-response.ts";

function rate(...hours: [succeeded: number, failed: number][]) {
  return renderEndpointHealth({
    $typeName: "webhooks.v1.EndpointHealth",
    endpointId: "we_1",
    hours: hours.map(([succeeded, failed]) => ({
      $typeName: "webhooks.v1.AttemptHour",
      succeeded,
      failed,
    })),
  }).successRate;
}

test("an endpoint has 100 percent only where every attempt succeeded", () => {
  expect(rate([0, 0], [0, 0])).toBeNull();
  expect(rate([7, 0], [9_993, 0])).toBe(100);
  expect(rate([9_999, 0], [0, 1])).toBe(99.9);
  expect(rate([35, 0], [0, 8])).toBe(81.3);
  expect(rate([0, 3])).toBe(0);
});
