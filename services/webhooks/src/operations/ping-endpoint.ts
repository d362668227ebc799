import type { PingEndpointRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { newId } from "@pay/values";
import type { Deps } from "../deps.ts";
import { toDeliveryId } from "../domain/delivery-id.ts";
import { insertPing } from "../storage/events.ts";
import { findEndpoint } from "../storage/merchant-endpoints.ts";
import { endpointDisabled, endpointNotFound } from "./endpoint-failures.ts";

const TYPE = "ping";

/** An event like any other on its way, so that it passes the same checks of addresses and is logged alike. */
export async function pingEndpoint(
  { db, clock, wakeBacklog }: Deps,
  { tenant, id }: PingEndpointRequest,
) {
  const owner = parseTenant(tenant);
  const endpoint = await findEndpoint(db.pool, owner, id);
  if (endpoint === undefined) throw endpointNotFound();
  if (!endpoint.enabled || endpoint.url === null) throw endpointDisabled();
  const eventId = newId("evt");
  const occurredAt = clock.now();
  const fields = { id: eventId, type: TYPE, endpointId: id, createdAt: occurredAt.toISOString() };
  const body = Buffer.from(JSON.stringify(fields));
  const made = await insertPing(db.pool, owner, {
    id: eventId,
    type: TYPE,
    endpointId: id,
    body,
    occurredAt,
  });
  wakeBacklog();
  return { eventId, deliveryId: toDeliveryId(made) };
}
