// The rows of the request log: writes of projects, and their requests that failed. They leave by day, after a week.
import {
  anyCondition,
  type Condition,
  condition,
  type Page,
  type PageRequest,
  selectPage,
} from "@pay/database";
import type { Pool } from "pg";
import { type FindRequestLogRow, findRequestLog } from "../generated/sql.ts";

interface Place {
  projectId: string;
  mode: "live" | "test";
}

export interface RequestLogEntry {
  id: string;
  /** Id of a key or of a member; null for a client secret without a key. */
  actor: string | null;
  method: string;
  /** With parameters as {name}. */
  route: string;
  path: string;
  status_code: number;
  error_code: string | null;
  duration_ms: number;
  request_id: string;
  created_at: Date;
}

export const STATUS_CLASSES = ["2xx", "4xx", "5xx"] as const;
type StatusClass = (typeof STATUS_CLASSES)[number];

export interface RequestFilter {
  status?: readonly StatusClass[] | undefined;
  method?: string | undefined;
  errorCode?: string | undefined;
  path?: string | undefined;
  actor?: string | undefined;
  requestId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Failed requests have an index of their own, so that they are found among any number of others. */
function failedCondition({ status, errorCode }: RequestFilter): Condition[] {
  const isOfFailed = errorCode !== undefined || (status !== undefined && !status.includes("2xx"));
  return isOfFailed ? [{ text: "status_code >= 400", values: [] }] : [];
}

function statusCondition({ status: classes }: RequestFilter): Condition[] {
  if (classes === undefined) return [];
  const ranges = classes.map((name) => {
    const from = Number(name[0]) * 100;
    return { text: `status_code between ${from} and ${from + 99}`, values: [] };
  });
  return [anyCondition(ranges)];
}

function pathCondition({ path }: RequestFilter): Condition[] {
  return path === undefined ? [] : [{ text: "(path = ? or route = ?)", values: [path, path] }];
}

/** Newest first, of one mode of the project. */
export function listRequestLogs(
  pool: Pool,
  of: Place,
  { filter, page }: { filter: RequestFilter; page: PageRequest },
): Promise<Page<RequestLogEntry>> {
  return selectPage<RequestLogEntry>(pool, {
    table: "request_logs",
    columns:
      "id, actor, method, route, path, status_code, error_code, duration_ms, request_id, created_at",
    scope: [...condition("project_id = ?", of.projectId), ...condition("mode = ?", of.mode)],
    filter: [
      ...failedCondition(filter),
      ...condition("request_id = ?", filter.requestId),
      ...condition("created_at >= ?", filter.from),
      ...condition("created_at < ?", filter.to),
    ],
    search: [
      ...statusCondition(filter),
      ...condition("method = ?", filter.method),
      ...condition("error_code = ?", filter.errorCode),
      ...pathCondition(filter),
      ...condition("actor = ?", filter.actor),
    ],
    period: "from and to",
    page,
  });
}

/** The newest request of a project that has the id. */
export type FindRequest = (requestId: string) => Promise<FindRequestLogRow | undefined>;

export function createFindRequest(pool: Pool, { projectId, mode }: Place): FindRequest {
  return async (requestId) => (await findRequestLog(pool, { projectId, mode, requestId }))[0];
}
