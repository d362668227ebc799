// Signing secrets of an endpoint: the one in force and, during a rotation, the next one.
import { getConstraint, type Queryable } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import * as statements from "../generated/sql.ts";

export async function findFirstSecret(
  db: Queryable,
  { projectId }: Tenant,
  endpointId: string,
): Promise<Buffer | undefined> {
  const [secret] = await statements.findFirstSecret(db, { projectId, endpointId });
  return secret?.sealed;
}

/** False if there is no such endpoint. */
export async function addNextSecret(
  db: Queryable,
  { projectId, mode }: Tenant,
  next: { endpointId: string; sealed: Buffer; overlapSeconds: number },
): Promise<boolean> {
  try {
    return (await statements.addNextSecret(db, { ...next, projectId, mode })) === 1;
  } catch (error) {
    if (getConstraint(error) !== "secrets_pkey") throw error;
    throw new Failure("state_contended", "The secret is being rotated by another request", {
      cause: error,
    });
  }
}

/** Puts a new secret in force at once. The caller has locked the endpoint. */
export async function replaceSecret(
  db: Queryable,
  tenant: Tenant,
  secret: { endpointId: string; sealed: Buffer },
): Promise<void> {
  await addNextSecret(db, tenant, { ...secret, overlapSeconds: 0 });
}

/** False if there is no next secret. */
export async function activateNextSecret(
  db: Queryable,
  { projectId, mode }: Tenant,
  endpointId: string,
): Promise<boolean> {
  return (await statements.activateNextSecret(db, { endpointId, projectId, mode })) === 1;
}
