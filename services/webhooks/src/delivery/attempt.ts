import type { Egress } from "@pay/egress";
import type { Clock } from "@pay/process";
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
  const outcome = await egress.post({
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
    }),
    body,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
  });
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

function truncate(body: Buffer): Buffer {
  return body.length <= LOGGED_BYTES_MAX ? body : body.subarray(0, LOGGED_BYTES_MAX);
}

function isComplete({ complete, body }: { complete: boolean; body: Buffer }): boolean {
  return complete && body.length <= LOGGED_BYTES_MAX;
}

function toPrintable(text: string | undefined): string | undefined {
  return text?.replace(/[^\x20-\x7e]/g, "?").slice(0, RETRY_AFTER_MAX);
}
