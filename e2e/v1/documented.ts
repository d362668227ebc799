// The field sets of the specification's endpoint tables, copied by hand: answers are compared with
// these, never with the product's code. A body has exactly these fields.
import { expect } from "@jest/globals";
import type { RouteName } from "@pay/gateway";
import { BALANCE, HEALTH } from "./documented-chains.ts";
import { ATTEMPT, DELIVERY, ENDPOINT } from "./documented-webhooks.ts";

const PAYMENT = ["id", "status", "amount", "currency"];

const SUBMITTED = [...PAYMENT, "txHash", "blockNumber", "chainId", "expiresAt"];

export type Shape = "primary" | "b";

export const PAYMENT_FIELDS: Record<Shape, Record<"created" | "read" | "item", string[]>> = {
  primary: {
    created: [
      ...PAYMENT,
      "clientSecret",
      "chainId",
      "recipientAddress",
      "description",
      "expiresAt",
      "createdAt",
    ],
    // And confirmedAt, after the confirmation.
    read: [...PAYMENT, "txHash", "blockNumber", "chainId", "createdAt"],
    item: [...PAYMENT, "chainId", "createdAt"],
  },
  b: {
    created: [
      ...PAYMENT,
      "clientSecret",
      "chainId",
      "recipientAddress",
      "orderId",
      "expiresAt",
      "createdAt",
    ],
    read: [...PAYMENT, "txHash", "blockNumber", "chainId", "orderId", "createdAt"],
    item: [...PAYMENT, "orderId", "createdAt"],
  },
};

const KEY = [
  "id",
  "type",
  "mode",
  "scopes",
  "name",
  "prefix",
  "last4",
  "createdAt",
  "createdBy",
  "lastUsedAt",
  "expiresAt",
  "allowedAddresses",
  "revokedAt",
];

export const FIELDS = {
  submitted: SUBMITTED,
  changedPayment: [...SUBMITTED, "failureCode", "payerAddress"],
  refundedPayment: ["id", "status", "refundedAt"],
  status: [
    ...PAYMENT,
    "isTest",
    "baseAmount",
    "symbol",
    "decimals",
    "chainId",
    "chainName",
    "isTestnet",
    "chainRpcUrl",
    "chainSymbol",
    "chainDecimals",
    "recipientAddress",
    "payTo",
    "description",
    "expiresAt",
    "serverTime",
    "extensionsLeft",
    "txHash",
    "explorerTxUrl",
    "receivedAmount",
    "missingAmount",
    "confirmations",
    "confirmationsNeeded",
    "estimatedSeconds",
    "arrived",
    "refunds",
    "failureCode",
    "needs",
    "payerMessage",
    "qrMode",
    "paymentUri",
    "transaction",
    "authorization",
    "x402Url",
    "returnUrl",
    "cancelUrl",
    "displayAmount",
    "dueBaseAmount",
    "locale",
    "shop",
  ],
  explanation: [
    "id",
    "status",
    "failureCode",
    "receivedAmount",
    "serverTime",
    "nextStep",
    "actions",
    "transactions",
  ],
  examined: [
    "txHash",
    "source",
    "state",
    "reason",
    "provingTxHash",
    "submittedAt",
    "firstSeenAt",
    "checkedAt",
    "judgedAt",
    "blockNumber",
    "chainHead",
    "providersAgreeing",
    "providersContradicting",
    "rules",
    "transfers",
  ],
  list: ["data", "total", "page", "limit"],
  createdCustomer: ["id", "walletAddress", "email", "displayName", "metadata", "createdAt"],
  readCustomer: ["id", "walletAddress", "displayName", "createdAt"],
  updatedCustomer: ["id", "displayName", "metadata"],
  deleted: ["deleted", "id"],
  createdRefund: ["id", "paymentId", "amount", "status", "reason", "createdAt"],
  // And txHash, once the refund is completed.
  readRefund: ["id", "paymentId", "amount", "status", "createdAt"],
  refundItem: ["id", "status", "amount"],
  settlement: [
    "id",
    "status",
    "chainId",
    "currency",
    "amount",
    "sourceAddress",
    "destinationAddress",
    "txHash",
    "blockNumber",
    "failureReason",
    "requestedBy",
    "approvedBy",
    "metadata",
    "createdAt",
    "approvedAt",
    "completedAt",
  ],
  destination: ["id", "chainId", "address", "label", "createdBy", "createdAt", "usableAt"],
  transfer: ["txHash", "logIndex", "from", "to", "amount", "blockNumber", "minedAt", "confirmedAt"],
  arrived: [
    "id",
    "chainId",
    "currency",
    "state",
    "paymentId",
    "refundId",
    "settlementId",
    "reason",
    "candidates",
    "txHash",
    "logIndex",
    "from",
    "to",
    "amount",
    "blockNumber",
    "minedAt",
    "confirmedAt",
  ],
  attribution: ["txHash", "logIndex", "amount", "rule"],
  step: ["event", "status", "at", "reason", "madeBy", "txHash"],
  project: ["id", "name", "callbackUrl", "allowedOrigins", "brandingConfig"],
  // And webhookSecret, once, when a test key first sets callbackUrl.
  savedProject: ["id", "name", "callbackUrl"],
  chain: ["chainId", "name", "symbol", "rpcUrl", "blockExplorerUrl", "isTestnet"],
  token: ["symbol", "name", "address", "decimals", "chainId"],
  session: ["sessionToken", "expiresAt"],
  endedSessions: ["revoked"],
  endpoint: ENDPOINT,
  endpointWithLoad: [...ENDPOINT, "concurrency", "backlog"],
  createdEndpoint: [...ENDPOINT, "secret"],
  deliveryItem: DELIVERY,
  delivery: [...DELIVERY, "body"],
  attemptItem: ATTEMPT,
  attempt: [...ATTEMPT, "url", "retryAfter", "response", "responseComplete"],
  ping: ["eventId", "deliveryId"],
  recovery: ["count"],
  member:
    "id email name liveRole testRole refundLimits invitedBy createdAt expiresAt hasPasskey lastSeenAt mailedAt link".split(
      " ",
    ),
  auditEntry:
    "id createdAt actor action targetId changes state statusCode errorCode requestId clientAddress".split(
      " ",
    ),
  requestLog:
    "id createdAt actor method route path statusCode errorCode durationMs requestId".split(" "),
  need: "id kind createdAt amount receivedAmount chainId currency orderId paymentId detail failures requestedBy takenBy note doneAt".split(
    " ",
  ),
  event: ["id", "type", "resourceId", "sequence", "occurredAt", "body"],
  keyItem: KEY,
  createdKey: [...KEY, "key"],
  error: ["statusCode", "message", "error"],
  paymentEvent: [...PAYMENT, "txHash", "blockNumber", "orderId", "chainId"],
  refundEvent: [
    "id",
    "paymentId",
    "status",
    "amount",
    "currency",
    "chainId",
    "txHash",
    "reason",
    "failureReason",
    "orderId",
    "destinationSource",
  ],
  settlementEvent: [
    "id",
    "status",
    "amount",
    "currency",
    "chainId",
    "destinationAddress",
    "txHash",
    "blockNumber",
    "failureReason",
  ],
  customerEvent: ["id", "walletAddress", "displayName", "metadata", "createdAt", "updatedAt"],
};

interface Documented {
  /** The fields of the body, where it is an object. */
  body?: readonly string[];
  /** Those that are there only for some records. */
  sometimes?: readonly string[];
  /** The fields of each item, where the body or its `data` is a list. */
  item?: readonly string[];
}

const { created, read, item } = PAYMENT_FIELDS.primary;
const LIST = FIELDS.list;

/** What each route answers to its owner. */
export const ANSWERS: Readonly<Record<string, Documented>> = {
  "POST /v1/payments": { body: created },
  "GET /v1/payments/{id}": { body: read, sometimes: ["confirmedAt"] },
  "GET /v1/payments": { body: LIST, item },
  "GET /v1/payments/{id}/explain": { body: FIELDS.explanation },
  "GET /v1/payments/{id}/sweep": { body: ["chainId", "to", "value", "data", "gas"] },
  "POST /v1/payments/{id}/recheck": { body: ["chainId", "payTo", "deposits"] },
  "GET /v1/payments/{id}/status": { body: FIELDS.status },
  "GET /v1/payments/{id}/x402": { body: FIELDS.status },
  "POST /v1/payments/{id}/x402": { body: FIELDS.status },
  "POST /v1/payments/{id}/confirm": { body: FIELDS.submitted },
  "POST /v1/payments/{id}/payer": { body: FIELDS.changedPayment },
  "POST /v1/payments/{id}/authorize": { body: ["status", "txHash"] },
  "POST /v1/payments/{id}/extend": { body: FIELDS.changedPayment },
  "POST /v1/payments/{id}/handoff": { body: ["url", "expiresAt"] },
  "POST /v1/payments/{id}/open": { body: ["id", "clientSecret"] },
  "POST /v1/payments/{id}/cancel": { body: FIELDS.changedPayment },
  "POST /v1/payments/{id}/resolve": { body: FIELDS.changedPayment },
  "POST /v1/payments/{id}/transaction": { body: FIELDS.submitted },
  "POST /v1/payments/{id}/refund": { body: FIELDS.refundedPayment },
  "GET /v1/customers/{id}": { body: FIELDS.readCustomer },
  "GET /v1/customers": { body: LIST, item: FIELDS.readCustomer },
  "POST /v1/customers": { body: FIELDS.createdCustomer },
  "PUT /v1/customers/{id}": { body: FIELDS.updatedCustomer },
  "DELETE /v1/customers/{id}": { body: FIELDS.deleted },
  "POST /v1/refunds": { body: FIELDS.createdRefund },
  "GET /v1/refunds/{id}": { body: FIELDS.readRefund, sometimes: ["txHash"] },
  "GET /v1/refunds": { body: LIST, item: FIELDS.refundItem },
  "POST /v1/refunds/{id}/transaction": { body: FIELDS.readRefund },
  "POST /v1/refunds/{id}/destination": { body: FIELDS.readRefund },
  "POST /v1/refunds/{id}/cancel": { body: FIELDS.readRefund },
  "POST /v1/settlements": { body: FIELDS.settlement },
  "GET /v1/settlements/{id}": { body: FIELDS.settlement },
  "GET /v1/settlements": { body: LIST, item: FIELDS.settlement },
  "POST /v1/settlements/{id}/approve": { body: FIELDS.settlement },
  "POST /v1/settlements/{id}/reject": { body: FIELDS.settlement },
  "POST /v1/settlements/{id}/transaction": { body: FIELDS.settlement },
  "POST /v1/settlement-destinations": { body: FIELDS.destination },
  "GET /v1/settlement-destinations": { body: LIST, item: FIELDS.destination },
  "DELETE /v1/settlement-destinations/{id}": { body: FIELDS.deleted },
  "POST /v1/webhook-endpoints": { body: FIELDS.createdEndpoint },
  "GET /v1/webhook-endpoints": { body: LIST, item: FIELDS.endpoint },
  "GET /v1/webhook-endpoints/{id}": { body: FIELDS.endpointWithLoad },
  "PUT /v1/webhook-endpoints/{id}": { body: FIELDS.endpoint },
  "DELETE /v1/webhook-endpoints/{id}": { body: FIELDS.deleted },
  "POST /v1/webhook-endpoints/{id}/rotate-secret": { body: FIELDS.createdEndpoint },
  "POST /v1/webhook-endpoints/{id}/activate-secret": { body: FIELDS.endpoint },
  "POST /v1/webhook-endpoints/{id}/ping": { body: FIELDS.ping },
  "POST /v1/webhook-endpoints/{id}/recover": { body: FIELDS.recovery },
  "GET /v1/webhook-endpoints/{id}/changes": {
    body: LIST,
    item: ["change", "url", "happenedAt", "changedBy"],
  },
  "GET /v1/webhook-endpoints/{id}/deliveries": { body: LIST, item: FIELDS.deliveryItem },
  "GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}": { body: FIELDS.delivery },
  "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver": {
    body: FIELDS.delivery,
  },
  "GET /v1/deliveries": { body: LIST, item: FIELDS.deliveryItem },
  "GET /v1/deliveries/health": {
    body: ["data"],
    item: ["endpointId", "successRate", "medianMs", "hours"],
  },
  "GET /v1/members": { body: ["data", "roles"], item: FIELDS.member },
  "POST /v1/members": { body: FIELDS.member },
  "PUT /v1/members/{id}": { body: FIELDS.member },
  "DELETE /v1/members/{id}": { body: FIELDS.deleted },
  "PUT /v1/roles/{name}": { body: ["name", "builtIn", "liveScopes", "testScopes"] },
  "GET /v1/audit": { body: LIST, item: FIELDS.auditEntry },
  "GET /v1/request-logs": { body: LIST, item: FIELDS.requestLog },
  "GET /v1/events": { body: ["data", "hasMore"], item: FIELDS.event },
  "GET /v1/balances": { body: ["data"], item: BALANCE },
  // Lines and no JSON value; its own test reads them.
  // Lines and no JSON value; their own test reads them.
  "GET /v1/statements": {},
  "GET /v1/statements/{day}": {},
  "GET /v1/books": { body: ["data"], item: ["month", "state", "differences"] },
  "GET /v1/books/{month}": { body: ["month", "state", "recordedUntil", "data"] },
  "GET /v1/needs": { body: ["data", "incomplete"], item: FIELDS.need },
  "POST /v1/needs/{id}": { body: ["id", "kind", "takenBy", "note", "doneAt"] },
  "GET /v1/summary": { body: ["from", "to", "medianWaitSeconds", "totals", "days"] },
  "GET /v1/search": {
    body: ["data", "incomplete"],
    item: ["kind", "id", "title", "subtitle", "at", "paymentId"],
  },
  "GET /v1/transfers": { body: LIST, item: FIELDS.arrived },
  "POST /v1/transfers/{id}/assign": {
    body: ["id", "txHash", "paymentId", "refundId", "status"],
  },
  "GET /v1/events/stream": { body: ["data", "hasMore"], item: FIELDS.event },
  "GET /v1/chains": { item: FIELDS.chain },
  "GET /v1/chains/health": { item: HEALTH },
  "GET /v1/chains/{chainId}/tokens": { item: FIELDS.token },
  "GET /v1/tokens": { item: FIELDS.token },
  "GET /v1/projects/me": { body: FIELDS.project },
  "PUT /v1/projects/me": { body: FIELDS.savedProject },
  "POST /v1/projects/me/keys": { body: FIELDS.createdKey },
  "GET /v1/projects/me/keys": { body: LIST, item: FIELDS.keyItem },
  "DELETE /v1/projects/me/keys/{id}": { body: FIELDS.deleted },
  "POST /v1/projects/me/keys/{id}/roll": { body: FIELDS.createdKey },
  "GET /v1/x402/supported": { body: ["kinds", "extensions", "signers"] },
  "POST /v1/x402/verify": { body: ["isValid", "invalidReason", "payer"] },
  "POST /v1/x402/settle": {
    body: ["success", "errorReason", "payer", "transaction", "network", "paymentId"],
  },
  "GET /v1/x402/settlements/{chainId}/{asset}/{payer}/{nonce}": {
    body: ["state", "transaction", "paymentId"],
  },
  "POST /v1/auth/sso": { body: FIELDS.session },
  "POST /v1/auth/sessions/revoke": { body: FIELDS.endedSessions },
  "GET /v1/openapi.json": {
    body: ["openapi", "info", "servers", "tags", "security", "paths", "webhooks", "components"],
  },
} satisfies Record<RouteName, Documented>;

/** What a body shows that its route does not document, and what it lacks. */
export function expectDocumented(name: string, answered: unknown): void {
  const { body, item: itemFields, sometimes = [] } = ANSWERS[name] ?? {};
  if (body !== undefined) {
    const extras = Object.keys(answered as object).filter((field) => sometimes.includes(field));
    expectFields(answered, [...body, ...extras]);
  }
  if (itemFields === undefined) return;
  const items = Array.isArray(answered) ? answered : (answered as { data: unknown[] }).data;
  expect(items).not.toHaveLength(0);
  for (const one of items) expectFields(one, itemFields);
}

export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** An additional field fails like a missing field. */
export function expectFields(body: unknown, fields: readonly string[]): void {
  expect(Object.keys(body as object).sort()).toEqual([...fields].sort());
}
