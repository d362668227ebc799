import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Failure } from "@pay/failures";
import type { RecoverEndpointRequest, RedeliverRequest } from "@pay/proto";
import { parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { parseDeliveryId } from "../domain/delivery-id.ts";
import { countUndelivered, insertRedelivery, recoverUndelivered } from "../generated/sql.ts";
import { toFullMessage } from "../messages.ts";
import * as log from "../storage/endpoint-log.ts";
import { findEndpoint } from "../storage/endpoints.ts";
import {
  createDeliveryNotFound,
  createEndpointDisabled,
  createEndpointNotFound,
} from "./read-endpoints.ts";

export async function redeliver(
  { db, wakeBacklog }: Deps,
  { tenant, endpointId, id }: RedeliverRequest,
) {
  const owner = parseTenant(tenant);
  const before = await readDelivery({ db }, owner, { endpointId, id });
  await requireReceiver({ db }, owner, endpointId);
  const [made] = await insertRedelivery(db.pool, { id: before.id });
  if (made === undefined) {
    throw new Failure("delivery_pending", "A delivery of this event is still pending");
  }
  wakeBacklog();
  const after = await log.findDelivery(db.pool, owner, { endpointId, id: made.id });
  if (after === undefined) throw createDeliveryNotFound();
  return { delivery: toFullMessage(after) };
}

export async function recoverEndpoint(
  { db, wakeBacklog }: Deps,
  { tenant, id, since, until, dryRun }: RecoverEndpointRequest,
) {
  if (since === undefined) throw new Failure("call_malformed", "since is required");
  await requireReceiver({ db }, parseTenant(tenant), id);
  const wanted = {
    endpointId: id,
    since: timestampDate(since),
    until: until === undefined ? null : timestampDate(until),
  };
  if (dryRun) {
    const [undelivered] = await countUndelivered(db.pool, wanted);
    return { count: undelivered?.count ?? 0 };
  }
  const count = await recoverUndelivered(db.pool, wanted);
  wakeBacklog();
  return { count };
}

export async function readDelivery(
  { db }: Pick<Deps, "db">,
  tenant: Tenant,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<log.FullDelivery> {
  const uuid = parseDeliveryId(id);
  const found =
    uuid === undefined
      ? undefined
      : await log.findDelivery(db.pool, tenant, { endpointId, id: uuid });
  if (found === undefined) throw createDeliveryNotFound();
  return found;
}

/** Deliveries to a disabled endpoint would be parked at once. */
async function requireReceiver({ db }: Pick<Deps, "db">, tenant: Tenant, id: string) {
  const endpoint = await findEndpoint(db.pool, tenant, id);
  if (endpoint === undefined) throw createEndpointNotFound();
  if (!endpoint.enabled || endpoint.url === null) throw createEndpointDisabled();
}
