import { Failure } from "@pay/failures";
import type { GetPayment } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { listSenders } from "../domain/state.ts";
import { toMessage } from "../messages.ts";
import { findPayments } from "../storage/payments.ts";
import { type Answer, tryItem } from "./batch.ts";
import { checkRefund } from "./check-refund.ts";
import { checkSecret, showLivingSecret } from "./check-secret.ts";

export const PAYMENT_NOT_FOUND = "Payment not found";

export async function getPayments(
  deps: Deps,
  requests: GetPayment[],
  context: CallContext,
): Promise<Answer[]> {
  const wanted = requests.map(({ tenant, id }) => ({ tenant: parseTenant(tenant), id }));
  const found = await findPayments(deps.db.pool, wanted);
  const checks = await Promise.all(
    requests.map(({ forRefund }, index) => {
      const payment = found[index];
      if (!forRefund || payment === undefined) return undefined;
      const accounts = listSenders(payment).map(({ address }) => address);
      return checkRefund(deps, { payment, accounts }, context);
    }),
  );
  return requests.map(({ clientSecret, withClientSecret }, index) => {
    const payment = found[index];
    if (payment === undefined) return new Failure("payment_not_found", PAYMENT_NOT_FOUND);
    const refusal =
      clientSecret === undefined ? undefined : checkSecret(deps, clientSecret, payment);
    if (refusal !== undefined) return refusal;
    return tryItem(() => ({
      payment: {
        ...toMessage(payment),
        ...(withClientSecret && { clientSecret: showLivingSecret(deps, payment) }),
      },
      refundCheck: checks[index],
    }));
  });
}
