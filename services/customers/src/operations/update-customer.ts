import { planColumns, retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import { type Customer, type UpdateCustomerRequest, UpdateCustomerRequestSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { replaceFields } from "../domain/customer.ts";
import { toEvent, toMessage } from "../messages.ts";
import { findCustomers, updateCustomer as update } from "../storage/customers.ts";
import { CUSTOMER_NOT_FOUND } from "./get-customer.ts";

const listColumns = planColumns(UpdateCustomerRequestSchema);

/** Reads, decides, writes under guard; when the customer changed meanwhile, decides again on what it is now. */
export async function updateCustomer(
  { db, prisma, clock, relay }: Deps,
  request: UpdateCustomerRequest,
): Promise<{ customer: Customer }> {
  const tenant = parseTenant(request.tenant);
  const { request_id, id, ...replacement } = listColumns(request);
  return retryOnStaleVersion("customer", async () => {
    const [customer] = await findCustomers(prisma, tenant, [id]);
    if (customer === undefined) throw new Failure("customer_not_found", CUSTOMER_NOT_FOUND);
    const next = replaceFields(customer, replacement, clock.now());
    if (next === undefined) return { customer: toMessage(customer) };
    const event = toEvent("customer.updated", next, request_id);
    if (!(await update(db.pool, next, event))) return undefined;
    relay.wake();
    return { customer: toMessage(next) };
  });
}
