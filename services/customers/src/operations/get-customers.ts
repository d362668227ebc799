import type { BatchGetCustomersRequest, Customer } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findCustomers } from "../storage.ts";
import { toMessage } from "../wire.ts";

/** Those of the ids that name a living customer of the project. */
export const getCustomers = async (
  { prisma }: Deps,
  { tenant, ids }: BatchGetCustomersRequest,
): Promise<{ customers: Customer[] }> => {
  const customers = await findCustomers(prisma, tenantOf(tenant), ids);
  return { customers: customers.map(toMessage) };
};
