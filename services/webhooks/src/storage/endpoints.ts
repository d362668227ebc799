// SQL of endpoints and their secrets.
import type { ClientBase, Pool } from "pg";

export interface EndpointRow {
  id: string;
  url: string | null;
  enabled: boolean;
  scheme: string;
  concurrency_max: number;
  secret_seq: number;
  sealed: Buffer;
}

const FIND = {
  name: "find-endpoints",
  text: `
    select endpoints.id, url, enabled, scheme, concurrency_max, secret.seq as secret_seq, secret.sealed
    from endpoints cross join lateral (
      select seq, sealed from secrets where endpoint_id = endpoints.id order by seq desc limit 1
    ) secret
    where endpoints.id = any($1::text[])`,
};

/** Endpoints with the secret in force; one that is gone is not in the answer. */
export const findEndpoints = async (pool: Pool, ids: string[]): Promise<EndpointRow[]> => {
  const { rows } = await pool.query<EndpointRow>({ ...FIND, values: [ids] });
  return rows;
};

/** A default endpoint as it would be if the project has none yet. */
export interface NewEndpoint {
  id: string;
  projectId: string;
  sealed: Buffer;
}

/** True when this call made it; false when the project has one already. */
export const insertDefaultEndpoint = async (
  pool: Pool,
  { id, projectId, sealed }: NewEndpoint,
): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `with made as (
       insert into endpoints (id, project_id, name) values ($1, $2, 'default')
       on conflict (project_id, name) do nothing returning id
     )
     insert into secrets (endpoint_id, seq, sealed, shown_at) select id, 1, $3, now() from made`,
    [id, projectId, sealed],
  );
  return rowCount === 1;
};

/** The default endpoint, and its secret if nobody has been shown it: whoever gets it here is the only one. */
export const claimDefaultSecret = async (
  pool: Pool,
  projectId: string,
): Promise<{ id: string; sealed: Buffer | null } | undefined> => {
  const { rows } = await pool.query<{ id: string; sealed: Buffer | null }>(
    `with endpoint as (
       select id from endpoints where project_id = $1 and name = 'default'
     ), shown as (
       update secrets set shown_at = now() from endpoint
       where endpoint_id = endpoint.id and seq = 1 and shown_at is null returning sealed
     )
     select endpoint.id, shown.sealed from endpoint left join shown on true`,
    [projectId],
  );
  return rows[0];
};

export interface ProjectUrl extends NewEndpoint {
  url: string | null;
  version: number;
}

/**
 * Lets default endpoints follow their projects; older news changes nothing. A project whose endpoint is not there yet
 * gets one, with a secret that is in force at once and shown later. A list may hold a project only once.
 */
export const followProjects = async (db: Pool | ClientBase, list: ProjectUrl[]): Promise<void> => {
  await db.query({
    name: "follow-projects",
    text: `
      with input as (
        select * from unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::int[])
        as input (id, project_id, sealed, url, version)
      ), followed as (
        insert into endpoints (id, project_id, name, url, project_version)
        select id, project_id, 'default', url, version from input
        on conflict (project_id, name) do update
          set url = excluded.url, project_version = excluded.project_version, updated_at = now()
          where endpoints.project_version < excluded.project_version
        returning id
      )
      insert into secrets (endpoint_id, seq, sealed)
      select id, 1, sealed from input join followed using (id)`,
    values: [
      list.map(({ id }) => id),
      list.map(({ projectId }) => projectId),
      list.map(({ sealed }) => sealed),
      list.map(({ url }) => url),
      list.map(({ version }) => version),
    ],
  });
};
