// The rows of the audit log. They leave by week, after 400 days.
import { randomUUIDv7 } from "node:crypto";
import {
  type Condition,
  condition,
  type Page,
  type PageRequest,
  type Queryable,
  selectPage,
} from "@pay/database";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../generated/sql.ts";
import { OPERATOR } from "../keys/storage.ts";

/** Before and after, where the value of the field is no secret and no personal data. */
export type Changes = Readonly<Record<string, { before?: unknown; after?: unknown }>>;

export interface NewEntry {
  projectId: string;
  mode: "live" | "test";
  /** Id of a key or of a member, or operator. */
  actor: string;
  action: string;
  targetId: string | null;
  changes: Changes;
  requestId: string;
  /** Of the client, as far as the proxies in front are ours. */
  address: string | null;
}

/** Where a stored entry is. */
export interface EntryPlace {
  id: string;
  projectId: string;
  week: Date;
}

/** Without a status it is an entry of a request that has not ended. */
export async function insertEntry(
  db: Queryable,
  entry: NewEntry,
  { now, statusCode = null }: { now: Date; statusCode?: number | null },
): Promise<EntryPlace> {
  const id = newId("aud", now.getTime());
  const [row] = await sql.insertAuditEntry(db, { ...entry, id, statusCode, createdAt: now });
  if (row === undefined) throw new Error("an entry of the audit log was not stored");
  return { id, projectId: entry.projectId, week: row.week };
}

type OperatorEntry = Pick<NewEntry, "projectId" | "action" | "targetId" | "changes"> &
  Partial<Pick<NewEntry, "mode" | "requestId">>;

/** Of a command of the operator; the transaction is that of the change. */
export async function insertOperatorEntry(
  tx: Queryable,
  done: OperatorEntry,
  now: Date,
): Promise<void> {
  const beside = { mode: "live", requestId: randomUUIDv7(), address: null } as const;
  await insertEntry(tx, { ...beside, ...done, actor: OPERATOR }, { now, statusCode: 201 });
}

export interface AuditEntry {
  id: string;
  actor: string;
  action: string;
  target_id: string | null;
  changes: Changes;
  request_id: string;
  address: string | null;
  status_code: number | null;
  error_code: string | null;
  created_at: Date;
}

export interface EntryFilter {
  actor?: string | undefined;
  action?: string | undefined;
  targetId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Newest first, of one mode of the project. */
export function listEntries(
  pool: Pool,
  of: { projectId: string; mode: "live" | "test" },
  { filter, page }: { filter: EntryFilter; page: PageRequest },
): Promise<Page<AuditEntry>> {
  const narrowed: Condition[] = [
    ...condition("actor = ?", filter.actor),
    ...condition("action = ?", filter.action),
    ...condition("target_id = ?", filter.targetId),
    ...condition("created_at >= ?", filter.from),
    ...condition("created_at < ?", filter.to),
  ];
  return selectPage<AuditEntry>(pool, {
    table: "audit_entries",
    columns:
      "id, actor, action, target_id, changes, request_id, address, status_code, error_code, created_at",
    scope: [...condition("project_id = ?", of.projectId), ...condition("mode = ?", of.mode)],
    filter: narrowed,
    page,
  });
}

/** The names that keys and members have now, by id. */
export async function findActorNames(
  db: Queryable,
  projectId: string,
  entries: readonly { actor: string | null }[],
): Promise<Map<string, string | null>> {
  const ids = [...new Set(entries.flatMap(({ actor }) => actor ?? []))];
  const rows = ids.length === 0 ? [] : await sql.findActorNames(db, { projectId, ids });
  return new Map(rows.map(({ id, name }) => [id, name]));
}
