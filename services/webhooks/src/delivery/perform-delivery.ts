// One step of a delivery: an attempt, or its end where the endpoint cannot receive.
import type { Egress } from "@pay/egress";
import type { Clock } from "@pay/process";
import * as metrics from "../metrics.ts";
import { attempt } from "./attempt.ts";
import type { Delivery, Result } from "./delivery.ts";
import type { Target } from "./endpoint-cache.ts";
import type { EndpointQueue } from "./endpoint-queues.ts";

export interface AttemptParts {
  egress: Egress;
  clock: Clock;
  now: () => number;
}

export function performDelivery(
  parts: AttemptParts,
  delivery: Delivery,
  target: EndpointQueue["target"],
): Result | Promise<Result> {
  if (!canReceive(target)) {
    return finishWithoutAttempt(delivery, {
      isParked: target?.disabled === true,
      endedAt: parts.now(),
    });
  }
  metrics.countStart(delivery, parts.now());
  return attempt(parts, delivery, target);
}

function canReceive(target: EndpointQueue["target"]): target is Target & { url: string } {
  return target?.url !== undefined;
}

/** Parked where the endpoint is disabled, failed where it is gone or has no url. */
function finishWithoutAttempt(
  delivery: Delivery,
  { isParked, endedAt }: { isParked: boolean; endedAt: number },
): Result {
  const next = { state: isParked ? ("parked" as const) : ("failed" as const), delayMs: 0 };
  return { delivery, next, endedAt, log: undefined };
}
