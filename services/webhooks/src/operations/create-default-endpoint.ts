import { newId, newSecret } from "@pay/money";
import type { CreateDefaultEndpointRequest } from "@pay/proto";
import { Failure } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { open, seal } from "../domain/sealing.ts";
import { claimDefaultSecret, insertDefaultEndpoint } from "../storage/endpoints.ts";

/**
 * The endpoint and its secret are born together, here or by the news of the project, whichever comes first; the
 * database lets only one be. The secret is shown to the first who asks, and to nobody after.
 */
export const createDefaultEndpoint = async (
  { db, sealingKeys }: Deps,
  { projectId }: CreateDefaultEndpointRequest,
): Promise<{ endpointId: string; secret: string }> => {
  if (projectId === "") throw new Failure("invalid_argument", "projectId is required");
  const endpointId = newId("we");
  const secret = newSecret("whsec_");
  const sealed = seal(sealingKeys, endpointId, secret);
  if (await insertDefaultEndpoint(db.pool, { id: endpointId, projectId, sealed })) {
    return { endpointId, secret };
  }
  const existing = await claimDefaultSecret(db.pool, projectId);
  if (existing === undefined) throw new Failure("unavailable", "The endpoint is not there yet");
  const { id, sealed: unseen } = existing;
  return { endpointId: id, secret: unseen === null ? "" : open(sealingKeys, id, unseen) };
};
