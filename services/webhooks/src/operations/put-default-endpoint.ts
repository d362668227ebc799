import { Failure } from "@pay/failures";
import type { PutDefaultEndpointRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { newId, newSecret } from "@pay/values";
import type { Deps } from "../deps.ts";
import { changeAs } from "../storage/endpoint-changes.ts";
import { claimDefaultSecret, findDefaultEndpoint, followProjects } from "../storage/endpoints.ts";

/**
 * What the event of the project does too, done before the project's owner is answered; of the two, the one with the
 * newer version counts. The secret is passed on last, when nothing is left that could fail.
 */
export async function putDefaultEndpoint(
  { db, box }: Deps,
  { tenant, url, projectVersion, showSecret, changedBy }: PutDefaultEndpointRequest,
): Promise<{ endpointId: string; secret: string }> {
  const owner = parseTenant(tenant);
  const made = newId("we");
  const sealed = box.seal(newSecret("whsec_"), made);
  const address = { url: url ?? null, version: projectVersion };
  await changeAs(db.pool, changedBy, (tx) =>
    followProjects(tx, [{ ...owner, ...address, id: made, sealed }]),
  );
  const endpoint = showSecret
    ? await claimDefaultSecret(db.pool, owner)
    : { id: await findDefaultEndpoint(db.pool, owner), sealed: null };
  if (endpoint?.id === undefined)
    throw new Failure("endpoint_unavailable", "The endpoint is not there yet");
  const { id: endpointId, sealed: unseen } = endpoint;
  return { endpointId, secret: unseen === null ? "" : box.open(unseen, endpointId).toString() };
}
