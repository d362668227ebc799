import { checksumAddress, isAddress } from "@pay/money";
import type { BatchGetCustomersRequest, Customer } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findCustomers, findCustomersOfWallets } from "../storage.ts";
import { toMessage } from "../wire.ts";

/** Those of the ids that name a living customer of the project, and whom the wallets belong to. */
export const getCustomers = async (
  { prisma, db }: Deps,
  { tenant: owner, ids, walletAddresses }: BatchGetCustomersRequest,
): Promise<{ customers: Customer[]; ofWallets: Customer[] }> => {
  const tenant = tenantOf(owner);
  const wallets = walletAddresses.filter(isAddress).map(checksumAddress);
  const [named, owners] = await Promise.all([
    ids.length === 0 ? [] : findCustomers(prisma, tenant, ids),
    wallets.length === 0 ? [] : findCustomersOfWallets(db.pool, tenant, wallets),
  ]);
  return { customers: named.map(toMessage), ofWallets: owners.map(toMessage) };
};
