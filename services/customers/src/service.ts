import type { CustomersService } from "@pay/proto";
import type { Handlers } from "@pay/rpc";
import type { Deps } from "./deps.ts";
import { createCustomer } from "./operations/create-customer.ts";
import { deleteCustomer } from "./operations/delete-customer.ts";
import { getCustomer, getCustomers } from "./operations/get-customer.ts";
import { listCustomers } from "./operations/list-customers.ts";
import { updateCustomer } from "./operations/update-customer.ts";

/** The whole surface of the service: each line names an operation. */
export function customersService(deps: Deps): Handlers<typeof CustomersService> {
  return {
    createCustomer: (request) => createCustomer(deps, request),
    getCustomer: (request) => getCustomer(deps, request),
    batchGetCustomers: (request) => getCustomers(deps, request),
    listCustomers: (request, context) => listCustomers(deps, request, context),
    updateCustomer: (request) => updateCustomer(deps, request),
    deleteCustomer: (request) => deleteCustomer(deps, request),
  };
}
