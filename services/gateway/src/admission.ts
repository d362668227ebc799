// What happens to every request before it is looked at: an id, the headers every answer has, one line in the log
// and one measurement at its end; and the two conditions of transport, a host and HTTPS.

import type { Log } from "@pay/process";
import { Failure } from "@pay/rpc";
import type { NextFunction, Request, Response } from "express";
import { Histogram } from "prom-client";
import { type GatewayConfig, requiresHttps } from "./config.ts";
import type { Incoming } from "./handle-route.ts";
import { requestIdOf } from "./request-id.ts";

const duration = new Histogram({
  name: "http_server_request_duration_seconds",
  help: "Time from a request's headers to the end of its answer",
  labelNames: ["method", "route", "status_code"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

export const admission = (
  config: Pick<GatewayConfig, "REQUIRE_HTTPS" | "PUBLIC_URL" | "TRUST_PROXY">,
  log: Log,
) => {
  const httpsOnly = requiresHttps(config);
  return (request: Request, response: Response, next: NextFunction): void => {
    const startedMs = performance.now();
    const requestId = requestIdOf(request.headers["x-request-id"]);
    response.locals.requestId = requestId;
    response.setHeader("X-Request-Id", requestId);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Cache-Control", "no-store");
    if (httpsOnly) response.setHeader("Strict-Transport-Security", "max-age=31536000");
    response.once("close", () => record(log, request, response, startedMs));
    if (countHosts(request) !== 1) {
      throw new Failure("invalid_argument", "Host must be given exactly once");
    }
    if (httpsOnly && !cameByHttps(request, config.TRUST_PROXY)) {
      throw new Failure("permission_denied", "HTTPS is required");
    }
    next();
  };
};

/** Node keeps the first of several hosts; proxies in front may have looked at another. */
const countHosts = ({ rawHeaders }: Request): number => {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
};

/** As the outermost proxy saw it; without a proxy in front nothing can vouch for it. */
const cameByHttps = (request: Request, proxies: number): boolean => {
  const header = request.headers["x-forwarded-proto"];
  if (proxies === 0 || typeof header !== "string") return false;
  return header.split(",").every((scheme) => scheme.trim().toLowerCase() === "https");
};

const record = (log: Log, request: Request, response: Response, startedMs: number): void => {
  const durationMs = performance.now() - startedMs;
  const {
    requestId,
    route = "unmatched",
    incoming,
  } = response.locals as {
    requestId: string;
    route?: string;
    incoming?: Incoming;
  };
  const { projectId, keyId } = incoming?.caller ?? {};
  const { method } = request;
  const { statusCode } = response;
  duration.observe({ method, route, status_code: statusCode }, durationMs / 1_000);
  log.info(
    { requestId, method, route, statusCode, durationMs: Math.round(durationMs), projectId, keyId },
    "request",
  );
};
