import { z } from "zod";
import { tenantOf } from "../caller.ts";
import type { Deps } from "../deps.ts";
import * as field from "../fields.ts";
import { type Call, route } from "../route.ts";
import {
  CUSTOMER_EXTRAS,
  CUSTOMER_ITEM_EXTRAS,
  customerItem,
  readCustomer,
  renderCustomer,
} from "../shapes/customer.ts";
import { listShape } from "../shapes/shape.ts";
import { ownCustomer } from "../sso/ownership.ts";
import { given, present } from "./call.ts";
import { pageOf, rendersNothing, rendersPage } from "./page.ts";

const filters = z.object({
  ...field.pageFields("cust"),
  walletAddress: field.address().optional(),
  expand: field.listOf(CUSTOMER_ITEM_EXTRAS).optional(),
});

const listCustomers = async (
  call: Call<z.output<typeof filters>>,
  deps: Deps,
  walletAddress = call.query.walletAddress,
) => {
  const { caller, query } = call;
  const answer = await deps.customers.listCustomers(
    { tenant: tenantOf(caller), page: pageOf(query), ...given("walletAddress", walletAddress) },
    deps.callOptions(call),
  );
  const items = answer.customers.map((customer) => renderCustomer(customer, query.expand));
  return rendersPage(call, answer, items);
};

const customers = {
  method: "GET",
  auth: "secret",
  scope: "customers:read",
  tag: "Customers",
  limit: "standard",
  success: 200,
} as const;

export const readCustomerRoutes = [
  route({
    ...customers,
    path: "/v1/customers/{id}",
    id: { prefix: "cust", noun: "Customer" },
    summary: "Read a customer",
    query: z.object({ expand: field.listOf(CUSTOMER_EXTRAS).optional() }),
    response: readCustomer,
    handle: async (call, deps) => {
      const { caller, params, query } = call;
      const request = { tenant: tenantOf(caller), id: params.id };
      const { customer } = await deps.customers.getCustomer(request, deps.callOptions(call));
      return renderCustomer(present(customer), query.expand);
    },
    session: {
      handle: async (call, deps) =>
        renderCustomer(await ownCustomer(call, deps, call.params.id), call.query.expand),
    },
  }),
  route({
    ...customers,
    path: "/v1/customers",
    summary: "List customers, newest first",
    query: filters,
    response: listShape(customerItem),
    handle: (call, deps) => listCustomers(call, deps),
    session: {
      handle: async (call, deps) => {
        const { wallet } = call.shopper;
        const asked = call.query.walletAddress?.toLowerCase() ?? wallet;
        const own = wallet !== null && asked === wallet;
        return own ? listCustomers(call, deps, wallet) : rendersNothing(call);
      },
    },
  }),
];
