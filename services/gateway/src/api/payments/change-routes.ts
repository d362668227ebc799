// What a merchant changes of a payment besides its transactions.
import { route } from "../../pipeline/route.ts";
import { TX_HASH } from "../example-values.ts";
import { cancelPayment, resolvePayment } from "./change-payment.ts";
import { resolution } from "./request.ts";
import { changedPayment } from "./response.ts";

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
  example: { response: { status: "expired", failureCode: "cancelled" } },
  failures: ["payment_status_invalid", "state_contended"],
  handle: cancelPayment,
});

export const resolvePaymentRoute = route({
  ...changing,
  summary: "Accept or reject money that came after a payment had expired",
  example: { response: { status: "expired", txHash: TX_HASH, failureCode: "late" } },
  body: resolution,
  failures: [
    "payment_status_invalid",
    "late_transfer_missing",
    "late_transfer_accepted",
    "state_contended",
  ],
  handle: resolvePayment,
});
