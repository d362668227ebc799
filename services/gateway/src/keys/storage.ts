// The keys of a project as their owner manages them. Every query names the project, so a key of another project is not
// found.
import { condition, type Page, type PageRequest, type RowFrom, selectPage } from "@pay/database";
import type { Pool, PoolClient } from "pg";
import { api_keys } from "../generated/columns.ts";
import type { ApiKeyModel } from "../generated/prisma/models.ts";
import type { KeyMode, KeyType } from "./caller.ts";
import type { NewKey } from "./new-key.ts";

const { digest: _, pepper_version: __, ...SHOWN } = api_keys;
const COLUMNS = Object.keys(SHOWN).join(", ");

/** A row of the table without what would help to guess the key. */
export type ApiKey = Pick<
  RowFrom<ApiKeyModel, { type: KeyType; mode: KeyMode }>,
  keyof typeof SHOWN
>;

/** Who makes a key: the id of another key, or the operator. */
export interface Maker {
  projectId: string;
  keyId: string;
}

export const OPERATOR = "operator";

/** Undefined where there is no such project. */
export async function insertKey(
  db: Pool | PoolClient,
  by: Maker,
  key: NewKey,
  now: Date,
): Promise<ApiKey | undefined> {
  const { rows } = await db.query<ApiKey>(
    `insert into api_keys (id, project_id, type, mode, scopes, name, digest, pepper_version, prefix,
       last4, created_at, created_by)
     select $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 from projects where id = $2
     returning ${COLUMNS}`,
    [
      key.id,
      by.projectId,
      key.type,
      key.mode,
      key.scopes,
      key.name,
      key.digest,
      key.pepperVersion,
      key.prefix,
      key.last4,
      now,
      by.keyId,
    ],
  );
  return rows[0];
}

/** The key, locked until the end of the transaction. */
export async function lockKey(
  tx: PoolClient,
  projectId: string,
  id: string,
): Promise<ApiKey | undefined> {
  const { rows } = await tx.query<ApiKey>(
    `select ${COLUMNS} from api_keys
     where id = $1 and project_id = $2 and revoked_at is null for update`,
    [id, projectId],
  );
  return rows[0];
}

export async function markRolled(
  tx: PoolClient,
  key: Pick<ApiKey, "id" | "project_id">,
  rolled: { successorId: string; expiresAt: Date },
): Promise<void> {
  await tx.query(
    "update api_keys set successor_id = $3, expires_at = $4 where id = $1 and project_id = $2",
    [key.id, key.project_id, rolled.successorId, rolled.expiresAt],
  );
}

// The keys that keep a project manageable are locked in one order and read as they are then, so of two revocations at
// once the second one sees the first. A key that is rolled has its end already, and its successor counts.
const REVOKE = {
  name: "keys-revoke",
  text: `with unrestricted as (
      select id, mode from api_keys
      where project_id = $2 and type = 'secret' and cardinality(scopes) = 0
        and revoked_at is null and expires_at is null
      order by id for update
    ), revoked as (
      update api_keys k set revoked_at = $3
      where k.id = $1 and k.project_id = $2 and k.revoked_at is null and (
        k.id not in (select id from unrestricted)
        or (select count(*) from unrestricted u where u.mode = k.mode) > 1)
      returning 1
    )
    select (select count(*)::int from revoked) as revoked,
      (select mode from unrestricted where id = $1) as mode`,
};

/** Whether the key is revoked now, was not there, or is the last unrestricted secret one of its mode. */
export async function markRevoked(
  pool: Pool,
  projectId: string,
  id: string,
  now: Date,
): Promise<"revoked" | "absent" | { onlyKeyOfMode: KeyMode }> {
  const { rows } = await pool.query<{ revoked: number; mode: KeyMode | null }>({
    ...REVOKE,
    values: [id, projectId, now],
  });
  const { revoked = 0, mode = null } = rows[0] ?? {};
  if (revoked === 1) return "revoked";
  return mode === null ? "absent" : { onlyKeyOfMode: mode };
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
