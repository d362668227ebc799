// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { CallOptions, Pages } from "../calls.ts";
import type { RequestLogList } from "./records/request-logs.ts";

export interface RequestLogsListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** Classes of statuses. */
  status?: Array<"2xx" | "4xx" | "5xx"> | undefined;
  /** Method of the request. */
  method?: "GET" | "POST" | "PUT" | "DELETE" | undefined;
  /** Error code, e.g. `field_invalid`. */
  errorCode?: string | undefined;
  /** Path of the request, or of its route, e.g. `/v1/payments/{id}`. */
  path?: string | undefined;
  /** Id of a key or of a member. */
  actor?: string | undefined;
  /** Id of the request. */
  requestId?: string | undefined;
  /** Only requests made at or after this time. */
  from?: string | undefined;
  /** Only requests made before this time. */
  to?: string | undefined;
}

export interface RequestLogs {
  /** List writes and failed requests in the key's mode, newest first, of the last 7 days. */
  list(
    query?: RequestLogsListQuery,
    options?: CallOptions,
  ): Pages<RequestLogList["data"][number], RequestLogList>;
}
