// Default endpoints: a project has one in each mode, and its url follows the project's callbackUrl.
import type { Queryable } from "@pay/database";
import { Mode } from "@pay/proto";
import * as statements from "../generated/sql.ts";

/** The owner of a default endpoint. */
export interface EndpointOwner {
  projectId: string;
  mode: number;
}

/** A default endpoint as it is created if its owner has none yet. */
export interface NewEndpoint extends EndpointOwner {
  id: string;
  sealed: Buffer;
}

function getDefaultName(mode: number): string {
  return mode === Mode.LIVE ? "default" : "default-test";
}

/** False if its owner has one already. */
export async function insertDefaultEndpoint(
  db: Queryable,
  endpoint: NewEndpoint,
): Promise<boolean> {
  const name = getDefaultName(endpoint.mode);
  return (await statements.insertDefaultEndpoint(db, { ...endpoint, name })) === 1;
}

export async function findDefaultEndpoint(
  db: Queryable,
  { projectId, mode }: EndpointOwner,
): Promise<string | undefined> {
  const name = getDefaultName(mode);
  const [endpoint] = await statements.findDefaultEndpoint(db, { projectId, name });
  return endpoint?.id;
}

/** Without the secret if it was shown before. */
export async function claimDefaultSecret(
  db: Queryable,
  { projectId, mode }: EndpointOwner,
): Promise<statements.ClaimDefaultSecretRow | undefined> {
  const [endpoint] = await statements.claimDefaultSecret(db, {
    projectId,
    name: getDefaultName(mode),
  });
  return endpoint;
}

export interface ProjectUrl extends NewEndpoint {
  url: string | null;
  version: number;
}

export async function syncDefaultEndpoints(
  db: Queryable,
  urls: readonly ProjectUrl[],
): Promise<void> {
  const endpoints = urls.map(({ projectId, ...url }) => ({
    ...url,
    project_id: projectId,
    name: getDefaultName(url.mode),
  }));
  await statements.syncDefaultEndpoints(db, { endpoints });
}
