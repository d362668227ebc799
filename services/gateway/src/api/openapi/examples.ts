// One request and one answer per route, as the documentation shows them. A test holds them against the schemas.

interface Example {
  request?: object;
  response: unknown;
}

const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
const TREASURY = "0xde709f2102306220921060314715629080e2fb77";
export const TOKEN = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const TX_HASH = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b";
const PAY_ID = "pay_4mYb1fJtQv8sN2xKcW7hRz9L";
const CUST_ID = "cust_7hRz9L4mYb1fJtQv8sN2xKcW";
const REFUND_ID = "refund_sN2xKcW7hRz9L4mYb1fJtQv8";
const EVENT_ID = "evt_xKcW7hRz9L4mYb1fJtQv8sN2";
const KEY_ID = "key_fJtQv8sN2xKcW7hRz9L4mYb1";
const STL_ID = "stl_K2xKcW7hRz9L4mYb1fJtQv8s";
const CREATED_AT = "2026-01-31T12:00:00.000Z";
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
const customer = { id: CUST_ID, walletAddress: ADDRESS, displayName: "Zoë", createdAt: CREATED_AT };
const metadata = { plan: "gold" };
const refund = {
  id: REFUND_ID,
  paymentId: PAY_ID,
  amount: "2.50",
  status: "created",
  createdAt: CREATED_AT,
};
const settlement = {
  ...{ id: STL_ID, status: "requested", chainId: 1, currency: TOKEN, amount: "1200.00" },
  ...{ sourceAddress: ADDRESS, destinationAddress: TREASURY, txHash: null, blockNumber: null },
  ...{ failureReason: null, requestedBy: KEY_ID, approvedBy: null, metadata: null },
  ...{ createdAt: CREATED_AT, approvedAt: null, completedAt: null },
};
const approved = {
  ...{ ...settlement, status: "approved" },
  ...{ approvedBy: "key_K2xKcW7hRz9L4mYb1fJtQv8s", approvedAt: "2026-02-01T09:00:00.000Z" },
};
const destination = {
  ...{ id: "dst_9L4mYb1fJtQv8sN2xKcW7hRz", chainId: 1, address: TREASURY, label: "Treasury" },
  ...{ createdBy: KEY_ID, createdAt: CREATED_AT, usableAt: "2026-02-01T12:00:00.000Z" },
};
const project = {
  id: "proj_Qv8sN2xKcW7hRz9L4mYb1fJt",
  name: "Mug shop",
  callbackUrl: "https://shop.example/webhooks",
};
const settings = {
  allowedOrigins: ["https://shop.example"],
  brandingConfig: { primaryColor: "#1A73E8" },
};
const token = { symbol: "USDC", name: "USD Coin", address: TOKEN, decimals: 6, chainId: 1 };
const chain = {
  chainId: 1,
  name: "Ethereum",
  symbol: "ETH",
  rpcUrl: "https://ethereum-rpc.example",
  blockExplorerUrl: "https://etherscan.io",
  isTestnet: false,
};
const key = {
  id: KEY_ID,
  type: "secret",
  mode: "live",
  scopes: ["payments:read"],
  name: "Reports",
  prefix: "rk_live_",
  last4: "9Lzr",
  createdAt: CREATED_AT,
  createdBy: "operator",
  lastUsedAt: "2026-02-01T09:00:00.000Z",
  expiresAt: null,
  revokedAt: null,
};
const endpoint = {
  ...{ id: "we_1fJtQv8sN2xKcW7hRz9L4mYb", url: "https://shop.example/webhooks", events: [] },
  ...{ signatureScheme: "v1", enabled: true, disabledReason: null, isDefault: false },
  ...{ createdAt: CREATED_AT, updatedAt: CREATED_AT, nextSecretActiveAt: null },
};
const attempt = {
  ...{ number: 1, startedAt: CREATED_AT, durationMs: 41, statusCode: 200, error: null },
};
const delivery = {
  ...{ id: "del_8sN2xKcW7hRz9L4mYb1fJtQv", eventId: EVENT_ID, eventType: "payment.confirmed" },
  ...{ endpointId: endpoint.id, state: "delivered", redeliveries: 0, createdAt: CREATED_AT },
  attempts: [attempt],
};
const eventBody = JSON.stringify({
  ...{ id: PAY_ID, status: "confirmed", txHash: TX_HASH, blockNumber: 19_000_000 },
  ...{ amount: "12500000", currency: TOKEN, orderId: null, chainId: 1 },
});
const fullDelivery = {
  ...delivery,
  body: eventBody,
  attempts: [
    {
      ...attempt,
      ...{ url: endpoint.url, retryAfter: null, response: "ok", responseComplete: true },
    },
  ],
};
const webhookSecret = "whsec_2sXc4vB6nM8kJ0hG3fD5aS7pO9iU1yT3rE5wQ6z9LzrA";
const newKey = {
  ...key,
  lastUsedAt: null,
  key: "rk_live_2sXc4vB6nM8kJ0hG3fD5aS7pO9iU1yT3rE5wQ6z9Lzr",
};
function page(...data: object[]) {
  return { data, total: data.length, page: 1, limit: 20 };
}

const eventList = {
  data: [
    {
      ...{ id: EVENT_ID, type: "payment.confirmed", resourceId: PAY_ID, sequence: 3 },
      ...{ occurredAt: CREATED_AT, body: eventBody },
    },
  ],
  hasMore: false,
};

export const EXAMPLES: Record<string, Example> = {
  "POST /v1/payments": {
    request: { ...order, description: "Two mugs", metadata: { cart: "1729" } },
    response: {
      ...{
        ...payment,
        clientSecret: "cs_live_1fJtQv8sN2xKcW7hRz9L4mYb",
        recipientAddress: ADDRESS,
      },
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
      txHash: null,
      explorerTxUrl: null,
      receivedAmount: null,
      missingAmount: null,
      failureCode: null,
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
      },
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
  "POST /v1/customers": {
    request: { walletAddress: ADDRESS, email: "zoe@shop.example", displayName: "Zoë", metadata },
    response: { ...customer, email: "zoe@shop.example", metadata },
  },
  "GET /v1/customers/{id}": { response: customer },
  "GET /v1/customers": { response: page(customer) },
  "PUT /v1/customers/{id}": {
    request: { displayName: "Zoë", metadata },
    response: { id: CUST_ID, displayName: "Zoë", metadata },
  },
  "DELETE /v1/customers/{id}": { response: { deleted: true, id: CUST_ID } },
  "POST /v1/refunds": {
    request: { paymentId: PAY_ID, amount: "2.50", reason: "One mug was broken" },
    response: { ...refund, reason: "One mug was broken" },
  },
  "GET /v1/refunds/{id}": { response: { ...refund, status: "completed", txHash: TX_HASH } },
  "GET /v1/refunds": { response: page({ id: REFUND_ID, status: "created", amount: "2.50" }) },
  "POST /v1/refunds/{id}/transaction": { request: { txHash: TX_HASH }, response: refund },
  "POST /v1/settlements": {
    request: {
      ...{ chainId: 1, currency: TOKEN, amount: "1200.00" },
      ...{ sourceAddress: ADDRESS, destinationAddress: TREASURY },
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
  "POST /v1/settlement-destinations": {
    request: { chainId: 1, address: TREASURY, label: "Treasury" },
    response: destination,
  },
  "GET /v1/settlement-destinations": { response: page(destination) },
  "DELETE /v1/settlement-destinations/{id}": { response: { deleted: true, id: destination.id } },
  "GET /v1/chains": { response: [chain] },
  "GET /v1/chains/{chainId}/tokens": { response: [token] },
  "GET /v1/tokens": { response: [token] },
  "GET /v1/projects/me": { response: { ...project, ...settings } },
  "PUT /v1/projects/me": {
    request: {
      name: "Mug shop",
      branding: settings.brandingConfig,
      allowedOrigins: settings.allowedOrigins,
      callbackUrl: project.callbackUrl,
    },
    response: project,
  },
  "POST /v1/projects/me/keys": {
    request: { type: "secret", mode: "live", scopes: ["payments:read"], name: "Reports" },
    response: newKey,
  },
  "GET /v1/projects/me/keys": { response: page(key) },
  "DELETE /v1/projects/me/keys/{id}": { response: { deleted: true, id: KEY_ID } },
  "POST /v1/webhook-endpoints": {
    request: { url: endpoint.url, events: [] },
    response: { ...endpoint, secret: webhookSecret },
  },
  "GET /v1/webhook-endpoints": { response: page(endpoint) },
  "GET /v1/webhook-endpoints/{id}": { response: endpoint },
  "PUT /v1/webhook-endpoints/{id}": {
    request: { enabled: false },
    response: { ...endpoint, enabled: false },
  },
  "DELETE /v1/webhook-endpoints/{id}": { response: { deleted: true, id: endpoint.id } },
  "POST /v1/webhook-endpoints/{id}/rotate-secret": {
    request: { overlapSeconds: 86_400 },
    response: {
      ...endpoint,
      nextSecretActiveAt: "2026-02-01T12:00:00.000Z",
      secret: webhookSecret,
    },
  },
  "POST /v1/webhook-endpoints/{id}/activate-secret": { response: endpoint },
  "POST /v1/webhook-endpoints/{id}/ping": {
    response: { eventId: EVENT_ID, deliveryId: delivery.id },
  },
  "POST /v1/webhook-endpoints/{id}/recover": {
    request: { since: CREATED_AT, dryRun: true },
    response: { count: 3 },
  },
  "GET /v1/webhook-endpoints/{id}/changes": {
    response: page({ change: "url_changed", url: endpoint.url, happenedAt: CREATED_AT }),
  },
  "GET /v1/webhook-endpoints/{id}/deliveries": { response: page(delivery) },
  "GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}": { response: fullDelivery },
  "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver": {
    response: { ...fullDelivery, state: "pending", redeliveries: 1, attempts: [] },
  },
  "GET /v1/events": { response: eventList },
  "GET /v1/events/stream": { response: eventList },
  "POST /v1/auth/sso": {
    request: { token: "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJ6b2UifQ.MEUCIQDx" },
    response: {
      sessionToken: "sess_5aS7pO9iU1yT3rE5wQ6z9Lzr2sXc4vB6nM8kJ0hG3fD",
      expiresAt: "2026-01-31T13:00:00.000Z",
    },
  },
  "POST /v1/auth/sessions/revoke": {
    request: { subject: "zoe" },
    response: { revoked: 2 },
  },
  "POST /v1/projects/me/keys/{id}/roll": { request: { graceSeconds: 86_400 }, response: newKey },
};
