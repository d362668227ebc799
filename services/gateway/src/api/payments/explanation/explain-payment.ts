import type { Call } from "../../../pipeline/route.ts";
import { renderActions } from "./actions.ts";
import { renderExplanation } from "./response.ts";

export async function explainPayment(
  { params: { id }, caller, services }: Pick<Call, "params" | "caller" | "services">,
  now: Date,
) {
  const payment = await services.payments.getPayment({ id });
  const [{ transactions, finality }, changes, { failure }] = await Promise.all([
    services.chains.explainPayment({ paymentId: id }),
    services.payments.listActions({ id }),
    services.refunds.checkRefundable({ paymentId: id }),
  ]);
  const actions = renderActions(caller, [...changes.actions, { name: "refund", failure }]);
  return renderExplanation({ payment, transactions, finality, now, actions });
}
