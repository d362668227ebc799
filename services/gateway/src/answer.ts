import type { ServerResponse } from "node:http";
import { asFailure, Failure, kindOfHttpStatus, type RestError, toRestError } from "@pay/rpc";

const UNAVAILABLE_RETRY_SECONDS = "1";

/** Clients of a server that stops come back on another connection, and so to another replica. */
export const endConnection = (response: ServerResponse, stopping: AbortSignal): void => {
  if (stopping.aborted) response.setHeader("Connection", "close");
};

export const sendJson = (
  response: ServerResponse,
  statusCode: number,
  body: unknown,
  stopping: AbortSignal,
): void => {
  const bytes = Buffer.from(JSON.stringify(body));
  endConnection(response, stopping);
  response.statusCode = statusCode;
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.setHeader("Content-Length", bytes.length);
  response.end(bytes);
};

/** The body of a failed request, and the headers that say what the body has no field for. */
export const errorAnswer = (
  error: unknown,
): { body: RestError; headers: Record<string, string> } => {
  const failure = toFailure(error);
  return {
    body: toRestError(failure),
    headers: {
      "X-Error-Code": failure.kind,
      ...(failure.replayed ? { "Idempotent-Replayed": "true" } : {}),
      ...(failure.kind === "unavailable" ? { "Retry-After": UNAVAILABLE_RETRY_SECONDS } : {}),
    },
  };
};

/** Express refuses a path it cannot decode with an error that carries a status. */
const toFailure = (error: unknown): Failure => {
  const status = (error as { status?: unknown } | null)?.status;
  if (error instanceof Failure || typeof status !== "number") return asFailure(error);
  const kind = kindOfHttpStatus(status);
  if (kind === "internal") return asFailure(error);
  return new Failure(kind, "path must be well-formed percent-encoded UTF-8", { cause: error });
};
