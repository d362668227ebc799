import { Failure } from "@pay/failures";
import type { Customer, GetCustomerRequest } from "@pay/proto";
import type { Deps } from "../deps.ts";
import { getCustomers } from "./get-customers.ts";

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
