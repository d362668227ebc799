// Projects and their keys. A change of a project is one statement, guarded by the version it was decided on, that
// also writes the event, so consumers receive every version once and no version that was not stored.
import type { RowFrom } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxArrays } from "@pay/events";
import type { UnsignedClaims } from "@pay/values";
import type { Pool } from "pg";
import { projects } from "../generated/columns.ts";
import type { PrismaClient } from "../generated/prisma/client.ts";
import type { ProjectModel } from "../generated/prisma/models.ts";
import type { KeyMode } from "../keys/caller.ts";
import type { NewKey } from "../keys/new-key.ts";
import { OPERATOR } from "../keys/storage.ts";
import type { SsoSettings } from "./sso-settings.ts";

/** A row of the table. */
export type Project = RowFrom<
  ProjectModel,
  {
    branding_config: Record<string, unknown> | null;
    variant: "primary" | "b" | null;
    unsigned_claims: UnsignedClaims | null;
    sso: SsoSettings | null;
  }
>;

/** Where events of the mode go. */
export function findCallbackUrl(
  project: Pick<Project, "callback_url" | "test_callback_url">,
  mode: KeyMode,
): string | null {
  return mode === "live" ? project.callback_url : project.test_callback_url;
}

function outboxFrom(first: number) {
  return OUTBOX_TYPES.map((type, at) => `$${first + at}::${type}[]`).join(", ");
}

const INSERT_PROJECT = {
  name: "projects-insert",
  text: `with project as (
      insert into projects (id, name, allowed_origins, api_version, created_at, updated_at)
      values ($1, $2, '{}', $3, $4, $4)
      returning id
    ), keys as (
      insert into api_keys (id, project_id, type, mode, scopes, name, digest, pepper_version, prefix,
        last4, created_at, created_by)
      select k.id, project.id, k.type, k.mode, '{}', null, k.digest, k.pepper_version, k.prefix,
        k.last4, $4, '${OPERATOR}'
      from project, unnest($5::text[], $6::text[], $7::text[], $8::bytea[], $9::smallint[],
        $10::text[], $11::text[]) as k (id, type, mode, digest, pepper_version, prefix, last4)
    )
    insert into outbox (${OUTBOX_COLUMNS}) select * from unnest(${outboxFrom(12)})`,
};

export async function insertProject(
  pool: Pool,
  project: Pick<Project, "id" | "name" | "created_at"> & { api_version: string },
  keys: readonly NewKey[],
  event: OutboxRow,
): Promise<void> {
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
      keys.map((key) => key.pepperVersion),
      keys.map((key) => key.prefix),
      keys.map((key) => key.last4),
      ...outboxArrays([event]),
    ],
  });
}

export async function findProject(prisma: PrismaClient, id: string): Promise<Project | undefined> {
  const project = await prisma.project.findUnique({ where: { id } });
  return (project ?? undefined) as Project | undefined;
}

/** What an update writes; the version is counted. */
const { id: _, version: __, created_at: ___, api_version: ____, ...CHANGING } = projects;
const CHANGED = Object.keys(CHANGING) as (keyof typeof CHANGING)[];

const UPDATE_PROJECT = {
  name: "projects-update",
  text: `with changed as (
      update projects set version = version + 1,
        ${CHANGED.map((column, at) => `${column} = $${at + 3}`).join(", ")}
      where id = $1 and version = $2
      returning 1
    ), event_rows as (
      insert into outbox (${OUTBOX_COLUMNS})
      select event_rows.* from changed, unnest(${outboxFrom(CHANGED.length + 3)}) as event_rows
    )
    select count(*)::int as changed from changed`,
};

/** False when the project was changed since it was read. */
export async function updateProject(
  pool: Pool,
  project: Project,
  event: OutboxRow,
): Promise<boolean> {
  const { rows } = await pool.query<{ changed: number }>({
    ...UPDATE_PROJECT,
    values: [
      project.id,
      project.version - 1,
      ...CHANGED.map((column) => project[column]),
      ...outboxArrays([event]),
    ],
  });
  return rows[0]?.changed === 1;
}
