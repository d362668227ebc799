import { z } from "zod";
import { tenantOf } from "../caller.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";
import {
  createdCustomer,
  renderCreatedCustomer,
  renderUpdatedCustomer,
  updatedCustomer,
} from "../shapes/customer.ts";
import { given, markReplay, present, repeatable } from "./call.ts";

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
