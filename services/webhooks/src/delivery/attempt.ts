import type { Egress } from "@pay/egress";
import type { Clock } from "@pay/process";
import { inOwnMemory } from "../domain/own-memory.ts";
import { ATTEMPT_TIMEOUT_MS, isSuccess, nextAfter } from "../domain/schedule.ts";
import { signedHeaders } from "../domain/signature.ts";
import type { AttemptLog, Delivery, Result } from "./delivery.ts";
import type { Target } from "./endpoint-cache.ts";

const LOGGED_BYTES_MAX = 4_096;
const RETRY_AFTER_MAX = 64;
const NO_BYTES = Buffer.alloc(0);

/** One request: signed now, sent, judged. Never throws: whatever goes wrong is what came of it. */
export async function attempt(
  { egress, clock, now }: { egress: Egress; clock: Clock; now: () => number },
  delivery: Delivery,
  target: Target & { url: string },
): Promise<Result & { log: AttemptLog }> {
  const number = delivery.attempts + 1;
  const startedAt = clock.now();
  const { body, eventId, mode, eventType, sequence } = delivery;
  const { key, nextKey, scheme, url } = target;
  const outcome = await egress.post({
    url,
    headers: signedHeaders({
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
  const answer = outcome.fault === undefined ? outcome : undefined;
  const statusCode = answer?.statusCode;
  return {
    delivery,
    next: nextAfter(number, statusCode),
    endedAt,
    log: {
      number,
      startedAt,
      durationMs: outcome.durationMs,
      url,
      statusCode,
      error: outcome.fault ?? (isSuccess(statusCode) ? undefined : "bad_status"),
      remoteAddress: outcome.remoteAddress,
      retryAfter: printable(answer?.retryAfter),
      // A part of the answer's buffer would keep the whole answer in memory until the result is written.
      response: inOwnMemory(takeBeginning(answer?.body ?? NO_BYTES)),
      responseComplete: answer === undefined || isWhole(answer),
    },
  };
}

function takeBeginning(body: Buffer): Buffer {
  return body.length <= LOGGED_BYTES_MAX ? body : body.subarray(0, LOGGED_BYTES_MAX);
}

function isWhole({ complete, body }: { complete: boolean; body: Buffer }): boolean {
  return complete && body.length <= LOGGED_BYTES_MAX;
}

function printable(text: string | undefined): string | undefined {
  return text?.replace(/[^\x20-\x7e]/g, "?").slice(0, RETRY_AFTER_MAX);
}
