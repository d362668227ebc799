import { z } from "zod";
import { tenantOf } from "../caller.ts";
import * as field from "../fields.ts";
import { route } from "../route.ts";
import {
  refundedPayment,
  renderRefunded,
  renderSubmitted,
  submittedPayment,
} from "../shapes/payment.ts";
import { must } from "../validate.ts";
import { given, markReplay, present, repeatable } from "./call.ts";

const SECRET_LENGTH_MAX = 200;

const confirmation = z.object({
  clientSecret: z.string(must("be a string")).max(SECRET_LENGTH_MAX, must("be a client secret")),
  txHash: field.txHash(),
  payerAddress: field.address().optional(),
});

const submission = z.object({
  txHash: field.txHash(),
  payerAddress: field.address().optional(),
});

const payment = {
  method: "POST",
  tag: "Payments",
  id: { prefix: "pay", noun: "Payment" },
  success: 200,
} as const;

export const transactionRoutes = [
  route({
    ...payment,
    path: "/v1/payments/{id}/confirm",
    auth: "publishable",
    summary: "Hand in the transaction of a payment, from the shopper's browser",
    body: confirmation,
    response: submittedPayment,
    limit: "confirm",
    handle: async ({ body, caller, params, requestId }, { submitTransaction }) =>
      renderSubmitted(
        await submitTransaction({
          tenant: tenantOf(caller),
          requestId,
          id: params.id,
          txHash: body.txHash,
          clientSecret: body.clientSecret,
          ...given("payerAddress", body.payerAddress),
        }),
      ),
  }),
  route({
    ...payment,
    path: "/v1/payments/{id}/transaction",
    auth: "secret",
    scope: "payments:write",
    summary: "Hand in the transaction of a payment, from the merchant's server",
    body: submission,
    response: submittedPayment,
    limit: "standard",
    handle: async ({ body, caller, params, requestId }, { submitTransaction }) =>
      renderSubmitted(
        await submitTransaction({
          tenant: tenantOf(caller),
          requestId,
          id: params.id,
          txHash: body.txHash,
          trusted: true,
          ...given("payerAddress", body.payerAddress),
        }),
      ),
  }),
  route({
    ...payment,
    path: "/v1/payments/{id}/refund",
    auth: "secret",
    scope: "refunds:write",
    summary: "Refund the whole of a payment (Variant B)",
    response: refundedPayment,
    limit: "standard",
    handle: async (call, deps) => {
      const { caller, params, requestId } = call;
      const answer = await deps.payments.refundPayment(
        { tenant: tenantOf(caller), requestId, id: params.id, ...repeatable(call) },
        deps.callOptions(call),
      );
      markReplay(call, answer);
      return renderRefunded(present(answer.payment));
    },
  }),
];
