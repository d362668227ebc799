import type { DeleteCustomerRequest } from "@pay/proto";
import { Failure } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { eraseCustomer } from "../storage.ts";
import { CUSTOMER_NOT_FOUND } from "./get-customer.ts";
import { tenantOf } from "./tenant.ts";

/** The id outlives the person, so that payments stay readable. */
export const deleteCustomer = async (
  { db, clock }: Deps,
  { tenant, id }: DeleteCustomerRequest,
): Promise<{ id: string }> => {
  if (await eraseCustomer(db.pool, tenantOf(tenant), id, clock.now())) return { id };
  throw new Failure("not_found", CUSTOMER_NOT_FOUND);
};
