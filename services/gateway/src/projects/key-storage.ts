// The keys of a project as their owner manages them. Every query names project and mode: a key of another project,
// or a live key seen by a test key, does not exist.
import { type Page, type PageRequest, selectPage } from "@pay/database";
import type { Pool, PoolClient } from "pg";
import type { KeyMode, KeyType, Scope } from "../caller.ts";
import type { NewKey } from "./keys.ts";

export interface ApiKey {
  id: string;
  project_id: string;
  type: KeyType;
  mode: KeyMode;
  scopes: Scope[];
  name: string | null;
  prefix: string;
  last4: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  successor_id: string | null;
}

/** Whose keys: all of a project's, or those of one mode. */
export interface Owner {
  projectId: string;
  modes: KeyMode[];
}

const COLUMNS = `id, project_id, type, mode, scopes, name, prefix, last4, created_at, expires_at,
  revoked_at, successor_id`;

export const insertKey = async (
  tx: PoolClient,
  projectId: string,
  key: NewKey,
  now: Date,
): Promise<ApiKey> => {
  const { rows } = await tx.query<ApiKey>(
    `insert into api_keys (id, project_id, type, mode, scopes, name, digest, prefix, last4, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning ${COLUMNS}`,
    [
      ...[key.id, projectId, key.type, key.mode, key.scopes],
      ...[key.name, key.digest, key.prefix, key.last4, now],
    ],
  );
  return rows[0] as ApiKey;
};

/** The key, locked until the end of the transaction. */
export const lockKey = async (
  tx: PoolClient,
  { projectId, modes }: Owner,
  id: string,
): Promise<ApiKey | undefined> => {
  const { rows } = await tx.query<ApiKey>(
    `select ${COLUMNS} from api_keys
     where id = $1 and project_id = $2 and mode = any($3) and revoked_at is null for update`,
    [id, projectId, modes],
  );
  return rows[0];
};

export const markRolled = async (
  tx: PoolClient,
  key: Pick<ApiKey, "id" | "project_id">,
  rolled: { successorId: string; expiresAt: Date },
): Promise<void> => {
  await tx.query(
    "update api_keys set successor_id = $3, expires_at = $4 where id = $1 and project_id = $2",
    [key.id, key.project_id, rolled.successorId, rolled.expiresAt],
  );
};

/** False when there is no such living key. */
export const markRevoked = async (
  pool: Pool,
  { projectId, modes }: Owner,
  id: string,
  now: Date,
): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `update api_keys set revoked_at = $4
     where id = $1 and project_id = $2 and mode = any($3) and revoked_at is null`,
    [id, projectId, modes, now],
  );
  return rowCount === 1;
};

export const listKeys = async (
  pool: Pool,
  { projectId, modes }: Owner,
  page: PageRequest,
): Promise<Page<ApiKey>> => {
  const mode = modes.length === 1 ? modes[0] : undefined;
  const scope = { project_id: projectId, ...(mode && { mode }) };
  return selectPage<ApiKey & Record<string, unknown>>(pool, {
    table: "api_keys",
    columns: COLUMNS,
    scope,
    page,
  });
};
