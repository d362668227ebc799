import { z } from "zod";
import { tenantOf } from "../caller.ts";
import type { Deps } from "../deps.ts";
import * as field from "../fields.ts";
import { firstAnswer } from "../first-answer.ts";
import { type Call, route } from "../route.ts";
import {
  refundedPayment,
  renderRefunded,
  renderSubmitted,
  submittedPayment,
} from "../shapes/payment.ts";
import { ownPayment } from "../sso/ownership.ts";
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

/** Either the shopper proves by the secret that the payment is theirs, or the caller vouches for it. */
const submit = (
  call: Call<unknown, z.output<typeof submission>>,
  deps: Deps,
  authority: { clientSecret: string } | { trusted: true },
  /** Who vouches, where the request itself does not say it. */
  voucher = "",
) => {
  const { body, caller, params, requestId } = call;
  const write = async () =>
    renderSubmitted(
      await deps.submitTransaction({
        tenant: tenantOf(caller),
        requestId,
        id: params.id,
        txHash: body.txHash,
        ...given("payerAddress", body.payerAddress),
        ...authority,
      }),
    );
  return firstAnswer(deps, call, write, voucher);
};

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
    handle: (call, deps) => submit(call, deps, { clientSecret: call.body.clientSecret }),
    session: {
      body: confirmation.partial({ clientSecret: true }),
      handle: async (call, deps) => {
        const { clientSecret } = call.body;
        if (clientSecret !== undefined) return submit(call, deps, { clientSecret });
        await ownPayment(call, deps, call.params.id);
        return submit(call, deps, { trusted: true }, call.shopper.wallet ?? "");
      },
    },
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
    handle: (call, deps) => submit(call, deps, { trusted: true }),
  }),
  route({
    ...payment,
    path: "/v1/payments/{id}/refund",
    auth: "secret",
    scope: "refunds:write",
    summary: "Refund the whole of a payment (Variant B)",
    response: refundedPayment,
    limit: "standard",
    handle: (call, deps) =>
      firstAnswer(deps, call, async () => {
        const { caller, params, requestId } = call;
        const answer = await deps.payments.refundPayment(
          { tenant: tenantOf(caller), requestId, id: params.id, ...repeatable(call) },
          deps.callOptions(call),
        );
        markReplay(call, answer);
        return renderRefunded(present(answer.payment));
      }),
  }),
];
