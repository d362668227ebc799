import { z } from "zod";
import type { AuditEntry } from "../../audit/entries.ts";
import { actorShape, renderActor } from "../actor.ts";
import { IDS } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

export interface NamedEntry extends AuditEntry {
  /** Of the key or the member, as it is now. */
  actor_name: string | null;
}

const changeShape = z
  .strictObject({
    field: shown.string("Name of the field.", "amount"),
    before: z.unknown().meta({
      description: "Value before; null where it is not recorded.",
      example: null,
    }),
    after: z.unknown().meta({
      description: "Value after; null where it is not recorded.",
      example: "12.50",
    }),
  })
  .meta({ id: "AuditChange" });

const FIELDS = {
  id: { schema: shown.id("aud"), of: (entry: NamedEntry) => entry.id },
  createdAt: {
    schema: shown.time("Time of the request."),
    of: (entry: NamedEntry) => entry.created_at.toISOString(),
  },
  actor: {
    schema: actorShape.describe("Who made the request."),
    of: (entry: NamedEntry) => renderActor(entry.actor, entry.actor_name),
  },
  action: {
    schema: shown.string("Operation of the API, or command of the operator.", "refunds.create"),
    of: (entry: NamedEntry) => entry.action,
  },
  targetId: {
    schema: shown.stringOrNull("Id of what it was done to; null where there is none.", IDS.refund),
    of: (entry: NamedEntry) => entry.target_id,
  },
  changes: {
    schema: z
      .array(changeShape)
      .describe("Fields of the request; values of secrets and of personal data are not recorded."),
    of: (entry: NamedEntry) =>
      Object.entries(entry.changes).map(([field, { before = null, after = null }]) => ({
        field,
        before,
        after,
      })),
  },
  state: {
    schema: shown.choice(
      ["asked", "done"],
      "`asked` until the request has ended; it stays so where the service crashed.",
      "done",
    ),
    of: (entry: NamedEntry) => (entry.status_code === null ? "asked" : "done"),
  },
  statusCode: {
    schema: shown.integerOrNull("Status of the response; null until it has ended.", 201),
    of: (entry: NamedEntry) => entry.status_code,
  },
  errorCode: {
    schema: shown.stringOrNull("Error code of a request that was rejected; null otherwise."),
    of: (entry: NamedEntry) => entry.error_code,
  },
  requestId: {
    schema: shown.string("Id of the request.", "req-4711"),
    of: (entry: NamedEntry) => entry.request_id,
  },
  clientAddress: {
    schema: shown.stringOrNull("Address of the client; null for the operator.", "203.0.113.7"),
    of: (entry: NamedEntry) => entry.address,
  },
};

const NAMES = listNames(FIELDS);

export const auditItem = buildShape("AuditItem", FIELDS, NAMES);

export function renderEntry(entry: NamedEntry) {
  return pick(FIELDS, NAMES, entry);
}
