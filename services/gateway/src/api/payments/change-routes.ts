// What a merchant changes of a payment besides its transactions.
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import { route } from "../../pipeline/route.ts";
import { present } from "../service-answers.ts";
import { resolution } from "./request.ts";
import { changedPayment, renderChanged } from "./response.ts";

const changing = {
  auth: "secret",
  tag: "Payments",
  limit: "standard",
  id: { prefix: "pay", noun: "Payment" },
  scope: "payments:write",
  response: changedPayment,
  success: 200,
} as const;

export const cancelPaymentRoute = route({
  ...changing,
  summary: "Cancel a payment that no one has paid",
  failures: ["payment_status_invalid", "state_contended"],
  handle: (call, deps) =>
    forwardOnce(deps, call, {
      write: async () => {
        const { payment } = await call.services.payments.cancelPayment({ id: call.params.id });
        return renderChanged(present(payment));
      },
    }),
});

export const resolvePaymentRoute = route({
  ...changing,
  summary: "Accept or reject money that came after a payment had expired",
  body: resolution,
  failures: [
    ...(["payment_status_invalid", "late_transfer_missing", "late_transfer_accepted"] as const),
    "state_contended",
  ],
  handle: (call, deps) =>
    forwardOnce(deps, call, {
      write: async () => {
        const accept = call.body.action === "accept";
        const { id } = call.params;
        const { payment } = await call.services.payments.resolvePayment({ id, accept });
        return renderChanged(present(payment));
      },
    }),
});
