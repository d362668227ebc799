// SQL of endpoints as their merchants manage them. Every statement names project and mode, so another project's
// endpoint is absent like an unknown one.
import { condition, type Page, type PageRequest, selectPage } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import { changeEndpoint } from "./endpoint-changes.ts";

export interface MerchantEndpoint {
  id: string;
  name: string | null;
  url: string | null;
  events: string[];
  signature_scheme: string;
  enabled: boolean;
  disabled_reason: string | null;
  created_at: Date;
  updated_at: Date;
  next_secret_at: Date | null;
}

const COLUMNS = `id, name, url, events, signature_scheme, enabled, disabled_reason, created_at, updated_at,
  (select max(active_at) from secrets
    where secrets.project_id = endpoints.project_id and endpoint_id = endpoints.id and active_at > now()) as next_secret_at`;

export interface NewMerchantEndpoint {
  id: string;
  url: string;
  events: string[];
  signatureScheme: string;
  enabled: boolean;
  sealed: Buffer;
}

/**
 * Undefined when the project has as many endpoints as it may have. An id that the tenant's endpoint has already makes
 * no second one.
 */
export function insertEndpoint(
  pool: Pool,
  { projectId, mode }: Tenant,
  {
    id,
    url,
    events,
    signatureScheme,
    enabled,
    sealed,
    endpointsMax,
    changedBy,
  }: NewMerchantEndpoint & {
    endpointsMax: number;
    changedBy: string;
  },
): Promise<MerchantEndpoint | undefined> {
  return changeEndpoint(pool, changedBy, async (tx) => {
    // One creation of a project at a time, or two could both count one place left.
    await tx.query("select pg_advisory_xact_lock(hashtextextended('endpoints of ' || $1, 0))", [
      projectId,
    ]);
    await tx.query(
      `with made as (
         insert into endpoints (id, project_id, mode, url, events, signature_scheme, enabled)
         select $1, $2, $3, $4, $5, $6, $7
         where (select count(*) from endpoints where project_id = $2 and mode = $3 and name is null) < $9
         on conflict (id) do nothing returning id
       )
       insert into secrets (project_id, endpoint_id, seq, sealed, shown_at) select $2, id, 1, $8, now() from made`,
      [id, projectId, mode, url, events, signatureScheme, enabled, sealed, endpointsMax],
    );
    return one(
      await tx.query<MerchantEndpoint>(
        `select ${COLUMNS} from endpoints where id = $1 and project_id = $2 and mode = $3`,
        [id, projectId, mode],
      ),
    );
  });
}

export async function findEndpoint(
  pool: Pool,
  { projectId, mode }: Tenant,
  id: string,
): Promise<MerchantEndpoint | undefined> {
  return one(
    await pool.query<MerchantEndpoint>({
      name: "find-merchant-endpoint",
      text: `select ${COLUMNS} from endpoints where id = $1 and project_id = $2 and mode = $3`,
      values: [id, projectId, mode],
    }),
  );
}

export function listEndpoints(
  pool: Pool,
  { projectId, mode }: Tenant,
  page: PageRequest,
): Promise<Page<MerchantEndpoint>> {
  return selectPage<MerchantEndpoint>(pool, {
    table: "endpoints",
    scope: [...condition("project_id = ?", projectId), ...condition("mode = ?::smallint", mode)],
    columns: COLUMNS,
    page,
  });
}

/** What is undefined stays. */
export interface EndpointChange {
  url: string | undefined;
  events: string[] | undefined;
  signatureScheme: string | undefined;
  enabled: boolean | undefined;
}

export async function updateEndpoint(
  db: ClientBase,
  { projectId, mode }: Tenant,
  { id, url, events, signatureScheme, enabled }: EndpointChange & { id: string },
): Promise<MerchantEndpoint | undefined> {
  return one(
    await db.query<MerchantEndpoint>(
      `update endpoints set url = coalesce($4, url), events = coalesce($5, events),
         signature_scheme = coalesce($6, signature_scheme), enabled = coalesce($7, enabled), updated_at = now()
       where id = $1 and project_id = $2 and mode = $3 returning ${COLUMNS}`,
      [id, projectId, mode, url ?? null, events ?? null, signatureScheme ?? null, enabled ?? null],
    ),
  );
}

/** False when there is no such endpoint, or it is the default one, which follows its project. */
export async function deleteEndpoint(
  db: ClientBase,
  { projectId, mode }: Tenant,
  id: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    "delete from endpoints where id = $1 and project_id = $2 and mode = $3 and name is null",
    [id, projectId, mode],
  );
  return rowCount === 1;
}

function one({ rows }: { rows: MerchantEndpoint[] }): MerchantEndpoint | undefined {
  return rows[0];
}
