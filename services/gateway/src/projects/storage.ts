// Projects and their keys. A change of a project is one statement, guarded by the version it was decided on, that
// also writes the event; so consumers see every version once and none that did not happen.
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxArrays } from "@pay/events";
import type { Pool } from "pg";
import type { Caller, KeyMode, KeyType, Scope } from "../caller.ts";
import type { PrismaClient } from "../generated/prisma/client.ts";
import type { SsoSettings } from "../sso/settings.ts";
import type { NewKey } from "./keys.ts";

export interface Project {
  id: string;
  name: string;
  callback_url: string | null;
  allowed_origins: string[];
  branding_config: Record<string, unknown> | null;
  payment_lifetime_minutes: number;
  variant: "primary" | "b" | null;
  api_version: Date;
  version: number;
  sso: SsoSettings | null;
  /** Counts the changes of sso. */
  sso_version: number;
  created_at: Date;
  updated_at: Date;
}

export interface KeyRecord {
  digest: Buffer;
  caller: Caller;
}

interface KeyRow {
  digest: Buffer;
  id: string;
  project_id: string;
  type: KeyType;
  mode: KeyMode;
  scopes: Scope[];
  expires_at: Date | null;
  allowed_origins: string[];
  payment_lifetime_minutes: number;
  variant: "primary" | "b" | null;
  version: string;
}

const FIND_KEYS = {
  name: "keys-find",
  text: `select k.digest, k.id, k.project_id, k.type, k.mode, k.scopes, k.expires_at,
      p.allowed_origins, p.payment_lifetime_minutes, p.variant,
      to_char(p.api_version, 'YYYY-MM-DD') as version
    from api_keys k join projects p on p.id = k.project_id
    where k.digest = any($1::bytea[]) and k.revoked_at is null`,
};

/** The living keys of these digests, in their order. */
export const findKeys = async (
  pool: Pool,
  digests: Buffer[],
): Promise<(KeyRecord | undefined)[]> => {
  const { rows } = await pool.query<KeyRow>({ ...FIND_KEYS, values: [digests] });
  const byDigest = new Map(rows.map((row) => [row.digest.toString("latin1"), row]));
  return digests.map((digest) => {
    const row = byDigest.get(digest.toString("latin1"));
    return row && { digest: row.digest, caller: callerOf(row) };
  });
};

const callerOf = (row: KeyRow): Caller => ({
  keyId: row.id,
  projectId: row.project_id,
  type: row.type,
  mode: row.mode,
  scopes: row.scopes,
  expiresAt: row.expires_at,
  allowedOrigins: row.allowed_origins,
  paymentLifetimeMinutes: row.payment_lifetime_minutes,
  variant: row.variant,
  version: row.version,
});

const outboxFrom = (first: number) =>
  OUTBOX_TYPES.map((type, at) => `$${first + at}::${type}[]`).join(", ");

const INSERT_PROJECT = {
  name: "projects-insert",
  text: `with project as (
      insert into projects (id, name, allowed_origins, api_version, created_at, updated_at)
      values ($1, $2, '{}', $3, $4, $4)
      returning id
    ), keys as (
      insert into api_keys (id, project_id, type, mode, scopes, name, digest, prefix, last4, created_at)
      select k.id, project.id, k.type, k.mode, '{}', null, k.digest, k.prefix, k.last4, $4
      from project, unnest($5::text[], $6::text[], $7::text[], $8::bytea[], $9::text[], $10::text[])
        as k (id, type, mode, digest, prefix, last4)
    )
    insert into outbox (${OUTBOX_COLUMNS}) select * from unnest(${outboxFrom(11)})`,
};

export const insertProject = async (
  pool: Pool,
  project: Pick<Project, "id" | "name" | "created_at"> & { api_version: string },
  keys: readonly NewKey[],
  event: OutboxRow,
): Promise<void> => {
  await pool.query({
    ...INSERT_PROJECT,
    values: [
      project.id,
      project.name,
      project.api_version,
      project.created_at,
      keys.map((key) => key.id),
      keys.map((key) => key.type),
      keys.map((key) => key.mode),
      keys.map((key) => key.digest),
      keys.map((key) => key.prefix),
      keys.map((key) => key.last4),
      ...outboxArrays([event]),
    ],
  });
};

export const findProject = async (
  prisma: PrismaClient,
  id: string,
): Promise<Project | undefined> => {
  const project = await prisma.project.findUnique({ where: { id } });
  return (project ?? undefined) as Project | undefined;
};

const UPDATE_PROJECT = {
  name: "projects-update",
  text: `with changed as (
      update projects set name = $3, callback_url = $4, allowed_origins = $5, branding_config = $6,
        payment_lifetime_minutes = $7, updated_at = $8, sso = $9, sso_version = $10,
        version = version + 1
      where id = $1 and version = $2
      returning 1
    ), news as (
      insert into outbox (${OUTBOX_COLUMNS})
      select news.* from changed, unnest(${outboxFrom(11)}) as news
    )
    select count(*)::int as changed from changed`,
};

const json = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

/** False when somebody else changed the project since it was read. */
export const updateProject = async (
  pool: Pool,
  project: Project,
  event: OutboxRow,
): Promise<boolean> => {
  const { rows } = await pool.query<{ changed: number }>({
    ...UPDATE_PROJECT,
    values: [
      project.id,
      project.version - 1,
      project.name,
      project.callback_url,
      project.allowed_origins,
      json(project.branding_config),
      project.payment_lifetime_minutes,
      project.updated_at,
      json(project.sso),
      project.sso_version,
      ...outboxArrays([event]),
    ],
  });
  return rows[0]?.changed === 1;
};
