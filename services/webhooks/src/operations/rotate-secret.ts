import { Failure } from "@pay/failures";
import type { ActivateSecretRequest, RotateSecretRequest } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import { newSecret } from "@pay/values";
import type { Deps } from "../deps.ts";
import { activateNextSecret, insertNextSecret } from "../storage/secrets.ts";
import { endpointNotFound } from "./endpoint-failures.ts";
import { readEndpoint } from "./read-endpoints.ts";

const OVERLAP_MAX_S = 604_800;

export async function rotateSecret(deps: Deps, request: RotateSecretRequest) {
  const { tenant, id, overlapSeconds } = request;
  if (overlapSeconds < 0 || overlapSeconds > OVERLAP_MAX_S) {
    throw new Failure("call_malformed", `overlapSeconds must be 0 to ${OVERLAP_MAX_S}`);
  }
  const secret = newSecret("whsec_");
  const sealed = deps.box.seal(secret, id);
  const next = { endpointId: id, sealed, overlapSeconds };
  if (!(await insertNextSecret(deps.db.pool, tenantOf(tenant), next))) throw endpointNotFound();
  return { ...(await readEndpoint(deps, tenantOf(tenant), id)), secret };
}

export async function activateSecret(deps: Deps, request: ActivateSecretRequest) {
  const { tenant, id } = request;
  const activated = await activateNextSecret(deps.db.pool, tenantOf(tenant), id);
  const answer = await readEndpoint(deps, tenantOf(tenant), id);
  if (activated) return answer;
  throw new Failure("secret_not_rotating", "No secret waits to come into force");
}
