import { Failure } from "@pay/failures";
import type { ActivateSecretRequest, RotateSecretRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { createWebhookSecret } from "../domain/signature.ts";
import { changeEndpoint } from "../storage/endpoint-changes.ts";
import { activateNextSecret, addNextSecret } from "../storage/secrets.ts";
import { createEndpointNotFound, readEndpoint } from "./read-endpoints.ts";

const OVERLAP_MAX_S = 604_800;

export async function rotateSecret(deps: Deps, request: RotateSecretRequest) {
  const { tenant, id, overlapSeconds, changedBy } = request;
  if (overlapSeconds < 0 || overlapSeconds > OVERLAP_MAX_S) {
    throw new Failure("call_malformed", `overlapSeconds must be 0 to ${OVERLAP_MAX_S}`);
  }
  const secret = createWebhookSecret();
  const sealed = deps.box.seal(secret, id);
  const next = { endpointId: id, sealed, overlapSeconds };
  const isFound = await changeEndpoint(deps.db.pool, changedBy, (tx) =>
    addNextSecret(tx, parseTenant(tenant), next),
  );
  if (!isFound) throw createEndpointNotFound();
  return { ...(await readEndpoint(deps, parseTenant(tenant), id)), secret };
}

export async function activateSecret(deps: Deps, request: ActivateSecretRequest) {
  const { tenant, id, changedBy } = request;
  const activated = await changeEndpoint(deps.db.pool, changedBy, (tx) =>
    activateNextSecret(tx, parseTenant(tenant), id),
  );
  const response = await readEndpoint(deps, parseTenant(tenant), id);
  if (activated) return response;
  throw new Failure("secret_not_rotating", "The endpoint has no next secret");
}
