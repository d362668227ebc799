import { checksumAddress, isAddress } from "@pay/money";
import type { Customer, GetCustomerRequest } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findCustomer, findCustomerByWallet } from "../storage.ts";
import { toMessage } from "../wire.ts";

export const CUSTOMER_NOT_FOUND = "Customer not found";

export const getCustomer = async (
  { prisma }: Deps,
  request: GetCustomerRequest,
): Promise<{ customer: Customer }> => {
  const tenant = tenantOf(request.tenant);
  const { id, walletAddress } = request;
  const byWallet = id === "" && isAddress(walletAddress);
  const customer = byWallet
    ? await findCustomerByWallet(prisma, tenant, checksumAddress(walletAddress))
    : await findCustomer(prisma, tenant, id);
  if (customer === null) throw new Failure("not_found", CUSTOMER_NOT_FOUND);
  return { customer: toMessage(customer) };
};
