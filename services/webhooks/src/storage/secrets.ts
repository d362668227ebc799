// SQL of signing secrets. An endpoint has the one in force and, during a rotation, the next one. A change of secrets
// touches the endpoint's row too, so that its version changes and workers look it up again.
import { getConstraint } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";

/** The first secret of an endpoint. */
export async function findFirstSecret(
  pool: Pool,
  { projectId }: Tenant,
  endpointId: string,
): Promise<Buffer | undefined> {
  const { rows } = await pool.query<{ sealed: Buffer }>(
    "select sealed from secrets where project_id = $1 and endpoint_id = $2 and seq = 1",
    [projectId, endpointId],
  );
  return rows[0]?.sealed;
}

const ROTATE = `
  with endpoint as (
    update endpoints set updated_at = now() where id = $1 and project_id = $2 and mode = $3 returning id
  ), current as (
    select max(seq) filter (where active_at <= now()) as seq, max(seq) as newest
    from secrets where project_id = $2 and endpoint_id = $1
  ), gone as (
    delete from secrets using endpoint, current
    where secrets.project_id = $2 and endpoint_id = endpoint.id and (active_at > now() or secrets.seq < current.seq)
  )
  insert into secrets (project_id, endpoint_id, seq, sealed, shown_at, active_at)
  select $2, endpoint.id, current.newest + 1, $4, now(), now() + $5 * interval '1 second' from endpoint, current`;

/** Adds the secret that follows; one that is not in force yet is replaced. False when there is no such endpoint. */
export async function insertNextSecret(
  db: ClientBase,
  { projectId, mode }: Tenant,
  next: { endpointId: string; sealed: Buffer; overlapSeconds: number },
): Promise<boolean> {
  const values = [next.endpointId, projectId, mode, next.sealed, next.overlapSeconds];
  try {
    return (await db.query(ROTATE, values)).rowCount === 1;
  } catch (error) {
    if (getConstraint(error) !== "secrets_pkey") throw error;
    throw new Failure("state_contended", "The secret is being rotated by another request", {
      cause: error,
    });
  }
}

const ACTIVATE = `
  with endpoint as (
    update endpoints set updated_at = now() where id = $1 and project_id = $2 and mode = $3 returning id
  )
  update secrets set active_at = now() from endpoint
  where secrets.project_id = $2 and endpoint_id = endpoint.id and active_at > now()`;

/** False when no secret waits to come into force. */
export async function activateNextSecret(
  db: ClientBase,
  { projectId, mode }: Tenant,
  endpointId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(ACTIVATE, [endpointId, projectId, mode]);
  return rowCount === 1;
}
