import { randomUUIDv7 } from "node:crypto";
import type { ServerResponse } from "node:http";
import {
  asFailure,
  Failure,
  isFailureKind,
  isRequestFault,
  type RestError,
  toRestError,
} from "@pay/failures";
import { endAfterRest, isLargeRestComing } from "./lingering-close.ts";

const RETRY_SECONDS = "1";

/** Clients of a server that stops come back on another connection, and so to another replica. */
export function endConnection(response: ServerResponse, stopping: AbortSignal): void {
  if (stopping.aborted) response.setHeader("Connection", "close");
}

/** The body may be bytes that were made before. */
export function sendJson(
  response: ServerResponse,
  statusCode: number,
  body: unknown,
  stopping: AbortSignal,
  type = "application/json",
): void {
  const bytes = body instanceof Buffer ? body : Buffer.from(JSON.stringify(body));
  endConnection(response, stopping);
  response.statusCode = statusCode;
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  response.setHeader("Content-Length", bytes.length);
  if (isLargeRestComing(response.req)) endAfterRest(response, bytes);
  else response.end(bytes);
}

export function sendNotModified(response: ServerResponse, stopping: AbortSignal): void {
  endConnection(response, stopping);
  response.statusCode = 304;
  response.end();
}

const REPLAYED = ["Idempotent-Replayed", "true"] as const;

/** Marks the answer to an earlier request under the same Idempotency-Key. */
export function noteReplay(response: ServerResponse, { replayed }: { replayed: boolean }): void {
  if (replayed) response.setHeader(...REPLAYED);
}

export interface ErrorAnswer {
  failure: Failure;
  body: RestError;
  /** They say what the body has no field for. */
  headers: Record<string, string>;
}

export function errorAnswer(error: unknown): ErrorAnswer {
  const failure = toFailure(error);
  return {
    failure,
    body: toRestError(failure),
    headers: {
      "X-Error-Code": failure.errorCode,
      ...(failure.replayed ? Object.fromEntries([REPLAYED]) : {}),
      ...(isFailureKind("unavailable", failure) || isFailureKind("resource_exhausted", failure)
        ? { "Retry-After": RETRY_SECONDS }
        : {}),
    },
  };
}

/** Express refuses a path it cannot decode with an error that carries a status. */
function toFailure(error: unknown): Failure {
  const status = (error as { status?: unknown } | null)?.status;
  if (error instanceof Failure || typeof status !== "number" || !isRequestFault(status)) {
    return asFailure(error);
  }
  return new Failure("path_malformed", "path must be well-formed percent-encoded UTF-8", {
    cause: error,
  });
}

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;
const KEY_LIKE = /^[srp]k_|^cs_|^whsec_|^sess_/;

/** The client's own id where it is fit for headers and logs and is no secret sent by mistake, else a new one. */
export function chooseRequestId(header: string | string[] | undefined): string {
  return typeof header === "string" && SANE.test(header) && !KEY_LIKE.test(header)
    ? header
    : randomUUIDv7();
}
