import { type Examples, page } from "../example-answers.ts";
import { ADDRESS, CREATED_AT, KEY_ID, TOKEN, TREASURY, TX_HASH } from "../example-values.ts";

const STL_ID = "stl_K2xKcW7hRz9L4mYb1fJtQv8s";
const settlement = {
  id: STL_ID,
  status: "requested",
  chainId: 1,
  currency: TOKEN,
  amount: "1200.00",
  sourceAddress: ADDRESS,
  destinationAddress: TREASURY,
  txHash: null,
  blockNumber: null,
  failureReason: null,
  requestedBy: KEY_ID,
  approvedBy: null,
  metadata: null,
  createdAt: CREATED_AT,
  approvedAt: null,
  completedAt: null,
};
const approved = {
  ...settlement,
  status: "approved",
  approvedBy: "key_K2xKcW7hRz9L4mYb1fJtQv8s",
  approvedAt: "2026-02-01T09:00:00.000Z",
};

export const EXAMPLES: Examples = {
  "POST /v1/settlements": {
    request: {
      chainId: 1,
      currency: TOKEN,
      amount: "1200.00",
      sourceAddress: ADDRESS,
      destinationAddress: TREASURY,
    },
    response: settlement,
  },
  "GET /v1/settlements/{id}": { response: approved },
  "GET /v1/settlements": { response: page(settlement) },
  "POST /v1/settlements/{id}/approve": { response: approved },
  "POST /v1/settlements/{id}/reject": {
    response: { ...settlement, status: "failed", failureReason: "rejected" },
  },
  "POST /v1/settlements/{id}/transaction": {
    request: { txHash: TX_HASH },
    response: { ...approved, txHash: TX_HASH },
  },
};
