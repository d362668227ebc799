// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export const paymentFilters = {
  status: {
    kind: "choices",
    values: ["created", "pending", "processing", "confirmed", "failed", "expired", "refunded"],
  },
  orderId: { kind: "text" },
  chainId: { kind: "text" },
  createdFrom: { kind: "time" },
  createdTo: { kind: "time" },
  txHash: { kind: "text" },
  customerId: { kind: "text" },
  payerAddress: { kind: "text" },
  recipientAddress: { kind: "text" },
  currency: { kind: "text" },
  amountFrom: { kind: "text" },
  amountTo: { kind: "text" },
  failureCode: {
    kind: "choice",
    values: [
      "cancelled",
      "reverted",
      "recipient_mismatch",
      "wrong_token",
      "predates_payment",
      "late",
      "transfer_already_used",
      "underpaid",
      "replaced",
      "not_found",
      "reorged",
      "ambiguous",
    ],
  },
  needs: { kind: "choice", values: ["payer_signature", "review"] },
  refunded: { kind: "choice", values: ["true", "false"] },
  source: { kind: "choice", values: ["api", "dashboard"] },
} as const;

export const refundFilters = {
  paymentId: { kind: "text" },
  status: { kind: "choices", values: ["created", "completed", "failed"] },
  chainId: { kind: "text" },
  currency: { kind: "text" },
  createdFrom: { kind: "time" },
  createdTo: { kind: "time" },
  toSign: { kind: "choice", values: ["true", "false"] },
  txHash: { kind: "text" },
} as const;

export const settlementFilters = {
  status: { kind: "choices", values: ["requested", "approved", "completed", "failed"] },
  chainId: { kind: "text" },
  currency: { kind: "text" },
  createdFrom: { kind: "time" },
  createdTo: { kind: "time" },
  toSign: { kind: "choice", values: ["true", "false"] },
} as const;

export const customerFilters = {
  walletAddress: { kind: "text" },
  name: { kind: "text" },
  createdFrom: { kind: "time" },
  createdTo: { kind: "time" },
} as const;

export const transferFilters = {
  unmatched: { kind: "choice", values: ["true", "false"] },
  chainId: { kind: "text" },
  txHash: { kind: "text" },
  from: { kind: "text" },
  currency: { kind: "text" },
  state: { kind: "choice", values: ["seen", "final"] },
  createdFrom: { kind: "time" },
  createdTo: { kind: "time" },
} as const;

export const deliveryFilters = {
  state: { kind: "choice", values: ["pending", "delivered", "failed", "parked"] },
  type: {
    kind: "choice",
    values: [
      "ping",
      "payment.created",
      "payment.processing",
      "payment.confirmed",
      "payment.received",
      "payment.screened",
      "payment.failed",
      "payment.expired",
      "payment.refunded",
      "refund.created",
      "refund.completed",
      "refund.failed",
      "refund.reorged",
      "settlement.requested",
      "settlement.approved",
      "settlement.completed",
      "settlement.failed",
      "settlement.reorged",
      "customer.created",
      "customer.updated",
      "project.updated",
      "api_key.created",
      "api_key.revoked",
      "transfer.unmatched",
    ],
  },
  eventId: { kind: "text" },
  resourceId: { kind: "text" },
  from: { kind: "time" },
  to: { kind: "time" },
  endpointId: { kind: "text" },
} as const;

export const eventFilters = {
  type: {
    kind: "choice",
    values: [
      "payment.created",
      "payment.processing",
      "payment.confirmed",
      "payment.received",
      "payment.screened",
      "payment.failed",
      "payment.expired",
      "payment.refunded",
      "refund.created",
      "refund.completed",
      "refund.failed",
      "refund.reorged",
      "settlement.requested",
      "settlement.approved",
      "settlement.completed",
      "settlement.failed",
      "settlement.reorged",
      "customer.created",
      "customer.updated",
      "project.updated",
      "api_key.created",
      "api_key.revoked",
      "transfer.unmatched",
    ],
  },
  resourceId: { kind: "text" },
  from: { kind: "time" },
  to: { kind: "time" },
} as const;

export const keyFilters = {
  type: { kind: "choice", values: ["secret", "publishable"] },
  state: { kind: "choice", values: ["active", "expired", "revoked"] },
} as const;

export const auditFilters = {
  actor: { kind: "text" },
  action: { kind: "text" },
  targetId: { kind: "text" },
  from: { kind: "time" },
  to: { kind: "time" },
} as const;

export const requestFilters = {
  status: { kind: "choices", values: ["2xx", "4xx", "5xx"] },
  method: { kind: "choice", values: ["GET", "POST", "PUT", "DELETE"] },
  errorCode: { kind: "text" },
  path: { kind: "text" },
  actor: { kind: "text" },
  requestId: { kind: "text" },
  from: { kind: "time" },
  to: { kind: "time" },
} as const;
