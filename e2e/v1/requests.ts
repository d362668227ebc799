// For every route one request that its owner may make, on things of the owner's own. A route without a row here fails
// the suites that walk over all routes.
import { randomBytes } from "node:crypto";
import type { RouteName } from "@pay/gateway";
import { made, payBySignature, signPayment } from "./make-records.ts";
import { ENDPOINT, orderOn, PAYER, settlementOn } from "./product.ts";
import type { Side } from "./tenants.ts";
import { X402_REQUESTS } from "./x402-requests.ts";

export interface Sample {
  path: string;
  body?: object;
}

interface Row {
  /** Made again for every request that may succeed, because some can succeed only once. */
  sample(side: Side): Promise<Sample>;
  /** The status that the owner gets, where it is not the route's success status. */
  answers?: number;
  /** The status that a key gets, for every id, where only a session or the payment's client secret opens the route. */
  keyAlone?: number;
  /** The status for every id that the body does not open, whether it exists or not. */
  unopened?: number;
  /** The id is one of the project in both modes. */
  isOfBothModes?: true;
}

function fixed(of: (side: Side) => Sample): Row["sample"] {
  return async (side) => of(side);
}

function readPaid(action: string): Row["sample"] {
  return fixed(({ ids }) => ({ path: `/v1/payments/${ids.pay}/${action}` }));
}

function newHash() {
  return `0x${randomBytes(32).toString("hex")}`;
}

function newPayment(side: Side) {
  return made(side, "/v1/payments", orderOn(side.chainId));
}

/** Of a payment that has one. */
function withDepositAddress(action: string): Row["sample"] {
  return async (side) => {
    const order = { ...orderOn(side.chainId), depositAddresses: true };
    const { id } = await made(side, "/v1/payments", order);
    return { path: `/v1/payments/${id}/${action}` };
  };
}

function newKey(side: Side) {
  return made(side, "/v1/projects/me/keys", { type: "publishable", mode: side.mode });
}

const ENDPOINTS_KEPT = 8;

/** One of few: a project may have twenty, and a test is done with the older ones. */
async function newEndpoint(side: Side) {
  const { body } = await side.as("GET", "/v1/webhook-endpoints?limit=100");
  const others = body.data.filter(
    ({ id, isDefault }: { id: string; isDefault: boolean }) => !isDefault && id !== side.ids.we,
  );
  for (const { id } of others.slice(ENDPOINTS_KEPT)) {
    await side.as("DELETE", `/v1/webhook-endpoints/${id}`);
  }
  return made(side, "/v1/webhook-endpoints", ENDPOINT);
}

async function pathOfNewEndpoint(side: Side) {
  return `/v1/webhook-endpoints/${(await newEndpoint(side)).id}`;
}

async function pathOfPing(side: Side) {
  const path = await pathOfNewEndpoint(side);
  const { body } = await side.as("POST", `${path}/ping`, {});
  return `${path}/deliveries/${body.deliveryId}`;
}

function buildPart({ ids }: Side) {
  return { paymentId: ids.pay, amount: "0.0001" };
}

function toSettlement({ chainId, treasury }: Side) {
  return { ...settlementOn(chainId), destinationAddress: treasury };
}

/** Requested with another key than the one that will approve it. */
async function newSettlement(side: Side) {
  const { status, body, text } = await side.asOther("POST", "/v1/settlements", toSettlement(side));
  if (status !== 201) throw new Error(`settlement: ${status} ${text}`);
  return `/v1/settlements/${body.id}`;
}

function newDestination({ chainId }: Side) {
  return { chainId, address: `0x${randomBytes(20).toString("hex")}` };
}

/** Without a role: a restricted key gives no scope that it lacks. */
function newInvitation() {
  return { email: `${randomBytes(8).toString("hex")}@shop.example` };
}

export const REQUESTS: Record<string, Row> = {
  "POST /v1/payments": {
    sample: fixed(({ chainId }) => ({ path: "/v1/payments", body: orderOn(chainId) })),
  },
  "GET /v1/payments/{id}": { sample: fixed(({ ids }) => ({ path: `/v1/payments/${ids.pay}` })) },
  "GET /v1/payments": { sample: fixed(() => ({ path: "/v1/payments" })) },
  "GET /v1/payments/{id}/explain": { sample: readPaid("explain") },
  "GET /v1/payments/{id}/sweep": { sample: withDepositAddress("sweep") },
  "POST /v1/payments/{id}/recheck": { sample: withDepositAddress("recheck") },
  "GET /v1/payments/{id}/status": { sample: readPaid("status"), keyAlone: 403 },
  "GET /v1/payments/{id}/x402": { sample: readPaid("x402"), keyAlone: 403 },
  "POST /v1/payments/{id}/x402": { sample: payBySignature, keyAlone: 403 },
  "POST /v1/payments/{id}/confirm": {
    sample: async (side) => {
      const { id, clientSecret } = await newPayment(side);
      const body = { clientSecret, txHash: newHash() };
      return { path: `/v1/payments/${id}/confirm`, body };
    },
  },
  "POST /v1/payments/{id}/payer": {
    sample: async (side) => {
      const { id, clientSecret } = await newPayment(side);
      const payerAddress = `0x${randomBytes(20).toString("hex")}`;
      return { path: `/v1/payments/${id}/payer`, body: { clientSecret, payerAddress } };
    },
  },
  "POST /v1/payments/{id}/authorize": { sample: signPayment },
  "POST /v1/payments/{id}/extend": {
    sample: async (side) => {
      const { id, clientSecret } = await newPayment(side);
      return { path: `/v1/payments/${id}/extend`, body: { clientSecret } };
    },
  },
  "POST /v1/payments/{id}/handoff": {
    sample: async (side) => {
      const { id, clientSecret } = await newPayment(side);
      return { path: `/v1/payments/${id}/handoff`, body: { clientSecret } };
    },
  },
  "POST /v1/payments/{id}/open": {
    sample: async (side) => {
      const { id, clientSecret } = await newPayment(side);
      const shopper = { "x-client-secret": clientSecret };
      const { body } = await side.as("POST", `/v1/payments/${id}/handoff`, {}, shopper);
      return { path: `/v1/payments/${id}/open`, body: { code: body.url.split("/").at(-1) } };
    },
    unopened: 403,
  },
  "POST /v1/payments/{id}/cancel": {
    sample: async (side) => ({ path: `/v1/payments/${(await newPayment(side)).id}/cancel` }),
  },
  "POST /v1/payments/{id}/resolve": {
    sample: async (side) => ({
      path: `/v1/payments/${(await newPayment(side)).id}/resolve`,
      body: { action: "accept" },
    }),
    // Nothing came too late: this answer proves that the credential was accepted.
    answers: 409,
  },
  "POST /v1/payments/{id}/transaction": {
    sample: async (side) => {
      const { id } = await newPayment(side);
      return { path: `/v1/payments/${id}/transaction`, body: { txHash: newHash() } };
    },
  },
  "POST /v1/payments/{id}/refund": {
    sample: async (side) => ({ path: `/v1/payments/${(await newPayment(side)).id}/refund` }),
    // The payment is new: this answer proves that the credential was accepted.
    answers: 409,
  },
  "POST /v1/customers": {
    sample: fixed(() => ({ path: "/v1/customers", body: { walletAddress: PAYER } })),
  },
  "GET /v1/customers/{id}": { sample: fixed(({ ids }) => ({ path: `/v1/customers/${ids.cust}` })) },
  "GET /v1/customers": { sample: fixed(() => ({ path: "/v1/customers" })) },
  "PUT /v1/customers/{id}": {
    sample: fixed(({ ids }) => ({
      path: `/v1/customers/${ids.cust}`,
      body: { displayName: "Zoë" },
    })),
  },
  "DELETE /v1/customers/{id}": {
    sample: async (side) => {
      const { id } = await made(side, "/v1/customers", { walletAddress: PAYER });
      return { path: `/v1/customers/${id}` };
    },
  },
  "POST /v1/refunds": {
    sample: fixed((side) => ({ path: "/v1/refunds", body: buildPart(side) })),
  },
  "GET /v1/refunds/{id}": { sample: fixed(({ ids }) => ({ path: `/v1/refunds/${ids.refund}` })) },
  "GET /v1/refunds": {
    sample: fixed(({ ids }) => ({ path: `/v1/refunds?paymentId=${ids.pay}` })),
  },
  "POST /v1/refunds/{id}/transaction": {
    sample: async (side) => {
      const { id } = await made(side, "/v1/refunds", buildPart(side));
      return { path: `/v1/refunds/${id}/transaction`, body: { txHash: newHash() } };
    },
  },
  "POST /v1/refunds/{id}/destination": {
    // The refund has one: this answer proves that the credential was accepted.
    sample: async (side) => {
      const { id } = await made(side, "/v1/refunds", buildPart(side));
      return {
        path: `/v1/refunds/${id}/destination`,
        body: { destinationAddress: `0x${randomBytes(20).toString("hex")}` },
      };
    },
    answers: 409,
  },
  "POST /v1/refunds/{id}/cancel": {
    sample: async (side) => {
      const { id } = await made(side, "/v1/refunds", buildPart(side));
      return { path: `/v1/refunds/${id}/cancel` };
    },
  },
  "POST /v1/settlements": {
    sample: fixed((side) => ({ path: "/v1/settlements", body: toSettlement(side) })),
  },
  "GET /v1/settlements/{id}": {
    sample: fixed(({ ids }) => ({ path: `/v1/settlements/${ids.stl}` })),
  },
  "GET /v1/settlements": { sample: fixed(() => ({ path: "/v1/settlements" })) },
  "POST /v1/settlements/{id}/approve": {
    sample: async (side) => ({ path: `${await newSettlement(side)}/approve` }),
  },
  "POST /v1/settlements/{id}/reject": {
    sample: async (side) => ({ path: `${await newSettlement(side)}/reject` }),
  },
  "POST /v1/settlements/{id}/transaction": {
    sample: async (side) => {
      const path = await newSettlement(side);
      await side.as("POST", `${path}/approve`);
      return { path: `${path}/transaction`, body: { txHash: newHash() } };
    },
  },
  "POST /v1/settlement-destinations": {
    sample: fixed((side) => ({
      path: "/v1/settlement-destinations",
      body: newDestination(side),
    })),
  },
  "GET /v1/settlement-destinations": {
    sample: fixed(() => ({ path: "/v1/settlement-destinations" })),
  },
  "DELETE /v1/settlement-destinations/{id}": {
    sample: async (side) => {
      const { id } = await made(side, "/v1/settlement-destinations", newDestination(side));
      return { path: `/v1/settlement-destinations/${id}` };
    },
  },
  "GET /v1/balances": { sample: fixed(() => ({ path: "/v1/balances" })) },
  "GET /v1/statements": {
    sample: fixed(() => ({ path: "/v1/statements?from=2026-01-30&to=2026-01-31&columns=id" })),
  },
  "GET /v1/statements/{day}": {
    sample: fixed(() => ({ path: "/v1/statements/2026-01-31" })),
  },
  "GET /v1/books": { sample: fixed(() => ({ path: "/v1/books" })) },
  "GET /v1/books/{month}": { sample: fixed(() => ({ path: "/v1/books/2026-01" })) },
  "GET /v1/needs": { sample: fixed(() => ({ path: "/v1/needs" })) },
  "POST /v1/needs/{id}": {
    sample: async (side) => {
      const { id } = await made(side, "/v1/refunds", buildPart(side));
      return { path: `/v1/needs/${id}`, body: { note: "Asked" } };
    },
  },
  "GET /v1/summary": { sample: fixed(() => ({ path: "/v1/summary" })) },
  "GET /v1/search": { sample: fixed(({ ids }) => ({ path: `/v1/search?q=${ids.pay}` })) },
  "GET /v1/transfers": { sample: fixed(() => ({ path: "/v1/transfers" })) },
  "POST /v1/transfers/{id}/assign": {
    sample: async (side) => ({
      path: `/v1/transfers/${side.ids.tr}/assign`,
      body: { paymentId: (await newPayment(side)).id },
    }),
    // It pays a payment: this answer proves that the credential was accepted.
    answers: 409,
  },
  "GET /v1/chains": { sample: fixed(() => ({ path: "/v1/chains" })) },
  "GET /v1/chains/health": { sample: fixed(() => ({ path: "/v1/chains/health" })) },
  "GET /v1/chains/{chainId}/tokens": {
    sample: fixed(({ chainId }) => ({ path: `/v1/chains/${chainId}/tokens` })),
  },
  "GET /v1/tokens": { sample: fixed(() => ({ path: "/v1/tokens" })) },
  "GET /v1/projects/me": { sample: fixed(() => ({ path: "/v1/projects/me" })) },
  "PUT /v1/projects/me": { sample: fixed(() => ({ path: "/v1/projects/me", body: {} })) },
  "POST /v1/projects/me/keys": {
    sample: fixed(({ mode }) => ({
      path: "/v1/projects/me/keys",
      body: { type: "secret", mode, scopes: ["keys:write"] },
    })),
  },
  "GET /v1/projects/me/keys": { sample: fixed(() => ({ path: "/v1/projects/me/keys" })) },
  "DELETE /v1/projects/me/keys/{id}": {
    sample: async (side) => ({ path: `/v1/projects/me/keys/${(await newKey(side)).id}` }),
  },
  "POST /v1/projects/me/keys/{id}/roll": {
    sample: async (side) => ({
      path: `/v1/projects/me/keys/${(await newKey(side)).id}/roll`,
      body: { graceSeconds: 60 },
    }),
  },
  "POST /v1/webhook-endpoints": {
    sample: async (side) => {
      await newEndpoint(side);
      return { path: "/v1/webhook-endpoints", body: ENDPOINT };
    },
  },
  "GET /v1/webhook-endpoints": { sample: fixed(() => ({ path: "/v1/webhook-endpoints" })) },
  "GET /v1/webhook-endpoints/{id}": {
    sample: fixed(({ ids }) => ({ path: `/v1/webhook-endpoints/${ids.we}` })),
  },
  "PUT /v1/webhook-endpoints/{id}": {
    sample: async (side) => ({
      path: await pathOfNewEndpoint(side),
      body: { events: ["payment.confirmed"] },
    }),
  },
  "DELETE /v1/webhook-endpoints/{id}": {
    sample: async (side) => ({ path: await pathOfNewEndpoint(side) }),
  },
  "POST /v1/webhook-endpoints/{id}/rotate-secret": {
    sample: async (side) => ({
      path: `${await pathOfNewEndpoint(side)}/rotate-secret`,
      body: { overlapSeconds: 60 },
    }),
  },
  "POST /v1/webhook-endpoints/{id}/activate-secret": {
    sample: async (side) => {
      const path = await pathOfNewEndpoint(side);
      await side.as("POST", `${path}/rotate-secret`, {});
      return { path: `${path}/activate-secret` };
    },
  },
  "POST /v1/webhook-endpoints/{id}/ping": {
    sample: async (side) => ({ path: `${await pathOfNewEndpoint(side)}/ping` }),
  },
  "POST /v1/webhook-endpoints/{id}/recover": {
    sample: async (side) => ({
      path: `${await pathOfNewEndpoint(side)}/recover`,
      body: { since: new Date().toISOString() },
    }),
  },
  "GET /v1/webhook-endpoints/{id}/changes": {
    sample: fixed(({ ids }) => ({ path: `/v1/webhook-endpoints/${ids.we}/changes` })),
  },
  "GET /v1/webhook-endpoints/{id}/deliveries": {
    sample: fixed(({ ids }) => ({ path: `/v1/webhook-endpoints/${ids.we}/deliveries` })),
  },
  "GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}": {
    sample: async (side) => ({ path: await pathOfPing(side) }),
  },
  "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver": {
    sample: async (side) => ({ path: `${await pathOfPing(side)}/redeliver` }),
    // The ping is under way: this answer proves that the credential was accepted.
    answers: 409,
  },
  "GET /v1/deliveries": { sample: fixed(() => ({ path: "/v1/deliveries" })) },
  "GET /v1/deliveries/health": { sample: fixed(() => ({ path: "/v1/deliveries/health" })) },
  "GET /v1/members": { sample: fixed(() => ({ path: "/v1/members" })) },
  "POST /v1/members": {
    sample: fixed(() => ({ path: "/v1/members", body: newInvitation() })),
  },
  "PUT /v1/members/{id}": {
    sample: async (side) => {
      const { id } = await made(side, "/v1/members", newInvitation());
      return { path: `/v1/members/${id}`, body: { testRole: null } };
    },
    isOfBothModes: true,
  },
  "DELETE /v1/members/{id}": {
    sample: async (side) => {
      const { id } = await made(side, "/v1/members", newInvitation());
      return { path: `/v1/members/${id}` };
    },
    isOfBothModes: true,
  },
  "PUT /v1/roles/{name}": {
    sample: fixed(() => ({ path: "/v1/roles/returns-desk", body: { scopes: ["members:write"] } })),
  },
  "GET /v1/request-logs": { sample: fixed(() => ({ path: "/v1/request-logs" })) },
  "GET /v1/audit": { sample: fixed(() => ({ path: "/v1/audit" })) },
  "GET /v1/events": { sample: fixed(() => ({ path: "/v1/events" })) },
  "GET /v1/events/stream": { sample: fixed(() => ({ path: "/v1/events/stream" })) },
  ...X402_REQUESTS,
  "POST /v1/auth/sso": {
    sample: async (side) => ({ path: "/v1/auth/sso", body: { token: await side.ssoToken() } }),
  },
  "POST /v1/auth/sessions/revoke": {
    // A subject without sessions: other tests still use the shopper's sessions.
    sample: fixed(() => ({ path: "/v1/auth/sessions/revoke", body: { subject: "unknown" } })),
  },
  "GET /v1/openapi.json": { sample: fixed(() => ({ path: "/v1/openapi.json" })) },
} satisfies Record<RouteName, Row>;
