// The keys of a project. Every query contains the project, so a key of another project is not found.
import { condition, type Page, type PageRequest, type Queryable, selectPage } from "@pay/database";
import type { Pool } from "pg";
import { api_keys } from "../generated/columns.ts";
import * as sql from "../generated/sql.ts";
import { countKeyFamilies, findMakers } from "../generated/sql.ts";
import type { KeyMode } from "./caller.ts";
import type { NewKey } from "./new-key.ts";

const { digest: _, pepper_version: __, ...SHOWN } = api_keys;
const COLUMNS = Object.keys(SHOWN).join(", ");

/** A row of the table without what would help to guess the key. */
export type ApiKey = sql.InsertKeyRow;

/** Who makes a key: the id of another key or of a member, or the operator. */
export interface Maker {
  projectId: string;
  actor: string;
}

export const OPERATOR = "operator";

/** Undefined where there is no such project. */
export async function insertKey(
  db: Queryable,
  by: Maker,
  key: NewKey,
  now: Date,
): Promise<ApiKey | undefined> {
  const [row] = await sql.insertKey(db, {
    ...key,
    projectId: by.projectId,
    createdAt: now,
    createdBy: by.actor,
  });
  return row;
}

/** Whether the key is revoked now, was not there, or is the last unrestricted secret key of its mode. */
export async function revokeKey(
  db: Queryable,
  key: { id: string; projectId: string; revokedAt: Date },
): Promise<"revoked" | "absent" | { onlyKeyOfMode: KeyMode }> {
  const [{ revoked, mode } = { revoked: 0, mode: null }] = await sql.revokeKey(db, key);
  if (revoked === 1) return "revoked";
  return mode === null ? "absent" : { onlyKeyOfMode: mode as KeyMode };
}

export async function listKeys(
  pool: Pool,
  projectId: string,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  return selectPage<ApiKey>(pool, {
    table: "api_keys",
    columns: COLUMNS,
    scope: condition("project_id = ?", projectId),
    page,
  });
}

/**
 * Whether two keys or members are in the same hands: they are one, one key was rolled into the other, or one member
 * made them.
 */
export async function isInSameHands(
  db: Queryable,
  projectId: string,
  ids: readonly [string, string],
): Promise<boolean> {
  if (ids[0] === ids[1]) return true;
  const [count] = await countKeyFamilies(db, { projectId, ids });
  if (count?.keys === 2 && count.families === 1) return true;
  const makers = await findMakers(db, { projectId, ids });
  const [one, other] = ids.map((id) => [
    id,
    ...makers.flatMap(({ key_id, member_id }) => (key_id === id ? [member_id] : [])),
  ]) as [string[], string[]];
  return one.some((id) => other.includes(id));
}
