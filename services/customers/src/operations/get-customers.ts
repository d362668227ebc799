import type { BatchGetCustomersRequest, Customer } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { checksumAddress, isAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import { toMessage } from "../messages.ts";
import { findCustomers, findCustomersOfWallets } from "../storage/customers.ts";

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
