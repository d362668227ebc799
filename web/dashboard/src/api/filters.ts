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
