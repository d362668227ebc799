// SQL of secrets as a whole table, for the change of the key that seals them.
import type { Pool } from "pg";

export interface SealedSecret {
  projectId: string;
  endpointId: string;
  seq: number;
  sealed: Buffer;
}

/** In the order of their key, from the one after a known secret. */
export async function listSecretsAfter(
  pool: Pool,
  last: SealedSecret | undefined,
  limit: number,
): Promise<SealedSecret[]> {
  const { rows } = await pool.query<SealedSecret>(
    `select project_id as "projectId", endpoint_id as "endpointId", seq, sealed from secrets
     where (project_id, endpoint_id, seq) > ($1, $2, $3) order by project_id, endpoint_id, seq limit $4`,
    [last?.projectId ?? "", last?.endpointId ?? "", last?.seq ?? 0, limit],
  );
  return rows;
}

/** Writes a secret only where it still is what was read; answers how many that were. */
export async function updateSealed(
  pool: Pool,
  secrets: (SealedSecret & { fresh: Buffer })[],
): Promise<number> {
  const { rowCount } = await pool.query(
    `update secrets set sealed = fresh.fresh
     from unnest($1::text[], $2::int[], $3::bytea[], $4::bytea[], $5::text[])
       as fresh (endpoint_id, seq, sealed, fresh, project_id)
     where secrets.project_id = fresh.project_id and secrets.endpoint_id = fresh.endpoint_id and secrets.seq = fresh.seq and secrets.sealed = fresh.sealed`,
    [
      secrets.map(({ endpointId }) => endpointId),
      secrets.map(({ seq }) => seq),
      secrets.map(({ sealed }) => sealed),
      secrets.map(({ fresh }) => fresh),
      secrets.map(({ projectId }) => projectId),
    ],
  );
  return rowCount ?? 0;
}
