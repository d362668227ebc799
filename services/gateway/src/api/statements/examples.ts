import type { Examples } from "../example-answers.ts";
import { ADDRESS, CREATED_AT, PAY_ID, TOKEN, TREASURY, TX_HASH } from "../example-values.ts";

export const EXAMPLES: Examples = {
  "GET /v1/statements/{day}": {
    response: {
      recordedAt: CREATED_AT,
      minedAt: CREATED_AT,
      type: "payment",
      id: PAY_ID,
      paymentId: PAY_ID,
      orderId: "order-1001",
      amount: "12.5",
      baseAmount: "12500000",
      currency: TOKEN,
      chainId: 1,
      txHash: TX_HASH,
      logIndex: 3,
      blockNumber: 19_000_000,
      fromAddress: ADDRESS,
      toAddress: TREASURY,
    },
  },
};
