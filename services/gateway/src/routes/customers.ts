import { z } from "zod";
import { tenantOf } from "../caller.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";
import {
  CUSTOMER_EXTRAS,
  CUSTOMER_ITEM_EXTRAS,
  createdCustomer,
  customerItem,
  readCustomer,
  renderCreatedCustomer,
  renderCustomer,
  renderUpdatedCustomer,
  updatedCustomer,
} from "../shapes/customer.ts";
import { listShape } from "../shapes/shape.ts";
import { given, markReplay, present, repeatable } from "./call.ts";
import { pageOf, rendersPage } from "./page.ts";

const creation = z.object({
  walletAddress: field.address(),
  email: field.email().optional(),
  displayName: field.name(100).optional(),
  metadata: field.metadata().optional(),
});

const change = z.object({
  displayName: field.name(100).optional(),
  metadata: field.metadata().optional(),
});

const detailsOf = (body: z.output<typeof change>) => ({
  ...given("displayName", body.displayName),
  ...given("metadataJson", body.metadata && JSON.stringify(body.metadata)),
});

const customers = { auth: "secret", tag: "Customers", limit: "standard" } as const;
const one = {
  path: "/v1/customers/{id}",
  id: { prefix: "cust", noun: "Customer" },
  success: 200,
} as const;

export const customerRoutes = [
  route({
    ...customers,
    method: "POST",
    path: "/v1/customers",
    scope: "customers:write",
    summary: "Create a customer",
    body: creation,
    response: createdCustomer,
    success: 201,
    handle: async (call, deps) => {
      const { body, caller, requestId } = call;
      const answer = await deps.customers.createCustomer(
        {
          tenant: tenantOf(caller),
          requestId,
          ...repeatable(call),
          walletAddress: body.walletAddress,
          ...given("email", body.email),
          ...detailsOf(body),
        },
        deps.callOptions(call),
      );
      markReplay(call, answer);
      return renderCreatedCustomer(present(answer.customer));
    },
  }),
  route({
    ...customers,
    ...one,
    method: "GET",
    scope: "customers:read",
    summary: "Read a customer",
    query: z.object({ expand: field.listOf(CUSTOMER_EXTRAS).optional() }),
    response: readCustomer,
    handle: async (call, deps) => {
      const { caller, params, query } = call;
      const request = { tenant: tenantOf(caller), id: params.id };
      const { customer } = await deps.customers.getCustomer(request, deps.callOptions(call));
      return renderCustomer(present(customer), query.expand);
    },
  }),
  route({
    ...customers,
    method: "GET",
    path: "/v1/customers",
    scope: "customers:read",
    summary: "List customers, newest first",
    query: z.object({
      ...field.pageFields("cust"),
      walletAddress: field.address().optional(),
      expand: field.listOf(CUSTOMER_ITEM_EXTRAS).optional(),
    }),
    response: listShape(customerItem),
    success: 200,
    handle: async (call, deps) => {
      const { caller, query } = call;
      const answer = await deps.customers.listCustomers(
        {
          tenant: tenantOf(caller),
          page: pageOf(query),
          ...given("walletAddress", query.walletAddress),
        },
        deps.callOptions(call),
      );
      const items = answer.customers.map((customer) => renderCustomer(customer, query.expand));
      return rendersPage(call, answer, items);
    },
  }),
  route({
    ...customers,
    ...one,
    method: "PUT",
    scope: "customers:write",
    summary: "Change a customer's name or metadata; absent fields stay",
    body: change,
    response: updatedCustomer,
    handle: async (call, deps) => {
      const { body, caller, params, requestId } = call;
      const { customer } = await deps.customers.updateCustomer(
        { tenant: tenantOf(caller), requestId, id: params.id, ...detailsOf(body) },
        deps.callOptions(call),
      );
      return renderUpdatedCustomer(present(customer));
    },
  }),
  route({
    ...customers,
    ...one,
    method: "DELETE",
    scope: "customers:write",
    summary: "Erase a customer; payments and refunds stay readable",
    response: z.strictObject({ deleted: z.literal(true), id: z.string() }),
    handle: async (call, deps) => {
      const { caller, params, requestId } = call;
      const request = { tenant: tenantOf(caller), requestId, id: params.id };
      const { id } = await deps.customers.deleteCustomer(request, deps.callOptions(call));
      return { deleted: true, id };
    },
  }),
];
