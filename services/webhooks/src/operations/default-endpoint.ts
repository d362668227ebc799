import { Failure } from "@pay/failures";
import {
  type CreateDefaultEndpointRequest,
  Mode,
  type PutDefaultEndpointRequest,
} from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { newId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { createWebhookSecret } from "../domain/signature.ts";
import {
  claimDefaultSecret,
  findDefaultEndpoint,
  insertDefaultEndpoint,
  syncDefaultEndpoints,
} from "../storage/default-endpoints.ts";
import { changeEndpoint } from "../storage/endpoint-changes.ts";

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
  const secret = createWebhookSecret();
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

/**
 * Sets the url before the gateway responds; the project's event repeats it, and the newer version wins. The secret is
 * read last, when nothing else can fail.
 */
export async function putDefaultEndpoint(
  { db, box }: Deps,
  { tenant, url, projectVersion, showSecret, changedBy }: PutDefaultEndpointRequest,
): Promise<{ endpointId: string; secret: string }> {
  const owner = parseTenant(tenant);
  const made = newId("we");
  const sealed = box.seal(createWebhookSecret(), made);
  const address = { url: url ?? null, version: projectVersion };
  await changeEndpoint(db.pool, changedBy, (tx) =>
    syncDefaultEndpoints(tx, [{ ...owner, ...address, id: made, sealed }]),
  );
  const endpoint = showSecret
    ? await claimDefaultSecret(db.pool, owner)
    : { id: await findDefaultEndpoint(db.pool, owner), sealed: null };
  if (endpoint?.id === undefined)
    throw new Failure("endpoint_unavailable", "The endpoint does not exist yet");
  const { id: endpointId, sealed: unseen } = endpoint;
  return { endpointId, secret: unseen === null ? "" : box.open(unseen, endpointId).toString() };
}
