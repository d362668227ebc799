import { type Examples, page } from "../example-answers.ts";
import { ADDRESS, CREATED_AT, PAY_ID, TOKEN, TREASURY, TX_HASH } from "../example-values.ts";

const TR_ID = "tr_9L4mYb1fJtQv8sN2xKcW7hRz";

export const EXAMPLES: Examples = {
  "GET /v1/transfers": {
    response: page({
      id: TR_ID,
      chainId: 1,
      currency: TOKEN,
      state: "final",
      paymentId: null,
      refundId: null,
      settlementId: null,
      reason: "late",
      txHash: TX_HASH,
      logIndex: 3,
      from: TREASURY,
      to: ADDRESS,
      amount: "12.5",
      blockNumber: 21_000_000,
      minedAt: CREATED_AT,
      confirmedAt: null,
    }),
  },
  "POST /v1/transfers/{id}/assign": {
    request: { paymentId: PAY_ID },
    response: {
      id: TR_ID,
      txHash: TX_HASH,
      paymentId: PAY_ID,
      refundId: null,
      status: "processing",
    },
  },
};
