import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Failure, type FailureCode } from "@pay/failures";
import type { Log } from "@pay/process";
import type { NextFunction, Request, Response } from "express";
import { chooseRequestId, errorAnswer, sendJson } from "./respond.ts";

/** RFC 9457, for clients that ask for it; the three fields of every error are beside its own. */
const PROBLEM = /\bapplication\/problem\+json\b/;

interface Parts {
  log: Log;
  stopping: AbortSignal;
  publicUrl: string;
}

/** The one place where a thrown error becomes an answer. */
export function errorHandler({ log, stopping, publicUrl }: Parts) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const { failure, body, headers } = errorAnswer(error);
    response.locals.failure = failure;
    const requestId = response.locals.requestId as string | undefined;
    if (!(error instanceof Failure) && headers["X-Error-Code"] === "internal") {
      log.error({ err: error, requestId, route: response.locals.route }, "a request failed");
    }
    if (response.headersSent) return void response.destroy();
    // Where the refusal knows when to come back, it has set the header.
    for (const [name, value] of Object.entries(headers)) {
      if (name !== "Retry-After" || !response.hasHeader(name)) response.setHeader(name, value);
    }
    if (!PROBLEM.test(request.headers.accept ?? "")) {
      return void sendJson(response, body.statusCode, body, stopping);
    }
    const problem = {
      type: `${publicUrl.replace(/\/$/, "")}/docs/errors#${failure.errorCode}`,
      title: body.error,
      status: body.statusCode,
      detail: body.message,
      instance: requestId,
      ...body,
    };
    sendJson(response, body.statusCode, problem, stopping, "application/problem+json");
  };
}

const PARSER_FAULTS: Record<string, [FailureCode, string]> = {
  HPE_HEADER_OVERFLOW: ["headers_too_large", "Headers are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request took too long to arrive"],
};

/** Faults of the HTTP itself never reach Express; they get the same kind of answer, and then the connection ends. */
export function rejectBrokenHttp(error: Error & { code?: string }, socket: Socket): void {
  const answering = (socket as { _httpMessage?: { headersSent?: boolean } | null })._httpMessage;
  if (!socket.writable || error.code === "ECONNRESET" || answering?.headersSent) {
    return void socket.destroy();
  }
  const [code, message] = PARSER_FAULTS[error.code ?? ""] ?? [
    "http_malformed" as const,
    "The request is not valid HTTP",
  ];
  const { body, headers } = errorAnswer(new Failure(code, message));
  const text = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${body.statusCode} ${STATUS_CODES[body.statusCode]}`,
    `X-Request-Id: ${chooseRequestId(undefined)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${text}`);
}
