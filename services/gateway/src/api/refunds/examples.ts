import { type Examples, page } from "../example-answers.ts";
import { CREATED_AT, PAY_ID, TX_HASH } from "../example-values.ts";

const REFUND_ID = "refund_sN2xKcW7hRz9L4mYb1fJtQv8";
const refund = {
  id: REFUND_ID,
  paymentId: PAY_ID,
  amount: "2.50",
  status: "created",
  createdAt: CREATED_AT,
};

export const EXAMPLES: Examples = {
  "POST /v1/refunds": {
    request: { paymentId: PAY_ID, amount: "2.50", reason: "One mug was broken" },
    response: { ...refund, reason: "One mug was broken" },
  },
  "GET /v1/refunds/{id}": { response: { ...refund, status: "completed", txHash: TX_HASH } },
  "GET /v1/refunds": { response: page({ id: REFUND_ID, status: "created", amount: "2.50" }) },
  "POST /v1/refunds/{id}/transaction": { request: { txHash: TX_HASH }, response: refund },
};
