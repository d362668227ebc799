import type { PingEndpointRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { newId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { toDeliveryId } from "../domain/delivery-id.ts";
import { insertPing } from "../generated/sql.ts";
import { findEndpoint } from "../storage/endpoints.ts";
import { createEndpointDisabled, createEndpointNotFound } from "./read-endpoints.ts";

const TYPE = "ping";

/** Sent like any other event, with the same checks and the same log. */
export async function pingEndpoint(
  { db, clock, wakeBacklog }: Deps,
  { tenant, id }: PingEndpointRequest,
) {
  const owner = parseTenant(tenant);
  const endpoint = await findEndpoint(db.pool, owner, id);
  if (endpoint === undefined) throw createEndpointNotFound();
  if (!endpoint.enabled || endpoint.url === null) throw createEndpointDisabled();
  const eventId = newId("evt");
  const occurredAt = clock.now();
  const fields = { id: eventId, type: TYPE, endpointId: id, createdAt: occurredAt.toISOString() };
  const body = Buffer.from(JSON.stringify(fields));
  const [delivery] = await insertPing(db.pool, {
    id: eventId,
    projectId: owner.projectId,
    mode: owner.mode,
    type: TYPE,
    endpointId: id,
    body,
    occurredAt,
  });
  wakeBacklog();
  return { eventId, deliveryId: toDeliveryId(delivery?.id ?? "") };
}
