import { Failure } from "@pay/failures";
import { type CreateDefaultEndpointRequest, Mode } from "@pay/proto";
import { newId, newSecret } from "@pay/values";
import type { Deps } from "../deps.ts";
import { claimDefaultSecret, insertDefaultEndpoint } from "../storage/default-endpoints.ts";

/**
 * Creates the live endpoint and its secret, unless the project's event has already done so. Only the first caller gets
 * the secret.
 */
export async function createDefaultEndpoint(
  { db, box }: Deps,
  { projectId }: CreateDefaultEndpointRequest,
): Promise<{ endpointId: string; secret: string }> {
  if (projectId === "") throw new Failure("call_malformed", "projectId is required");
  const owner = { projectId, mode: Mode.LIVE };
  const endpointId = newId("we");
  const secret = newSecret("whsec_");
  const sealed = box.seal(secret, endpointId);
  if (await insertDefaultEndpoint(db.pool, { ...owner, id: endpointId, sealed })) {
    return { endpointId, secret };
  }
  const existing = await claimDefaultSecret(db.pool, owner);
  if (existing === undefined)
    throw new Failure("endpoint_unavailable", "The endpoint does not exist yet");
  const { id, sealed: unseen } = existing;
  return { endpointId: id, secret: unseen === null ? "" : box.open(unseen, id).toString() };
}
