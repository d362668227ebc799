import { z } from "zod";
import { findActorNames } from "../../audit/entries.ts";
import { route } from "../../pipeline/route.ts";
import { listRequestLogs, STATUS_CLASSES } from "../../request-logs/entries.ts";
import * as field from "../fields.ts";
import { getPage, renderPage } from "../page.ts";
import { listShape } from "../response-fields.ts";
import { renderRequest, requestLogItem } from "./response.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

const requestFilters = z.object({
  ...field.pageFields("log"),
  status: field.listField(STATUS_CLASSES).optional().describe("Classes of statuses."),
  method: field.choiceField(METHODS).optional().describe("Method of the request."),
  errorCode: field.reference(128).optional().describe("Error code, e.g. `field_invalid`."),
  path: field
    .reference(128)
    .optional()
    .describe("Path of the request, or of its route, e.g. `/v1/payments/{id}`."),
  actor: field.reference(128).optional().describe("Id of a key or of a member."),
  requestId: field.reference(128).optional().describe("Id of the request."),
  from: field.time().optional().describe("Only requests made at or after this time."),
  to: field.time().optional().describe("Only requests made before this time."),
});

export const listRequestLogsRoute = route({
  auth: "secret",
  tag: "Request log",
  limit: "standard",
  scope: "logs:read",
  summary: "List writes and failed requests in the key's mode, newest first, of the last 7 days",
  query: requestFilters,
  response: listShape("RequestLogList", requestLogItem),
  success: 200,
  handle: async (call, { pool }) => {
    const { projectId, mode } = call.caller;
    const { page: _, limit: __, after: ___, ...filter } = call.query;
    const wanted = { filter, page: getPage(call.query) };
    const { rows, total, nextAfter } = await listRequestLogs(pool, { projectId, mode }, wanted);
    const names = await findActorNames(pool, projectId, rows);
    const items = rows.map((row) => ({ ...row, actor_name: names.get(row.actor ?? "") ?? null }));
    return renderPage(call, { total: BigInt(total), nextAfter }, items.map(renderRequest));
  },
});
