import type { AttemptHour, EndpointHealth } from "@pay/proto";
import { z } from "zod";
import { IDS } from "../example-values.ts";
import * as shown from "../field-values.ts";

const hourShape = z
  .strictObject({
    from: shown.time("Begin of the hour in which the attempts ended."),
    succeeded: shown.integer("Attempts with a 2xx response.", 12),
    failed: shown.integer("Other attempts.", 1),
  })
  .meta({ id: "WebhookEndpointHour" });

const healthShape = z
  .strictObject({
    endpointId: shown.string("Id of the webhook endpoint.", IDS.we),
    successRate: z.number().nullable().meta({
      description:
        "Percent of the attempts that succeeded, rounded down to one decimal place; null without an attempt.",
      example: 92.3,
    }),
    medianMs: shown.integerOrNull(
      "Median duration of the attempts of the newest 100 deliveries; null without one.",
      84,
    ),
    hours: z.array(hourShape).describe("The last 24 hours, oldest first, with the present one."),
  })
  .meta({ id: "WebhookEndpointHealth" });

export const endpointHealthList = z
  .strictObject({ data: z.array(healthShape).describe("All endpoints, newest first.") })
  .meta({ id: "WebhookEndpointHealthList" });

export function renderEndpointHealth({ endpointId, medianMs, hours }: EndpointHealth) {
  return {
    endpointId,
    successRate: computeRate(hours),
    medianMs: medianMs ?? null,
    hours: hours.map(({ from, succeeded, failed }) => ({
      from: shown.isoTime(from),
      succeeded,
      failed,
    })),
  };
}

/** Rounded down, so that 100 means every attempt. */
function computeRate(hours: readonly AttemptHour[]): number | null {
  const succeeded = sum(hours.map((hour) => hour.succeeded));
  const attempts = succeeded + sum(hours.map((hour) => hour.failed));
  return attempts === 0 ? null : Math.floor((1_000 * succeeded) / attempts) / 10;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
