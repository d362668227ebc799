import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { idempotently, idempotentRequest } from "@pay/database";
import { type CreateCustomerRequest, type Customer, CustomerSchema } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { newCustomer } from "../domain/customer.ts";
import { insertCustomer } from "../storage.ts";
import { toEvent, toMessage } from "../wire.ts";

export const createCustomer = async (
  { db, clock, relay }: Deps,
  request: CreateCustomerRequest,
): Promise<{ customer: Customer; replayed: boolean }> => {
  const tenant = tenantOf(request.tenant);
  const customer = newCustomer(tenant, request, clock.now());
  if (customer === undefined) {
    throw new Failure("invalid_argument", "walletAddress must be a valid address");
  }
  const message = toMessage(customer);
  const event = toEvent("customer.created", customer, request.requestId);

  const idempotent = idempotentRequest(tenant, request.idempotency);
  if (idempotent === undefined) {
    await insertCustomer(db.pool, customer, event);
    relay.wake();
    return { customer: message, replayed: false };
  }
  const { response, replayed } = await idempotently(db.pool, idempotent, async (tx) => {
    await insertCustomer(tx, customer, event);
    return toBinary(CustomerSchema, message);
  });
  relay.wake();
  return { customer: fromBinary(CustomerSchema, response), replayed };
};
