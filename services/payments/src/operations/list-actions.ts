import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure, toItemFailure } from "@pay/failures";
import type { ListActionsRequest, ListActionsResponseSchema } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { listActions as judgeActions } from "../domain/actions.ts";
import { findPayments } from "../storage/payments.ts";
import { PAYMENT_NOT_FOUND } from "./get-payments.ts";

export async function listActions(
  { db, clock }: Deps,
  { tenant: wanted, id }: ListActionsRequest,
): Promise<MessageInitShape<typeof ListActionsResponseSchema>> {
  const tenant = parseTenant(wanted);
  const [payment] = await findPayments(db.pool, [{ tenant, id }]);
  if (payment === undefined) throw new Failure("payment_not_found", PAYMENT_NOT_FOUND);
  return {
    actions: judgeActions(payment, clock.now()).map(({ name, failure }) => ({
      name,
      ...(failure && { failure: toItemFailure(failure) }),
    })),
  };
}
