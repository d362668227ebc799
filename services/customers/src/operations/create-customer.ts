import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { planColumns } from "@pay/database";
import { Failure } from "@pay/failures";
import { idempotentRequest, writeOnce } from "@pay/idempotency";
import {
  type CreateCustomerRequest,
  CreateCustomerRequestSchema,
  type Customer,
  CustomerSchema,
} from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { newCustomer } from "../domain/customer.ts";
import { toEvent, toMessage } from "../messages.ts";
import { insertCustomer } from "../storage/customers.ts";

const listColumns = planColumns(CreateCustomerRequestSchema);

export async function createCustomer(
  { db, clock, relay }: Deps,
  request: CreateCustomerRequest,
): Promise<{ customer: Customer; replayed: boolean }> {
  const tenant = parseTenant(request.tenant);
  const { request_id, ...given } = listColumns(request);
  const customer = newCustomer(tenant, given, clock.now());
  if (customer === undefined) {
    throw new Failure("field_invalid", "walletAddress must be a valid address");
  }
  const message = toMessage(customer);
  const event = toEvent("customer.created", customer, request.requestId);

  const idempotent = idempotentRequest(tenant, request.idempotency);
  if (idempotent === undefined) {
    await insertCustomer(db.pool, customer, event);
    relay.wake();
    return { customer: message, replayed: false };
  }
  const { response, replayed } = await writeOnce(db.pool, idempotent, async (tx) => {
    await insertCustomer(tx, customer, event);
    return toBinary(CustomerSchema, message);
  });
  relay.wake();
  return { customer: fromBinary(CustomerSchema, response), replayed };
}
