// What the request log has of a request: its route, its ids and its outcome, no body, no header and no query.
import { newId } from "@pay/values";
import type { Caller } from "../keys/caller.ts";
import type { NewRequestLog } from "./queue.ts";

export interface EndedRequest {
  method: string;
  /** With parameters as {name}. */
  route: string;
  params: object;
  statusCode: number;
  errorCode: string | null;
  durationMs: number;
  requestId: string;
  endedAt: Date;
}

/** Ids, numbers, days and names of roles. Nothing longer, as a secret that was put there by mistake is. */
const PARAMETER = /^(?:[a-z]+_[0-9A-Za-z]{24}|[0-9][0-9-]{0,19}|[a-z][a-z0-9-]{0,39})$/;

function fillPath(route: string, params: Readonly<Record<string, unknown>>): string {
  return route.replace(/\{(\w+)\}/g, (template, name) => {
    const value = params[name];
    return typeof value === "string" && PARAMETER.test(value) ? value : template;
  });
}

/** Reading is in the log only where it failed. */
export function isLogged({ method, statusCode }: Pick<EndedRequest, "method" | "statusCode">) {
  return statusCode >= 400 || (method !== "GET" && method !== "HEAD");
}

export function describeRequest(
  { projectId, mode, actor }: Pick<Caller, "projectId" | "mode" | "actor">,
  { route, params, durationMs, endedAt, ...request }: EndedRequest,
): NewRequestLog {
  const createdAt = new Date(endedAt.getTime() - Math.round(durationMs));
  return {
    project_id: projectId,
    id: newId("log", createdAt.getTime()),
    mode,
    actor: actor === "" ? null : actor,
    method: request.method,
    route,
    path: fillPath(route, params as Record<string, unknown>),
    status_code: request.statusCode,
    error_code: request.errorCode,
    duration_ms: Math.round(durationMs),
    request_id: request.requestId,
    created_at: createdAt,
  };
}
