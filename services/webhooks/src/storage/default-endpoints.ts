// SQL of endpoints and their secrets.
import { Mode } from "@pay/proto";
import type { ClientBase, Pool } from "pg";

/** The owner of a default endpoint: a project has one in each mode. */
export interface EndpointOwner {
  projectId: string;
  mode: number;
}

/** A default endpoint as it would be if its owner has none yet. */
export interface NewEndpoint extends EndpointOwner {
  id: string;
  sealed: Buffer;
}

function defaultName(mode: number): string {
  return mode === Mode.LIVE ? "default" : "default-test";
}

/** True when this call made it; false when its owner has one already. */
export async function insertDefaultEndpoint(
  pool: Pool,
  { id, projectId, mode, sealed }: NewEndpoint,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with made as (
       insert into endpoints (id, project_id, mode, name) values ($1, $2, $3, $4)
       on conflict (project_id, name) do nothing returning id
     )
     insert into secrets (project_id, endpoint_id, seq, sealed, shown_at) select $2, id, 1, $5, now() from made`,
    [id, projectId, mode, defaultName(mode), sealed],
  );
  return rowCount === 1;
}

/** The id of the default endpoint; undefined where its owner has none. */
export async function findDefaultEndpoint(
  pool: Pool,
  { projectId, mode }: EndpointOwner,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    "select id from endpoints where project_id = $1 and name = $2",
    [projectId, defaultName(mode)],
  );
  return rows[0]?.id;
}

/** The default endpoint, and its secret unless it was shown before: only one caller ever gets the secret. */
export async function claimDefaultSecret(
  pool: Pool,
  { projectId, mode }: EndpointOwner,
): Promise<{ id: string; sealed: Buffer | null } | undefined> {
  const { rows } = await pool.query<{ id: string; sealed: Buffer | null }>(
    `with endpoint as (
       select id from endpoints where project_id = $1 and name = $2
     ), shown as (
       update secrets set shown_at = now() from endpoint
       where secrets.project_id = $1 and endpoint_id = endpoint.id and seq = 1 and shown_at is null returning sealed
     )
     select endpoint.id, shown.sealed from endpoint left join shown on true`,
    [projectId, defaultName(mode)],
  );
  return rows[0];
}

export interface ProjectUrl extends NewEndpoint {
  url: string | null;
  version: number;
}

/**
 * Lets default endpoints follow their projects; an older version changes nothing. Where an endpoint is missing it is
 * made, with a secret that is in force at once and shown later. A list may hold an owner only once.
 */
export async function followProjects(db: Pool | ClientBase, list: ProjectUrl[]): Promise<void> {
  await db.query({
    name: "follow-projects",
    text: `
      with input as (
        select * from unnest($1::text[], $2::text[], $3::smallint[], $4::text[], $5::bytea[], $6::text[],
          $7::int[])
        as input (id, project_id, mode, name, sealed, url, version)
      ), followed as (
        insert into endpoints (id, project_id, mode, name, url, project_version)
        select id, project_id, mode, name, url, version from input
        on conflict (project_id, name) do update
          set url = excluded.url, project_version = excluded.project_version, updated_at = now()
          where endpoints.project_version < excluded.project_version
        returning id
      )
      insert into secrets (project_id, endpoint_id, seq, sealed)
      select project_id, id, 1, sealed from input join followed using (id)`,
    values: [
      list.map(({ id }) => id),
      list.map(({ projectId }) => projectId),
      list.map(({ mode }) => mode),
      list.map(({ mode }) => defaultName(mode)),
      list.map(({ sealed }) => sealed),
      list.map(({ url }) => url),
      list.map(({ version }) => version),
    ],
  });
}
