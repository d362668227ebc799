import { Failure } from "@pay/failures";
import type { Customer, GetCustomerRequest } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import { checksumAddress, isAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import { toMessage } from "../messages.ts";
import { findCustomers, findCustomersOfWallets } from "../storage/customers.ts";

export const CUSTOMER_NOT_FOUND = "Customer not found";

export async function getCustomer(
  { db }: Deps,
  request: GetCustomerRequest,
): Promise<{ customer: Customer }> {
  const tenant = tenantOf(request.tenant);
  const { id, walletAddress } = request;
  const byWallet = id === "" && isAddress(walletAddress);
  const [customer] = byWallet
    ? await findCustomersOfWallets(db.pool, tenant, [checksumAddress(walletAddress)])
    : await findCustomers(db.pool, tenant, [id]);
  if (customer === undefined) throw new Failure("customer_not_found", CUSTOMER_NOT_FOUND);
  return { customer: toMessage(customer) };
}
