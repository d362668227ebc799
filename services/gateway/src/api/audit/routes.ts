import { z } from "zod";
import { findActorNames, listEntries } from "../../audit/entries.ts";
import { route } from "../../pipeline/route.ts";
import * as field from "../fields.ts";
import { getPage, renderPage } from "../page.ts";
import { listShape } from "../response-fields.ts";
import { auditItem, renderEntry } from "./response.ts";

const auditFilters = z.object({
  ...field.pageFields("aud"),
  actor: field.reference(128).optional().describe("Id of a key or of a member, or `operator`."),
  action: field.reference(128).optional().describe("Operation, e.g. `settlements.approve`."),
  targetId: field.reference(128).optional().describe("Id of what it was done to."),
  from: field.time().optional().describe("Only entries created at or after this time."),
  to: field.time().optional().describe("Only entries created before this time."),
});

export const listAuditRoute = route({
  auth: "secret",
  tag: "Audit log",
  limit: "standard",
  scope: "audit:read",
  summary: "List who did what in the key's mode, newest first; entries are kept for 400 days",
  query: auditFilters,
  response: listShape("AuditList", auditItem),
  success: 200,
  handle: async (call, { pool }) => {
    const { projectId, mode } = call.caller;
    const { page: _, limit: __, after: ___, ...filter } = call.query;
    const wanted = { filter, page: getPage(call.query) };
    const { rows, total, nextAfter } = await listEntries(pool, { projectId, mode }, wanted);
    const names = await findActorNames(pool, projectId, rows);
    const items = rows.map((row) => ({ ...row, actor_name: names.get(row.actor) ?? null }));
    return renderPage(call, { total: BigInt(total), nextAfter }, items.map(renderEntry));
  },
});
