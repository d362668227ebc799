import type { MessageInitShape } from "@bufbuild/protobuf";
import { Failure, toItemFailure } from "@pay/failures";
import type { CheckRefundableRequest, CheckRefundableResponseSchema } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { checkOpen, newBalance, reserveDeclared, updateReceived } from "../domain/balance.ts";
import { findBalance } from "../storage/refunds.ts";
import { findPayment } from "./find-payment.ts";

/** Reads alone: a creation judges again, under the lock of the balance. */
export async function checkRefundable(
  { db, payments }: Pick<Deps, "db" | "payments">,
  { tenant: wanted, paymentId: id }: CheckRefundableRequest,
  context: CallContext,
): Promise<MessageInitShape<typeof CheckRefundableResponseSchema>> {
  const tenant = parseTenant(wanted);
  const found = await findPayment({ payments }, { tenant, id, forRefund: false }, context);
  if (found instanceof Failure) throw found;
  const { payment } = found;
  const fresh = newBalance(payment);
  const stored = await findBalance(db.pool, tenant, id);
  const balance = stored === undefined ? fresh : updateReceived(stored, fresh);
  const failure = checkOpen(payment, reserveDeclared(payment, balance));
  return failure === undefined ? {} : { failure: toItemFailure(failure) };
}
