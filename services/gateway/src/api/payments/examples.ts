import { type Examples, page } from "../example-answers.ts";
import { ADDRESS, CREATED_AT, PAY_ID, TOKEN, TX_HASH } from "../example-values.ts";

const EXPIRES_AT = "2026-01-31T12:30:00.000Z";
const payment = { id: PAY_ID, status: "created", amount: "12.50", currency: TOKEN, chainId: 1 };
const order = { amount: "12.50", chainId: 1, currency: TOKEN, recipientAddress: ADDRESS };
const submitted = {
  ...payment,
  status: "processing",
  txHash: TX_HASH,
  blockNumber: null,
  expiresAt: EXPIRES_AT,
};
const changed = {
  ...submitted,
  status: "created",
  txHash: null,
  failureCode: null,
  payerAddress: null,
};

export const EXAMPLES: Examples = {
  "POST /v1/payments": {
    request: { ...order, description: "Two mugs", metadata: { cart: "1729" } },
    response: {
      ...payment,
      clientSecret: "cs_live_1fJtQv8sN2xKcW7hRz9L4mYb",
      recipientAddress: ADDRESS,
      description: "Two mugs",
      expiresAt: EXPIRES_AT,
      createdAt: CREATED_AT,
    },
  },
  "GET /v1/payments/{id}": {
    response: {
      ...payment,
      status: "confirmed",
      txHash: TX_HASH,
      blockNumber: 24_000_000,
      createdAt: CREATED_AT,
      confirmedAt: "2026-01-31T12:04:12.000Z",
    },
  },
  "GET /v1/payments": { response: page({ ...payment, createdAt: CREATED_AT }) },
  "GET /v1/payments/{id}/status": {
    response: {
      id: PAY_ID,
      status: "created",
      isTest: false,
      amount: "12.50",
      baseAmount: "12500000",
      currency: TOKEN,
      symbol: "USDC",
      decimals: 6,
      chainId: 1,
      chainName: "Ethereum",
      isTestnet: false,
      chainRpcUrl: "https://ethereum-rpc.example",
      chainSymbol: "ETH",
      chainDecimals: 18,
      recipientAddress: ADDRESS,
      description: "Two mugs",
      expiresAt: EXPIRES_AT,
      serverTime: CREATED_AT,
      extensionsLeft: 10,
      txHash: null,
      explorerTxUrl: null,
      receivedAmount: null,
      missingAmount: null,
      failureCode: null,
      needs: null,
      qrMode: true,
      paymentUri: `ethereum:${TOKEN}@1/transfer?address=${ADDRESS}&uint256=12500000`,
      transaction: {
        to: TOKEN,
        value: "0x0",
        data: `0xa9059cbb${ADDRESS.slice(2).toLowerCase().padStart(64, "0")}${"bebc20".padStart(64, "0")}`,
      },
      returnUrl: "https://shop.example/orders/7",
      locale: "en",
      shop: {
        displayName: "Mug shop",
        primaryColor: "#1A73E8",
        theme: null,
        supportUrl: "https://shop.example/help",
        logoUrl: null,
      },
    },
  },
  "GET /v1/payments/{id}/explain": {
    response: {
      id: PAY_ID,
      status: "processing",
      failureCode: null,
      serverTime: CREATED_AT,
      nextStep: { action: "wait", text: "Wait for more blocks." },
      transactions: [
        {
          txHash: TX_HASH,
          source: "shopper",
          state: "waiting",
          reason: null,
          provingTxHash: null,
          submittedAt: CREATED_AT,
          firstSeenAt: CREATED_AT,
          checkedAt: CREATED_AT,
          judgedAt: null,
          blockNumber: 21_000_000,
          chainHead: 21_000_003,
          providersAgreeing: null,
          providersContradicting: null,
          rules: [
            { name: "mined", outcome: "passed", text: "It is in block 21000000." },
            {
              name: "settled",
              outcome: "waiting",
              text: "Its block does not count as final: it needs 12 confirmations, and had 4 at block 21000003.",
            },
          ],
          transfers: [],
        },
      ],
    },
  },
  "POST /v1/payments/{id}/confirm": {
    request: { clientSecret: "cs_live_1fJtQv8sN2xKcW7hRz9L4mYb", txHash: TX_HASH },
    response: submitted,
  },
  "POST /v1/payments/{id}/payer": {
    request: { clientSecret: "cs_live_1fJtQv8sN2xKcW7hRz9L4mYb", payerAddress: ADDRESS },
    response: { ...changed, payerAddress: ADDRESS },
  },
  "POST /v1/payments/{id}/extend": {
    request: { clientSecret: "cs_live_1fJtQv8sN2xKcW7hRz9L4mYb" },
    response: changed,
  },
  "POST /v1/payments/{id}/handoff": {
    request: { clientSecret: "cs_live_1fJtQv8sN2xKcW7hRz9L4mYb" },
    response: {
      url: `https://pay.example/pay/${PAY_ID}/h/ho_3kPzVw6tQ9dRxY2mBn7LcS4f`,
      expiresAt: "2026-02-01T09:02:00.000Z",
    },
  },
  "POST /v1/payments/{id}/cancel": {
    response: { ...changed, status: "expired", failureCode: "cancelled" },
  },
  "POST /v1/payments/{id}/resolve": {
    request: { action: "accept" },
    response: { ...changed, status: "expired", txHash: TX_HASH, failureCode: "late" },
  },
  "POST /v1/payments/{id}/transaction": { request: { txHash: TX_HASH }, response: submitted },
  "POST /v1/payments/{id}/refund": {
    response: { id: PAY_ID, status: "refunded", refundedAt: "2026-02-01T09:00:00.000Z" },
  },
};
