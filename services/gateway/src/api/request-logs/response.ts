import type { RequestLogEntry } from "../../request-logs/entries.ts";
import { actorShape, renderActor } from "../actor.ts";
import { IDS } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

export interface NamedRequest extends RequestLogEntry {
  /** Of the key or the member, as it is now. */
  actor_name: string | null;
}

const FIELDS = {
  id: { schema: shown.id("log"), of: (entry: NamedRequest) => entry.id },
  createdAt: {
    schema: shown.time("Time of the request."),
    of: (entry: NamedRequest) => entry.created_at.toISOString(),
  },
  actor: {
    schema: actorShape.describe("Who made the request."),
    of: (entry: NamedRequest) => renderActor(entry.actor, entry.actor_name),
  },
  method: {
    schema: shown.string("Method of the request.", "POST"),
    of: (entry: NamedRequest) => entry.method,
  },
  route: {
    schema: shown.string("Path of the route, with parameters in braces.", "/v1/payments/{id}"),
    of: (entry: NamedRequest) => entry.route,
  },
  path: {
    schema: shown.string("Path of the request, without its query.", `/v1/payments/${IDS.pay}`),
    of: (entry: NamedRequest) => entry.path,
  },
  statusCode: {
    schema: shown.integer("Status of the response.", 404),
    of: (entry: NamedRequest) => entry.status_code,
  },
  errorCode: {
    schema: shown.stringOrNull("Error code of a failed request; null otherwise."),
    of: (entry: NamedRequest) => entry.error_code,
  },
  durationMs: {
    schema: shown.integer("Milliseconds until the response was sent.", 12),
    of: (entry: NamedRequest) => entry.duration_ms,
  },
  requestId: {
    schema: shown.string("Id of the request, as in `X-Request-Id`.", "req-4711"),
    of: (entry: NamedRequest) => entry.request_id,
  },
};

const NAMES = listNames(FIELDS);

export const requestLogItem = buildShape("RequestLogItem", FIELDS, NAMES);

export function renderRequest(entry: NamedRequest) {
  return pick(FIELDS, NAMES, entry);
}
