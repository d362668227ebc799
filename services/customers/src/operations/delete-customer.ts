import { create, toBinary } from "@bufbuild/protobuf";
import { sealAnswer, sealFailure } from "@pay/database";
import { CustomerSchema, type DeleteCustomerRequest } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { eraseCustomer } from "../storage.ts";
import { CUSTOMER_NOT_FOUND } from "./get-customer.ts";

/** The id outlives the person, so that payments stay readable. */
export const deleteCustomer = async (
  { db, clock }: Deps,
  { tenant, id }: DeleteCustomerRequest,
): Promise<{ id: string }> => {
  const change = { now: clock.now(), answersBegin: beginningOf(id), answer: sealFailure(ERASED) };
  if (await eraseCustomer(db.pool, tenantOf(tenant), id, change)) return { id };
  throw new Failure("not_found", CUSTOMER_NOT_FOUND);
};

/** What the creation is answered with when it is repeated under its key. */
const ERASED = new Failure("failed_precondition", "Customer was erased");

/** Fields are written in the order of their numbers, so every stored answer that shows a customer begins alike. */
const beginningOf = (id: string): Uint8Array =>
  sealAnswer(toBinary(CustomerSchema, create(CustomerSchema, { id })));
