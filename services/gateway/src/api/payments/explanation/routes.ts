import { route } from "../../../pipeline/route.ts";
import { paymentExplanation, renderExplanation } from "./response.ts";

export const explainPaymentRoute = route({
  auth: "secret",
  tag: "Payments",
  limit: "standard",
  id: { prefix: "pay", noun: "Payment" },
  scope: "payments:read",
  summary: "Explain why a payment has its status",
  response: paymentExplanation,
  success: 200,
  handle: async ({ params, services }, { clock }) => {
    const payment = await services.payments.getPayment({ id: params.id });
    const examined = await services.chains.explainPayment({ paymentId: params.id });
    const { transactions, finality } = examined;
    return renderExplanation({ payment, transactions, finality, now: clock.now() });
  },
});
