import { create, toBinary } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import { encodeAnswer, encodeFailure } from "@pay/idempotency";
import { CustomerSchema, type DeleteCustomerRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { eraseCustomer } from "../storage/customers.ts";
import { CUSTOMER_NOT_FOUND } from "./get-customer.ts";

/** The id is kept, so that payments stay readable. */
export async function deleteCustomer(
  { db, clock }: Deps,
  { tenant, id }: DeleteCustomerRequest,
): Promise<{ id: string }> {
  const change = {
    erasedAt: clock.now(),
    responseStart: writeStart(id),
    response: encodeFailure(ERASED),
  };
  if (await eraseCustomer(db.pool, parseTenant(tenant), id, change)) return { id };
  throw new Failure("customer_not_found", CUSTOMER_NOT_FOUND);
}

/** The response to a creation that is repeated under its key. */
const ERASED = new Failure("customer_erased", "Customer was erased");

/** Fields are written in the order of their numbers, so every stored response that shows a customer begins alike. */
function writeStart(id: string): Uint8Array {
  return encodeAnswer(toBinary(CustomerSchema, create(CustomerSchema, { id })));
}
