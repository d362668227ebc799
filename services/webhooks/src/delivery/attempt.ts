import type { Egress } from "@pay/egress";
import { type Clock, splitTrace, traceAll } from "@pay/process";
import { ATTEMPT_TIMEOUT_MS, isSuccess, planNextAttempt } from "../domain/schedule.ts";
import { buildHeaders, wrapBody } from "../domain/signature.ts";
import { type AttemptLog, copyBuffer, type Delivery, type Result } from "./delivery.ts";
import type { Target } from "./endpoint-cache.ts";

const LOGGED_BYTES_MAX = 4_096;
const RETRY_AFTER_MAX = 64;
const NO_BYTES = Buffer.alloc(0);

/** Signs and sends one request. Never throws: a fault is its result. */
export async function attempt(
  { egress, clock, now }: { egress: Egress; clock: Clock; now: () => number },
  delivery: Delivery,
  target: Target & { url: string },
): Promise<Result & { log: AttemptLog }> {
  const number = delivery.attempts + 1;
  const startedAt = clock.now();
  const { eventId, mode, eventType, sequence, occurredAt } = delivery;
  const { key, nextKey, scheme, url } = target;
  const body = wrapBody(delivery.body, { scheme, eventType, occurredAt });
  const plan = {
    name: "deliver",
    kind: "client",
    describe: () => describeAttempt(delivery),
    describeResult,
  } as const;
  const outcome = await traceAll(plan, [delivery.requestId], ([requestId = ""]) =>
    egress.post({
      url,
      headers: buildHeaders({
        key,
        nextKey,
        scheme,
        body,
        eventId,
        mode,
        eventType,
        sequence,
        attempt: number,
        sentAt: startedAt,
        traceparent: splitTrace(requestId).traceparent,
      }),
      body,
      timeoutMs: ATTEMPT_TIMEOUT_MS,
    }),
  );
  const endedAt = now();
  const response = outcome.fault === undefined ? outcome : undefined;
  const statusCode = response?.statusCode;
  return {
    delivery,
    next: planNextAttempt(number, statusCode),
    endedAt,
    log: {
      number,
      startedAt,
      durationMs: outcome.durationMs,
      url,
      statusCode,
      error: outcome.fault ?? (isSuccess(statusCode) ? undefined : "bad_status"),
      remoteAddress: outcome.remoteAddress,
      retryAfter: toPrintable(response?.retryAfter),
      // A slice would keep the whole response in memory until the result is written.
      response: copyBuffer(truncate(response?.body ?? NO_BYTES)),
      responseComplete: response === undefined || isComplete(response),
    },
  };
}

/** The receiver's address may hold a secret. */
function describeAttempt({ id, endpointId, eventType, resourceId, attempts }: Delivery) {
  return {
    "delivery.id": id,
    "delivery.attempt": attempts + 1,
    "endpoint.id": endpointId,
    "event.type": eventType,
    "resource.id": resourceId,
  };
}

function describeResult(
  outcome: Awaited<ReturnType<Egress["post"]>>,
): Record<string, string | number> {
  if (outcome.fault !== undefined) return { "error.type": outcome.fault };
  const { statusCode } = outcome;
  return {
    "http.response.status_code": statusCode,
    ...(!isSuccess(statusCode) && { "error.type": "bad_status" }),
  };
}

function truncate(body: Buffer): Buffer {
  return body.length <= LOGGED_BYTES_MAX ? body : body.subarray(0, LOGGED_BYTES_MAX);
}

function isComplete({ complete, body }: { complete: boolean; body: Buffer }): boolean {
  return complete && body.length <= LOGGED_BYTES_MAX;
}

function toPrintable(text: string | undefined): string | undefined {
  return text?.replace(/[^\x20-\x7e]/g, "?").slice(0, RETRY_AFTER_MAX);
}
