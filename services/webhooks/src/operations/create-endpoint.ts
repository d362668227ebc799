import { Failure } from "@pay/failures";
import type { CreateEndpointRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { newId, toBase62 } from "@pay/values";
import type { Deps } from "../deps.ts";
import { createWebhookSecret } from "../domain/signature.ts";
import { toEndpoint } from "../messages.ts";
import { insertEndpoint } from "../storage/endpoints.ts";
import { findFirstSecret } from "../storage/secrets.ts";

const ENDPOINTS_MAX = 20;
const CONCURRENCY_MAX_DEFAULT = 8;
const ID_DIGITS = 24;

/**
 * The id is derived from the repetition, so that a repeated request creates one endpoint and returns its secret again.
 */
export async function createEndpoint({ db, box }: Deps, request: CreateEndpointRequest) {
  const { tenant, url, events, signatureScheme, enabled, repetition, changedBy } = request;
  const owner = parseTenant(tenant);
  const id = repetition.length === 0 ? newId("we") : `we_${toBase62(repetition, ID_DIGITS)}`;
  const sealed = box.seal(createWebhookSecret(), id);
  const endpoint = await insertEndpoint(db.pool, owner, {
    id,
    url,
    events,
    signatureScheme,
    concurrencyMax: request.concurrencyMax ?? CONCURRENCY_MAX_DEFAULT,
    include: request.include,
    enabled,
    sealed,
    endpointsMax: ENDPOINTS_MAX,
    changedBy,
  });
  const first = endpoint && (await findFirstSecret(db.pool, owner, id));
  if (endpoint === undefined || first === undefined) {
    throw new Failure(
      "endpoint_count_exhausted",
      `A project has at most ${ENDPOINTS_MAX} webhook endpoints in each mode`,
    );
  }
  return { endpoint: toEndpoint(endpoint), secret: box.open(first, id).toString() };
}
