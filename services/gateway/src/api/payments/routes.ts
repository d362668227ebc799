import { Variant } from "@pay/proto";
import { route } from "../../pipeline/route.ts";
import { findOwner, findOwnPayment } from "../../sessions/ownership.ts";
import { TX_HASH } from "../example-values.ts";
import { renderEmptyPage } from "../page.ts";
import { listShape } from "../response-fields.ts";
import { cancelPayment, resolvePayment } from "./change-payment.ts";
import { checkoutUrl } from "./checkout-url.ts";
import { CREATION_FAILURES, createPayment } from "./create-payment.ts";
import { explainPayment } from "./explanation/explain-payment.ts";
import { paymentExplanation } from "./explanation/response.ts";
import { BY_MERCHANT } from "./proof-of-right.ts";
import { listPayments, showPayment } from "./read-payments.ts";
import { refundPayment } from "./refund-payment.ts";
import { needsClientSecret } from "./relations.ts";
import {
  CREATION_EXAMPLE,
  checkLinks,
  checkRecipient,
  chooseVariant,
  creationExpansion,
  findRecipient,
  merchantSubmission,
  noteVariantB,
  paymentCreation,
  paymentExpansion,
  paymentFilters,
  resolution,
  toOrder,
  VARIANT_HEADER,
} from "./request.ts";
import {
  changedPayment,
  createdPayment,
  PAYMENT_EXTRAS_OF_SESSIONS,
  paymentItem,
  readPayment,
  refundedPayment,
  renderCreated,
  submittedPayment,
} from "./response.ts";
import { SUBMISSION_FAILURES, submitTransaction } from "./submit-transaction.ts";

const payments = { auth: "secret", tag: "Payments", limit: "standard" } as const;
const PAYMENT = { prefix: "pay", noun: "Payment" } as const;

export const createPaymentRoute = route({
  ...payments,
  scope: "payments:write",
  summary: "Create a payment",
  audit: { values: ["amount", "chainId", "currency"] },
  example: { request: CREATION_EXAMPLE },
  headers: [VARIANT_HEADER],
  query: creationExpansion,
  body: paymentCreation,
  response: createdPayment,
  success: 201,
  failures: CREATION_FAILURES,
  handle: async (call, deps) => {
    const variant = chooseVariant(call, call.body);
    const idempotency = call.idempotency(String(variant));
    const recipient = findRecipient(call.caller, call.body, deps.clock.now());
    const order = {
      ...toOrder(call.caller, call.body),
      recipientAddress: recipient ?? "",
      variant,
      idempotency,
    };
    const answer = await createPayment(call.services, order, () => {
      checkRecipient(recipient, call.body);
      checkLinks(call.caller, call.body);
    });
    call.noteReplay(answer);
    if (variant === Variant.B) noteVariantB(call, deps.variantBSunset);
    const { expand = [] } = call.query;
    return expand.includes("checkoutUrl")
      ? { ...renderCreated(answer.payment), checkoutUrl: checkoutUrl(deps, answer.payment) }
      : renderCreated(answer.payment);
  },
});

export const readPaymentRoute = route({
  ...payments,
  id: PAYMENT,
  scope: "payments:read",
  summary: "Read a payment",
  example: {
    response: {
      status: "confirmed",
      txHash: TX_HASH,
      blockNumber: 24_000_000,
      confirmedAt: "2026-01-31T12:04:12.000Z",
    },
  },
  query: paymentExpansion,
  response: readPayment,
  success: 200,
  failures: ["client_secret_unavailable"],
  handle: async (call, deps) => {
    const { params, services } = call;
    const request = { id: params.id, withClientSecret: needsClientSecret(call) };
    return showPayment(call, deps, await services.payments.getPayment(request));
  },
  session: {
    shown: PAYMENT_EXTRAS_OF_SESSIONS,
    handle: async (call, deps) =>
      showPayment(call, deps, await findOwnPayment(call, call.params.id)),
  },
});

export const listPaymentsRoute = route({
  ...payments,
  scope: "payments:read",
  summary: "List payments, newest first",
  headers: [VARIANT_HEADER],
  query: paymentFilters,
  response: listShape("PaymentList", paymentItem),
  success: 200,
  failures: ["variant_unknown", "client_secret_unavailable"],
  handle: listPayments,
  session: {
    shown: PAYMENT_EXTRAS_OF_SESSIONS,
    handle: async (call, deps) => {
      const owner = await findOwner(call);
      return owner === undefined ? renderEmptyPage(call) : listPayments(call, deps, owner);
    },
  },
});

export const submitTransactionRoute = route({
  ...payments,
  id: PAYMENT,
  scope: "payments:write",
  summary: "Submit the transaction hash of a payment, from your server",
  example: { response: { status: "processing", txHash: TX_HASH } },
  body: merchantSubmission,
  response: submittedPayment,
  success: 200,
  failures: SUBMISSION_FAILURES,
  handle: (call, deps) => submitTransaction(call, deps, BY_MERCHANT),
});

export const refundPaymentRoute = route({
  ...payments,
  deprecated: true,
  id: PAYMENT,
  scope: "refunds:write",
  summary: "Refund the whole of a payment (Variant B)",
  audit: { ofKeys: true },
  example: { response: { status: "refunded", refundedAt: "2026-02-01T09:00:00.000Z" } },
  response: refundedPayment,
  success: 200,
  failures: ["payment_not_refundable", "refund_currency_unsupported", "state_contended"],
  handle: refundPayment,
});

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
  summary: "Cancel an unpaid payment",
  example: { response: { status: "expired", failureCode: "cancelled" } },
  failures: ["payment_status_invalid", "state_contended"],
  handle: cancelPayment,
});

export const resolvePaymentRoute = route({
  ...changing,
  summary: "Accept or reject money that is late or too little",
  audit: { values: ["action"] },
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

export const explainPaymentRoute = route({
  auth: "secret",
  tag: "Payments",
  limit: "standard",
  id: { prefix: "pay", noun: "Payment" },
  scope: "payments:read",
  summary: "Explain why a payment has its status",
  response: paymentExplanation,
  success: 200,
  handle: (call, { clock }) => explainPayment(call, clock.now()),
});
