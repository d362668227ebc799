// The failures of each route, by code: what its kind of route can give, and those that the route names.

import { Failure, type FailureCode, toRestError } from "@pay/failures";
import { isOpenToPages, isRepeatable, NOT_FOUND, type Route } from "../../pipeline/route.ts";

type Json = Record<string, unknown>;
type Codes = readonly FailureCode[];

const EVERY: Codes = [
  "http_malformed",
  "host_invalid",
  "query_malformed",
  "request_timeout",
  "headers_too_large",
  "rate_limited",
  "internal",
  "service_unavailable",
  "service_overloaded",
  "deadline_exceeded",
];

const WITH_KEY: Codes = ["version_unknown", "api_key_invalid", "api_key_expired", "https_required"];
const WITH_SESSION: Codes = ["session_invalid", "session_forbidden"];
const WITH_PARAMETER: Codes = ["path_malformed"];
// A body is read, and may be refused, where the method has one, whether or not the route wants it.
const WITH_BODY: Codes = [
  "body_malformed",
  "payload_too_large",
  "content_type_unsupported",
  "content_encoding_unsupported",
];
const REPEATABLE: Codes = [
  "idempotency_key_invalid",
  "idempotency_in_progress",
  "idempotency_key_reused",
];

/** Every code the route may be refused with. */
export function listCodes(route: Route): FailureCode[] {
  const { method, path, auth, session, id, query, body } = route;
  const codes: FailureCode[] = [...EVERY, ...(route.failures ?? [])];
  function add(applies: boolean, more: Codes) {
    if (applies) codes.push(...more);
  }

  add(auth !== "none", WITH_KEY);
  add(auth === "secret", ["address_not_allowed"]);
  add(route.scope !== undefined || route.needs !== undefined, ["scope_missing"]);
  add(route.needs !== undefined, ["unrestricted_live_key_required"]);
  add(isOpenToPages(route), ["origin_not_allowed"]);
  add(session !== undefined, WITH_SESSION);
  add(path.includes("{"), WITH_PARAMETER);
  add(query !== undefined || body !== undefined, ["field_invalid"]);
  add(query !== undefined && "after" in query.shape, ["cursor_unknown"]);
  add(query !== undefined && "page" in query.shape, ["page_invalid"]);
  add(method === "POST" || method === "PUT", WITH_BODY);
  add(isRepeatable(route), REPEATABLE);
  if (id !== undefined) codes.push(NOT_FOUND[id.noun]);
  return [...new Set(codes)];
}

/** The answers to refused requests, by status; the header's examples are the codes that come with it. */
export function failures(route: Route): Json {
  const byStatus = new Map<number, { description: string; codes: FailureCode[] }>();
  for (const code of listCodes(route)) {
    const { statusCode, error } = toRestError(new Failure(code, ""));
    const { codes } = byStatus.get(statusCode) ?? { codes: [] };
    byStatus.set(statusCode, { description: error, codes: [...codes, code] });
  }
  const schema = { $ref: "#/components/schemas/Error" };
  return Object.fromEntries(
    [...byStatus].map(([statusCode, { description, codes }]) => {
      const headers = { "X-Error-Code": { schema: { type: "string", examples: codes } } };
      return [statusCode, { description, headers, content: { "application/json": { schema } } }];
    }),
  );
}
