// Which kind each field of each body is, and what each parameter of each query refuses.
import type { KindName } from "./kinds.ts";
import { CHECKSUMMED, HASH, SQL } from "./values.ts";

/** Which kind each field of each body is. */
export const BODY_FIELDS: Record<string, Record<string, KindName>> = {
  "POST /v1/payments": {
    amount: "amount",
    chainId: "chainId",
    currency: "currency",
    recipientAddress: "address",
    description: "text",
    metadata: "metadata",
    qrMode: "flag",
    orderId: "reference",
    expiresInMinutes: "minutes",
    customerId: "customerId",
    returnUrl: "returnUrl",
    cancelUrl: "returnUrl",
    displayAmount: "displayAmount",
    locale: "locale",
    depositAddresses: "flag",
  },
  "POST /v1/payments/{id}/confirm": {
    clientSecret: "clientSecret",
    txHash: "txHash",
    payerAddress: "address",
  },
  "POST /v1/payments/{id}/authorize": {
    clientSecret: "clientSecret",
    authorization: "authorization",
    signature: "signature",
  },
  "POST /v1/payments/{id}/extend": { clientSecret: "clientSecret" },
  "POST /v1/payments/{id}/handoff": { clientSecret: "clientSecret" },
  "POST /v1/payments/{id}/open": { code: "token" },
  "POST /v1/payments/{id}/payer": {
    clientSecret: "clientSecret",
    payerAddress: "address",
    signature: "signature",
  },
  "POST /v1/payments/{id}/resolve": { action: "action" },
  "POST /v1/payments/{id}/transaction": {
    txHash: "txHash",
    payerAddress: "address",
    attribute: "flag",
  },
  "POST /v1/customers": {
    walletAddress: "address",
    email: "email",
    displayName: "name",
    metadata: "metadata",
  },
  "PUT /v1/customers/{id}": { displayName: "name", metadata: "metadata" },
  "POST /v1/refunds": {
    paymentId: "paymentId",
    amount: "refundAmount",
    reason: "text",
    destinationAddress: "address",
    surplus: "surplus",
  },
  "POST /v1/refunds/{id}/transaction": { txHash: "txHash" },
  "POST /v1/refunds/{id}/destination": { destinationAddress: "ownAddress" },
  "POST /v1/settlements": {
    chainId: "chainId",
    currency: "currency",
    amount: "refundAmount",
    metadata: "metadata",
    sourceAddress: "ownAddress",
    destinationAddress: "ownAddress",
  },
  "POST /v1/settlements/{id}/transaction": { txHash: "txHash" },
  "POST /v1/settlement-destinations": { chainId: "chainId", address: "ownAddress", label: "name" },
  "POST /v1/transfers/{id}/assign": { paymentId: "paymentId", refundId: "paymentId" },
  "PUT /v1/projects/me": {
    name: "name",
    branding: "branding",
    brandingConfig: "branding",
    variant: "variant",
    allowedOrigins: "origins",
    callbackUrl: "url",
    paymentLifetimeMinutes: "lifetime",
    sso: "sso",
    notices: "notices",
    payoutWallets: "wallets",
    wallets: "defaultWallets",
    unnamedTransfers: "unnamed",
    reference: "flag",
    depositAddresses: "flag",
    screening: "screening",
  },
  "POST /v1/members": {
    email: "email",
    liveRole: "memberRole",
    testRole: "memberRole",
    refundLimits: "refundLimits",
  },
  "PUT /v1/members/{id}": {
    liveRole: "memberRole",
    testRole: "memberRole",
    refundLimits: "refundLimits",
  },
  "POST /v1/needs/{id}": { take: "flag", note: "text", done: "flag" },
  "PUT /v1/roles/{name}": { scopes: "roleScopes" },
  "POST /v1/projects/me/keys": {
    type: "keyType",
    mode: "keyMode",
    scopes: "scopes",
    name: "name",
    allowedAddresses: "addresses",
    expiresAt: "end",
  },
  "POST /v1/projects/me/keys/{id}/roll": { graceSeconds: "grace" },
  "POST /v1/webhook-endpoints": {
    url: "endpointUrl",
    events: "events",
    signatureScheme: "scheme",
    concurrencyMax: "concurrency",
    include: "include",
    enabled: "flag",
  },
  "PUT /v1/webhook-endpoints/{id}": {
    url: "endpointUrl",
    events: "events",
    signatureScheme: "scheme",
    concurrencyMax: "concurrency",
    include: "include",
    enabled: "flag",
  },
  "POST /v1/webhook-endpoints/{id}/rotate-secret": { overlapSeconds: "grace" },
  "POST /v1/webhook-endpoints/{id}/recover": { since: "since", until: "since", dryRun: "flag" },
  "POST /v1/x402/verify": {
    x402Version: "version",
    paymentPayload: "authorization",
    paymentRequirements: "authorization",
  },
  "POST /v1/x402/settle": {
    x402Version: "version",
    paymentPayload: "authorization",
    paymentRequirements: "authorization",
    orderId: "reference",
    description: "text",
  },
  "POST /v1/auth/sso": { token: "token" },
  "POST /v1/auth/sessions/revoke": { subject: "subject" },
};

const page = { bad: ["0", "-1", "1.5", "1e9", "abc", "", "NaN", "+1", "01", "1".repeat(20)] };
const time = { bad: ["", "today", "2026-13-01T00:00:00Z", "2026-01-31", "1769860800", SQL] };
const day = {
  bad: ["", "today", "2026-13-01", "2026-02-30", "2026-1-1", "2026-01-31T00:00Z", SQL],
};
function id(...prefixes: string[]) {
  const bad = prefixes.flatMap((prefix) => [`${prefix}_`, `${prefix}_${"a".repeat(23)}`]);
  return { bad: ["", ...bad, SQL] };
}

const word = { bad: ["", "x".repeat(129), "a\nb", "a\u0007"] };
const HASHES = { bad: ["", "0x", HASH.slice(0, -1), SQL] };
function getPages(prefix: string) {
  return { page, limit: { bad: [...page.bad, "101"] }, after: id(prefix) };
}

const address = { bad: ["", CHECKSUMMED.slice(0, -1), CHECKSUMMED.replace("E", "e"), SQL] };
const amount = { bad: ["", "0", "-1", "1e3", ".5", "1,5", SQL] };
const flag = { bad: ["", "yes", "1", "TRUE", SQL] };
const list = { bad: ["", "x", "created,x", ",", "status", SQL] };

const deliveries = {
  ...getPages("del"),
  eventId: id("evt"),
  resourceId: id("pay", "refund", "stl", "cust"),
  state: list,
  type: list,
  from: time,
  to: time,
};

const ticket = { bad: ["", "x".repeat(65)] };

/** And each parameter of each query. */
export const QUERY_FIELDS: Record<string, Record<string, { bad: readonly string[] }>> = {
  "GET /v1/audit": {
    ...getPages("aud"),
    actor: word,
    action: word,
    targetId: word,
    from: time,
    to: time,
  },
  "GET /v1/request-logs": {
    ...getPages("log"),
    status: list,
    method: list,
    errorCode: word,
    path: word,
    actor: word,
    requestId: word,
    from: time,
    to: time,
  },
  "GET /v1/payments": {
    ...getPages("pay"),
    status: list,
    expand: list,
    orderId: word,
    chainId: page,
    createdFrom: time,
    createdTo: time,
    txHash: HASHES,
    customerId: id("cust"),
    payerAddress: address,
    recipientAddress: address,
    currency: address,
    amountFrom: amount,
    amountTo: amount,
    failureCode: list,
    needs: list,
    refunded: list,
    source: list,
  },
  "POST /v1/payments": { expand: list },
  "GET /v1/payments/{id}": { expand: list },
  "GET /v1/payments/{id}/sweep": { currency: address },
  "GET /v1/chains/{chainId}/tokens": { expand: list },
  "GET /v1/customers": {
    name: { bad: ["", "x".repeat(101), "a\nb"] },
    createdFrom: time,
    createdTo: time,
    ...getPages("cust"),
    expand: list,
    walletAddress: { bad: ["", "0x", CHECKSUMMED.replace("E", "e"), SQL] },
  },
  "GET /v1/customers/{id}": { expand: list },
  "GET /v1/refunds": {
    ...getPages("refund"),
    expand: list,
    status: list,
    paymentId: word,
    chainId: page,
    currency: address,
    createdFrom: time,
    createdTo: time,
    toSign: flag,
    txHash: HASHES,
  },
  "GET /v1/refunds/{id}": { expand: list },
  "POST /v1/refunds": { expand: list },
  "GET /v1/settlements": {
    ...getPages("stl"),
    expand: list,
    status: list,
    chainId: page,
    currency: address,
    createdFrom: time,
    createdTo: time,
    toSign: flag,
  },
  "GET /v1/payments/{id}/x402": { ticket },
  "POST /v1/payments/{id}/x402": { ticket },
  "GET /v1/settlements/{id}": { expand: list },
  "POST /v1/settlements": { expand: list },
  "GET /v1/settlement-destinations": getPages("dst"),
  "GET /v1/books/{month}": { limit: { bad: [...page.bad, "101"] }, after: id("book") },
  "GET /v1/needs": {
    kind: list,
    taken: list,
    limit: { bad: [...page.bad, "101"] },
    after: word,
  },
  "GET /v1/balances": { limit: { bad: [...page.bad, "101"] }, after: word },
  "GET /v1/statements": { from: day, to: day, columns: list, bom: flag },
  "GET /v1/summary": { from: day, to: day },
  "GET /v1/search": { q: word, limit: { bad: [...page.bad, "21"] } },
  "GET /v1/transfers": {
    ...getPages("tr"),
    chainId: page,
    unmatched: flag,
    txHash: HASHES,
    from: address,
    currency: address,
    state: list,
    createdFrom: time,
    createdTo: time,
  },
  "GET /v1/projects/me": { expand: list },
  "GET /v1/projects/me/keys": { ...getPages("key"), type: list, state: list },
  "GET /v1/webhook-endpoints": getPages("we"),
  "GET /v1/webhook-endpoints/{id}/changes": { page, limit: { bad: [...page.bad, "101"] } },
  "GET /v1/webhook-endpoints/{id}/deliveries": deliveries,
  "GET /v1/deliveries": { ...deliveries, endpointId: id("we") },
  "GET /v1/events": {
    limit: { bad: [...page.bad, "101"] },
    after: id("evt"),
    type: list,
    resourceId: id("pay", "refund", "stl", "cust"),
    from: time,
    to: time,
    order: list,
  },
  "GET /v1/events/stream": { after: id("evt"), bodies: flag },
};

/** Queries that no route takes; an unknown parameter alone is only warned of. */
export const WRONG_QUERIES = ["%E0%A4%A=1", "page=%00", "limit=%ff", "unknown=%ff"];
