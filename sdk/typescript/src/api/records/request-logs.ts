// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Actor } from "./audit.ts";

export interface RequestLogList {
  /** Items of this page. */
  data: Array<RequestLogItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface RequestLogItem {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Time of the request. */
  createdAt: string;
  /** Who made the request. */
  actor: Actor;
  /** Method of the request. */
  method: string;
  /** Path of the route, with parameters in braces. */
  route: string;
  /** Path of the request, without its query. */
  path: string;
  /** Status of the response. */
  statusCode: number;
  /** Error code of a failed request; null otherwise. */
  errorCode: string | null;
  /** Milliseconds until the response was sent. */
  durationMs: number;
  /** Id of the request, as in `X-Request-Id`. */
  requestId: string;
}
