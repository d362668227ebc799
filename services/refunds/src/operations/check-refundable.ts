import type { MessageInitShape } from "@bufbuild/protobuf";
import { fromItemFailure, toItemFailure } from "@pay/failures";
import type { CheckRefundableRequest, CheckRefundableResponseSchema } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { checkOpen, newBalance, reserveDeclared, updateReceived } from "../domain/balance.ts";
import { toPayment } from "../messages.ts";
import { findBalance } from "../storage/refunds.ts";

/** Reads alone: a creation judges again, under the lock of the balance. */
export async function checkRefundable(
  { db, payments }: Pick<Deps, "db" | "payments">,
  { tenant: wanted, paymentId: id }: CheckRefundableRequest,
  context: CallContext,
): Promise<MessageInitShape<typeof CheckRefundableResponseSchema>> {
  const tenant = parseTenant(wanted);
  const { results } = await payments.batchGetPayments({ requests: [{ tenant, id }] }, { context });
  const result = results[0]?.result;
  if (result?.case === "failure") throw fromItemFailure(result.value);
  if (result?.case !== "payment") throw new Error("payments returned no result");
  const payment = toPayment(result.value);
  const fresh = newBalance(payment);
  const stored = await findBalance(db.pool, tenant, id);
  const balance = stored === undefined ? fresh : updateReceived(stored, fresh);
  const failure = checkOpen(payment, reserveDeclared(payment, balance));
  return failure === undefined ? {} : { failure: toItemFailure(failure) };
}
