import { Failure } from "@pay/failures";
import type { BatchGetCustomersRequest, Customer, GetCustomerRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { checksumAddress, isAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import { toMessage } from "../messages.ts";
import { findCustomers, findCustomersOfWallets } from "../storage/customers.ts";

export const CUSTOMER_NOT_FOUND = "Customer not found";

/** By id; by wallet where the request names no id. */
export async function getCustomer(
  deps: Deps,
  { tenant, id, walletAddress }: GetCustomerRequest,
): Promise<{ customer: Customer }> {
  const name =
    id === "" ? { ids: [], walletAddresses: [walletAddress] } : { ids: [id], walletAddresses: [] };
  const { customers, ofWallets } = await getCustomers(deps, { tenant, ...name });
  const [customer] = [...customers, ...ofWallets];
  if (customer === undefined) throw new Failure("customer_not_found", CUSTOMER_NOT_FOUND);
  return { customer };
}

/** The customers of the project that the ids name, and those that the wallets belong to. */
export async function getCustomers(
  { db, prisma }: Deps,
  {
    tenant: owner,
    ids,
    walletAddresses,
  }: Pick<BatchGetCustomersRequest, "tenant" | "ids" | "walletAddresses">,
): Promise<{ customers: Customer[]; ofWallets: Customer[] }> {
  const tenant = parseTenant(owner);
  const wallets = walletAddresses.filter(isAddress).map(checksumAddress);
  const [named, owners] = await Promise.all([
    ids.length === 0 ? [] : findCustomers(prisma, tenant, ids),
    wallets.length === 0 ? [] : findCustomersOfWallets(db.pool, tenant, wallets),
  ]);
  return { customers: named.map(toMessage), ofWallets: owners.map(toMessage) };
}
