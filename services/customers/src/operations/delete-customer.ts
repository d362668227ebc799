import { create, toBinary } from "@bufbuild/protobuf";
import { retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import { encodeAnswer, encodeFailure } from "@pay/idempotency";
import { CustomerSchema, type DeleteCustomerRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { eraseFields } from "../domain/customer.ts";
import { toEvent } from "../messages.ts";
import { eraseCustomer, findCustomers } from "../storage/customers.ts";
import { CUSTOMER_NOT_FOUND } from "./get-customer.ts";

/** The id is kept, so that payments stay readable. */
export async function deleteCustomer(
  { db, prisma, clock, relay }: Deps,
  { tenant, id, requestId }: DeleteCustomerRequest,
): Promise<{ id: string }> {
  const owner = parseTenant(tenant);
  const responses = { responseStart: writeStart(id), response: encodeFailure(ERASED) };
  return retryOnStaleVersion("customer", async () => {
    const [known] = await findCustomers(prisma, owner, [id]);
    if (known === undefined) throw new Failure("customer_not_found", CUSTOMER_NOT_FOUND);
    const customer = eraseFields(known, clock.now());
    const event = toEvent("customer.erased", customer, requestId);
    if (!(await eraseCustomer(db.pool, { customer, event }, responses))) return undefined;
    relay.wake();
    return { id };
  });
}

/** The response to a creation that is repeated under its key. */
const ERASED = new Failure("customer_erased", "Customer was erased");

/** Fields are written in the order of their numbers, so every stored response that shows a customer begins alike. */
function writeStart(id: string): Uint8Array {
  return encodeAnswer(toBinary(CustomerSchema, create(CustomerSchema, { id })));
}
