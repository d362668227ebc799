import { toAddress } from "@pay/values";
import type { z } from "zod";
import { type Call, route } from "../../pipeline/route.ts";
import { findOwnCustomer } from "../../sessions/ownership.ts";
import { IDS } from "../example-values.ts";
import { deleted } from "../field-values.ts";
import { getPage, renderEmptyPage, renderPage, toPeriod } from "../page.ts";
import { listShape, requireField } from "../response-fields.ts";
import {
  customerChange,
  customerCreation,
  customerExpansion,
  customerFilters,
  toDetails,
} from "./request.ts";
import {
  CUSTOMER_EXTRAS_OF_SESSIONS,
  createdCustomer,
  customerItem,
  readCustomer,
  renderCreatedCustomer,
  renderCustomer,
  renderUpdatedCustomer,
  updatedCustomer,
} from "./response.ts";

const customers = { auth: "secret", tag: "Customers", limit: "standard" } as const;
const CUSTOMER = { prefix: "cust", noun: "Customer" } as const;

async function listCustomers(
  call: Call<z.output<typeof customerFilters>>,
  walletAddress = call.query.walletAddress,
) {
  const { query, services } = call;
  const answer = await services.customers.listCustomers({
    page: getPage(query),
    walletAddress,
    name: query.name,
    ...toPeriod(query),
  });
  const items = answer.customers.map((customer) => renderCustomer(customer, query.expand));
  return renderPage(call, answer, items);
}

export const readCustomerRoute = route({
  ...customers,
  id: CUSTOMER,
  scope: "customers:read",
  summary: "Read a customer",
  query: customerExpansion,
  response: readCustomer,
  success: 200,
  handle: async ({ params, query, services }) => {
    const { customer } = await services.customers.getCustomer({ id: params.id });
    return renderCustomer(requireField(customer), query.expand);
  },
  session: {
    shown: CUSTOMER_EXTRAS_OF_SESSIONS,
    handle: async (call) =>
      renderCustomer(await findOwnCustomer(call, call.params.id), call.query.expand),
  },
});

export const listCustomersRoute = route({
  ...customers,
  scope: "customers:read",
  summary: "List customers, newest first",
  query: customerFilters,
  response: listShape("CustomerList", customerItem),
  success: 200,
  handle: (call) => listCustomers(call),
  session: {
    handle: async (call) => {
      const { wallet } = call.shopper;
      const asked = call.query.walletAddress;
      const own = wallet !== null && (asked === undefined || toAddress(asked) === wallet);
      return own ? listCustomers(call, wallet) : renderEmptyPage(call);
    },
  },
});

export const createCustomerRoute = route({
  ...customers,
  scope: "customers:write",
  summary: "Create a customer",
  example: {
    request: { email: "zoe@shop.example", displayName: "Zoë", metadata: { plan: "gold" } },
    response: { email: "zoe@shop.example", metadata: { plan: "gold" } },
  },
  body: customerCreation,
  response: createdCustomer,
  success: 201,
  failures: ["customer_erased"],
  handle: async (call) => {
    const { walletAddress, email, ...details } = call.body;
    const idempotency = call.idempotency();
    const wanted = { walletAddress, email, ...toDetails(details), idempotency };
    const answer = await call.services.customers.createCustomer(wanted);
    call.noteReplay(answer);
    return renderCreatedCustomer(requireField(answer.customer));
  },
});

export const changeCustomerRoute = route({
  ...customers,
  id: CUSTOMER,
  scope: "customers:write",
  summary: "Change a customer's name or metadata; absent fields stay",
  example: {
    request: { displayName: "Zoë", metadata: { plan: "gold" } },
    response: { metadata: { plan: "gold" } },
  },
  body: customerChange,
  response: updatedCustomer,
  success: 200,
  failures: ["state_contended"],
  handle: async ({ body, params, services }) => {
    const change = { id: params.id, ...toDetails(body) };
    const { customer } = await services.customers.updateCustomer(change);
    return renderUpdatedCustomer(requireField(customer));
  },
});

export const deleteCustomerRoute = route({
  ...customers,
  id: CUSTOMER,
  scope: "customers:write",
  confirmed: true,
  summary: "Erase a customer; payments and refunds are kept",
  example: { response: { id: IDS.cust } },
  response: deleted,
  success: 200,
  handle: async ({ params, services }) => {
    const { id } = await services.customers.deleteCustomer({ id: params.id });
    return { deleted: true, id };
  },
});
