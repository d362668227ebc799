import { pageOf } from "@pay/database";
import { checksumAddress, isAddress } from "@pay/money";
import type { Customer, ListCustomersRequest } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { listCustomers as list } from "../storage.ts";
import { toMessage } from "../wire.ts";

export const listCustomers = async (
  { prisma }: Deps,
  request: ListCustomersRequest,
): Promise<{ customers: Customer[]; total: bigint; nextAfter: string }> => {
  const tenant = tenantOf(request.tenant);
  const { walletAddress } = request;
  // What is no address belongs to nobody; it is looked for as it is and not found.
  const wallet =
    walletAddress !== undefined && isAddress(walletAddress)
      ? checksumAddress(walletAddress)
      : walletAddress;
  const { customers, total, nextAfter } = await list(prisma, tenant, pageOf(request.page), wallet);
  return {
    customers: customers.map(toMessage),
    total: BigInt(total),
    nextAfter: nextAfter ?? "",
  };
};
