// What every request gets before its route is known: an id, the headers every answer has, and at its end one log line
// and one measurement. It is refused without exactly one host, and without HTTPS where that is required.

import { Failure, isFault } from "@pay/failures";
import { describeCause, type RequestSpan, startRequest, withTrace } from "@pay/process";
import type { NextFunction, Request, Response } from "express";
import { Histogram } from "prom-client";
import { type GatewayConfig, requiresHttps } from "../config.ts";
import { chooseRequestId } from "../http/respond.ts";
import type { Caller } from "../keys/caller.ts";
import { describeRequest, isLogged } from "../request-logs/describe-request.ts";
import { createBoundedLines } from "./bounded-lines.ts";
import type { Deps } from "./deps.ts";
import type { Incoming } from "./route.ts";

/** Of RFC 3986: a name, an IPv4 address, or an IPv6 address in brackets. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]+)(?::\d*)?$/i;

const FAULT_STATUS_MIN = 500;

const duration = new Histogram({
  name: "http_server_request_duration_seconds",
  help: "Time from a request's headers to the end of its answer",
  labelNames: ["method", "route", "status_code"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

export function requestContext(
  config: Pick<
    GatewayConfig,
    "REQUIRE_HTTPS" | "PUBLIC_URL" | "TRUST_PROXY" | "LOG_CLIENT_ADDRESS"
  >,
  { log, clock, requestLog }: Pick<Deps, "log" | "clock" | "requestLog">,
) {
  const httpsOnly = requiresHttps(config);
  const lines = linesOfStrangers();
  const hasAddress = config.LOG_CLIENT_ADDRESS;
  return (request: Request, response: Response, next: NextFunction): void => {
    const startedMs = performance.now();
    const requestId = chooseRequestId(request.headers["x-request-id"]);
    response.locals.requestId = requestId;
    const span = startRequest(request.headers.traceparent);
    response.setHeader("X-Request-Id", requestId);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    if (httpsOnly) response.setHeader("Strict-Transport-Security", "max-age=31536000");
    response.once("close", () =>
      record(request, response, { log, clock, requestLog, lines, startedMs, hasAddress, span }),
    );
    if (countHosts(request) !== 1) {
      throw new Failure("host_invalid", "Host must occur exactly once");
    }
    if (!HOST.test(request.headers.host ?? "")) {
      throw new Failure("host_invalid", "Host must be a name or an address, and a port");
    }
    checkCoding(request, response);
    if (httpsOnly && !cameByHttps(request, config.TRUST_PROXY)) {
      throw new Failure("https_required", "HTTPS is required");
    }
    if (span === undefined) next();
    else span.run(next);
  };
}

/** Node takes a body that is compressed and then cut into chunks for one that is only cut. */
function checkCoding({ headers }: Request, response: Response): void {
  const coding = headers["transfer-encoding"];
  if (coding === undefined || coding.trim().toLowerCase() === "chunked") return;
  response.setHeader("Connection", "close");
  throw new Failure("http_malformed", "Transfer-Encoding must be chunked");
}

/** Node keeps the first of several hosts; proxies in front may have looked at another. */
function countHosts({ rawHeaders }: Request): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

/** As the outermost proxy reports it; without a proxy in front there is no proof of it. */
function cameByHttps(request: Request, proxies: number): boolean {
  const header = request.headers["x-forwarded-proto"];
  if (proxies === 0 || typeof header !== "string") return false;
  return header.split(",").every((scheme) => scheme.trim().toLowerCase() === "https");
}

function record(
  request: Request,
  response: Response,
  {
    log,
    clock,
    requestLog,
    lines,
    startedMs,
    hasAddress,
    span,
  }: Pick<Deps, "log" | "clock" | "requestLog"> & {
    lines: ReturnType<typeof linesOfStrangers>;
    startedMs: number;
    hasAddress: boolean;
    span: RequestSpan | undefined;
  },
): void {
  const durationMs = performance.now() - startedMs;
  const {
    requestId,
    route = "unmatched",
    incoming,
    failure,
  } = response.locals as {
    requestId: string;
    route?: string;
    incoming?: Incoming;
    failure?: Failure;
  };
  const { caller, params = {} } = incoming ?? {};
  const { projectId, actor, type } = caller ?? {};
  const { method } = request;
  const { statusCode } = response;
  if (caller !== undefined && isLogged({ method, statusCode })) {
    const errorCode = failure?.errorCode ?? null;
    const ended = { method, route, params, statusCode, errorCode, durationMs, requestId };
    const entry = describeRequest(caller, { ...ended, endedAt: clock.now() });
    requestLog.note(entry, { isVisitor: caller.type === "publishable" });
  }
  span?.end({
    name: `${method} ${route}`,
    statusCode,
    attributes: {
      "http.request.method": method,
      "http.route": route,
      "request.id": requestId,
      "project.id": projectId,
      "error.type": failure?.errorCode,
    },
  });
  duration.observe({ method, route, status_code: statusCode }, durationMs / 1_000);
  const omitted = lines.admit({ type, statusCode }, startedMs + durationMs);
  if (omitted === undefined) return;
  const said = {
    requestId: withTrace(requestId, span?.traceparent),
    method,
    route,
    statusCode,
    durationMs: Math.round(durationMs),
    ...describeFault(failure),
    ...(actor !== undefined && { projectId, [type === "member" ? "memberId" : "keyId"]: actor }),
    ...(hasAddress && { clientAddress: request.ip }),
    ...(omitted > 0 && { omitted }),
  };
  log[statusCode >= FAULT_STATUS_MIN ? "error" : "info"](said, "request");
}

/** Of requests without a good key, and of those that are refused with one that any visitor of a shop has. */
function linesOfStrangers() {
  const [withoutKey, withPublicKey] = [createBoundedLines(), createBoundedLines()];
  return {
    admit: (of: { type: Caller["type"] | undefined; statusCode: number }, nowMs: number) => {
      if (of.type === undefined) return withoutKey.admit(nowMs);
      const isRefused = of.type === "publishable" && of.statusCode >= 400;
      return isRefused ? withPublicKey.admit(nowMs) : 0;
    },
  };
}

/** A refusal says all there is to say in its answer; the cause of a fault is known to the log alone. */
function describeFault(failure: Failure | undefined): { code?: string; cause?: string } {
  if (failure === undefined || !isFault(failure.errorCode)) return {};
  return { code: failure.errorCode, cause: describeCause(failure) };
}
