// Endpoints as merchants manage them. Every statement names project and mode, so another project's endpoint does not
// exist.
import { condition, type Page, type PageRequest, type Queryable, selectPage } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import * as statements from "../generated/sql.ts";
import { changeEndpoint } from "./endpoint-changes.ts";

export type Endpoint = statements.GetEndpointRow;

export interface NewMerchantEndpoint {
  id: string;
  url: string;
  events: string[];
  signatureScheme: string;
  concurrencyMax: number;
  include: string[];
  enabled: boolean;
  sealed: Buffer;
}

/** Undefined if the project has as many endpoints as allowed. An id that exists creates no second endpoint. */
export async function insertEndpoint(
  pool: Pool,
  tenant: Tenant,
  { changedBy, ...endpoint }: NewMerchantEndpoint & { endpointsMax: number; changedBy: string },
): Promise<Endpoint | undefined> {
  const { projectId, mode } = tenant;
  await changeEndpoint(pool, changedBy, async (tx) => {
    await statements.lockEndpointsOfProject(tx, { projectId });
    await statements.insertEndpoint(tx, { ...endpoint, projectId, mode });
  });
  return findEndpoint(pool, tenant, endpoint.id);
}

export async function findEndpoint(
  db: Queryable,
  { projectId, mode }: Tenant,
  id: string,
): Promise<Endpoint | undefined> {
  const [endpoint] = await statements.getEndpoint(db, { id, projectId, mode });
  return endpoint;
}

/** A project has a bounded number of them. */
export async function listEndpointIds(
  db: Queryable,
  { projectId, mode }: Tenant,
): Promise<string[]> {
  const rows = await statements.listEndpointIds(db, { projectId, mode });
  return rows.map(({ id }) => id);
}

export function listEndpoints(
  pool: Pool,
  { projectId, mode }: Tenant,
  page: PageRequest,
): Promise<Page<Endpoint>> {
  return selectPage<Endpoint>(pool, {
    table: "endpoints",
    scope: [...condition("project_id = ?", projectId), ...condition("mode = ?::smallint", mode)],
    columns: `id, name, url, events, signature_scheme, concurrency_max, include, enabled, disabled_reason, created_at,
      updated_at, find_next_secret_at(endpoints) as next_secret_at`,
    page,
  });
}

/** Its signature scheme, which stays until the transaction ends; undefined if there is no such endpoint. */
export async function lockScheme(
  db: ClientBase,
  { projectId, mode }: Tenant,
  id: string,
): Promise<string | undefined> {
  const [endpoint] = await statements.lockEndpoint(db, { id, projectId, mode });
  return endpoint?.signature_scheme;
}

/** Undefined fields stay. */
export interface EndpointChange {
  url: string | undefined;
  events: string[] | undefined;
  signatureScheme: string | undefined;
  concurrencyMax: number | undefined;
  include: string[] | undefined;
  enabled: boolean | undefined;
}

/** False if there is no such endpoint. */
export async function updateEndpoint(
  db: ClientBase,
  { projectId, mode }: Tenant,
  { id, ...change }: EndpointChange & { id: string },
): Promise<boolean> {
  const { url, events, signatureScheme, concurrencyMax, include, enabled } = change;
  const updated = await statements.updateEndpoint(db, {
    id,
    projectId,
    mode,
    url: url ?? null,
    events: events ?? null,
    signatureScheme: signatureScheme ?? null,
    concurrencyMax: concurrencyMax ?? null,
    include: include ?? null,
    enabled: enabled ?? null,
  });
  return updated === 1;
}

/** False if there is no such endpoint, or it is the default one. */
export async function deleteEndpoint(
  db: ClientBase,
  { projectId, mode }: Tenant,
  id: string,
): Promise<boolean> {
  return (await statements.deleteEndpoint(db, { id, projectId, mode })) === 1;
}
