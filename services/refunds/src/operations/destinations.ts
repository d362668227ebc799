import { parsePage } from "@pay/database";
import { Failure } from "@pay/failures";
import { idempotentRequest } from "@pay/idempotency";
import {
  type CreateDestinationRequest,
  type DeleteDestinationRequest,
  type Destination,
  DestinationSchema,
  type ListDestinationsRequest,
} from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { newDestination } from "../domain/address-book.ts";
import { toDestinationMessage } from "../messages.ts";
import * as storage from "../storage/destinations.ts";
import { findMessage, writeMessage } from "../storage/write-message.ts";

export async function createDestination(
  { db, clock, destinationDelayMs: delayMs }: Deps,
  request: CreateDestinationRequest,
): Promise<{ destination: Destination; replayed: boolean }> {
  const tenant = parseTenant(request.tenant);
  const once = {
    idempotent: idempotentRequest(tenant, request.idempotency),
    schema: DestinationSchema,
  };
  if (request.replayOnly) {
    const message = await findMessage(db.pool, once);
    if (message === undefined) throw toNotFound();
    return { destination: message, replayed: true };
  }
  const { message, replayed } = await writeMessage(db.pool, {
    ...once,
    work: async (tx) => {
      const entry = newDestination(tenant, request, { now: clock.now(), delayMs });
      if (entry instanceof Failure) throw entry;
      await storage.insertDestination(tx, entry);
      return toDestinationMessage(entry);
    },
  });
  return { destination: message, replayed };
}

export async function listDestinations(
  { db }: Deps,
  { tenant, page }: ListDestinationsRequest,
): Promise<{ destinations: Destination[]; total: bigint; nextAfter: string }> {
  const found = await storage.listDestinations(db.pool, parseTenant(tenant), parsePage(page));
  const { rows, total, nextAfter } = found;
  return { destinations: rows.map(toDestinationMessage), total: BigInt(total), nextAfter };
}

/** Approved settlements to the address continue; others are not approved any more. */
export async function deleteDestination(
  { prisma }: Deps,
  { tenant, id }: DeleteDestinationRequest,
): Promise<object> {
  if (await storage.deleteDestination(prisma, parseTenant(tenant), id)) return {};
  throw toNotFound();
}

function toNotFound(): Failure {
  return new Failure("settlement_destination_not_found", "Settlement destination not found");
}
