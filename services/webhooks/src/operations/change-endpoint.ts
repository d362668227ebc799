import { Failure } from "@pay/failures";
import type { DeleteEndpointRequest, UpdateEndpointRequest } from "@pay/proto";
import { parseTenant, type Tenant } from "@pay/rpc";
import type { ClientBase } from "pg";
import type { Deps } from "../deps.ts";
import { createWebhookSecret, type Scheme } from "../domain/signature.ts";
import { changeEndpoint } from "../storage/endpoint-changes.ts";
import * as endpoints from "../storage/endpoints.ts";
import { replaceSecret } from "../storage/secrets.ts";
import { createEndpointNotFound, readEndpoint } from "./read-endpoints.ts";

const STANDARD: Scheme = "standard";

/**
 * The url of a default endpoint is the project's callbackUrl and changes only with it. An endpoint that changes to
 * scheme standard gets a new secret, because an older one may not be base64; the response contains it.
 */
export async function updateEndpoint(deps: Deps, request: UpdateEndpointRequest) {
  const { db, box } = deps;
  const tenant = parseTenant(request.tenant);
  const { id, url, signatureScheme, concurrencyMax, enabled, changedBy } = request;
  if (url !== undefined) {
    const before = await endpoints.findEndpoint(db.pool, tenant, id);
    if (before !== undefined && before.name !== null && before.url !== url) {
      throw createDefaultEndpointFailure("its url is the project's callbackUrl");
    }
  }
  const { events: { events } = {}, include: { fields: include } = {} } = request;
  const change = { id, url, events, signatureScheme, concurrencyMax, include, enabled };
  const secret = createWebhookSecret();
  const { isFound, isReplaced } = await changeEndpoint(db.pool, changedBy, async (tx) => {
    const isReplaced = signatureScheme === STANDARD && (await isOther(tx, tenant, id));
    const replacement = { endpointId: id, sealed: box.seal(secret, id) };
    if (isReplaced) await replaceSecret(tx, tenant, replacement);
    return { isFound: await endpoints.updateEndpoint(tx, tenant, change), isReplaced };
  });
  if (!isFound) throw createEndpointNotFound();
  // Read afterwards: a transaction that waited for another one would take its new secret for the next one.
  return { ...(await readEndpoint(deps, tenant, id)), secret: isReplaced ? secret : "" };
}

/** Whether the endpoint exists and has another scheme than standard. */
async function isOther(tx: ClientBase, tenant: Tenant, id: string): Promise<boolean> {
  const scheme = await endpoints.lockScheme(tx, tenant, id);
  return scheme !== undefined && scheme !== STANDARD;
}

/** Pending deliveries end at their next attempt; the log stays. */
export async function deleteEndpoint({ db }: Deps, request: DeleteEndpointRequest) {
  const tenant = parseTenant(request.tenant);
  const { id, changedBy } = request;
  const isDeleted = await changeEndpoint(db.pool, changedBy, (tx) =>
    endpoints.deleteEndpoint(tx, tenant, id),
  );
  if (isDeleted) return { id };
  if ((await endpoints.findEndpoint(db.pool, tenant, id)) === undefined)
    throw createEndpointNotFound();
  throw createDefaultEndpointFailure("it is removed by a callbackUrl of null");
}

function createDefaultEndpointFailure(consequence: string): Failure {
  return new Failure("endpoint_default", `This is the project's default endpoint: ${consequence}`);
}
