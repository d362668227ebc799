import type { Customer, UpdateCustomerRequest } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { replaced } from "../domain/customer.ts";
import { findCustomer, updateCustomer as update } from "../storage.ts";
import { toEvent, toMessage } from "../wire.ts";
import { CUSTOMER_NOT_FOUND } from "./get-customer.ts";

const TRIES_MAX = 4;

/** Reads, decides, writes under guard; when the customer changed meanwhile, decides again on what it is now. */
export const updateCustomer = async (
  { db, prisma, clock, relay }: Deps,
  request: UpdateCustomerRequest,
): Promise<{ customer: Customer }> => {
  const tenant = tenantOf(request.tenant);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const customer = await findCustomer(prisma, tenant, request.id);
    if (customer === null) throw new Failure("not_found", CUSTOMER_NOT_FOUND);
    const next = replaced(customer, request, clock.now());
    if (next === undefined) return { customer: toMessage(customer) };
    const event = toEvent("customer.updated", next, request.requestId);
    if (await update(db.pool, next, event)) {
      relay.wake();
      return { customer: toMessage(next) };
    }
  }
  throw new Failure("unavailable", "The customer is changing too quickly");
};
