// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { CallOptions, Pages } from "../calls.ts";
import type { AuditList } from "./records/audit.ts";

export interface AuditListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** Id of a key or of a member, or `operator`. */
  actor?: string | undefined;
  /** Operation, e.g. `settlements.approve`. */
  action?: string | undefined;
  /** Id of what it was done to. */
  targetId?: string | undefined;
  /** Only entries created at or after this time. */
  from?: string | undefined;
  /** Only entries created before this time. */
  to?: string | undefined;
}

export interface Audit {
  /** List who did what in the key's mode, newest first; entries are kept for 400 days. */
  list(query?: AuditListQuery, options?: CallOptions): Pages<AuditList["data"][number], AuditList>;
}
