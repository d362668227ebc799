// For every route one request that its owner may make, on things of the owner's own. A route without a row here fails
// the suites that walk over all routes.
import { randomBytes } from "node:crypto";
import { orderOn, PAYER } from "./product.ts";
import type { Side } from "./tenants.ts";

export interface Sample {
  path: string;
  body?: object;
}

interface Row {
  /** Made anew for every request that may succeed, because some can succeed but once. */
  sample(side: Side): Promise<Sample>;
  /** What the owner is answered, where that is not the route's success. */
  answers?: number;
}

const fixed =
  (of: (side: Side) => Sample): Row["sample"] =>
  async (side) =>
    of(side);

const newHash = () => `0x${randomBytes(32).toString("hex")}`;

const made = async (side: Side, path: string, body: object) => {
  const answer = await side.as("POST", path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};
const newPayment = (side: Side) => made(side, "/v1/payments", orderOn(side.chainId));
const newKey = (side: Side) =>
  made(side, "/v1/projects/me/keys", { type: "publishable", mode: side.mode });
const partOf = ({ ids }: Side) => ({ paymentId: ids.pay, amount: "0.0001" });

export const REQUESTS: Record<string, Row> = {
  "POST /v1/payments": {
    sample: fixed(({ chainId }) => ({ path: "/v1/payments", body: orderOn(chainId) })),
  },
  "GET /v1/payments/{id}": { sample: fixed(({ ids }) => ({ path: `/v1/payments/${ids.pay}` })) },
  "GET /v1/payments": { sample: fixed(() => ({ path: "/v1/payments" })) },
  "POST /v1/payments/{id}/confirm": {
    sample: async (side) => {
      const { id, clientSecret } = await newPayment(side);
      const body = { clientSecret, txHash: newHash() };
      return { path: `/v1/payments/${id}/confirm`, body };
    },
  },
  "POST /v1/payments/{id}/transaction": {
    sample: async (side) => {
      const { id } = await newPayment(side);
      return { path: `/v1/payments/${id}/transaction`, body: { txHash: newHash() } };
    },
  },
  "POST /v1/payments/{id}/refund": {
    sample: async (side) => ({ path: `/v1/payments/${(await newPayment(side)).id}/refund` }),
    // The payment is new: who gets this far has been let in.
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
    sample: fixed((side) => ({ path: "/v1/refunds", body: partOf(side) })),
  },
  "GET /v1/refunds/{id}": { sample: fixed(({ ids }) => ({ path: `/v1/refunds/${ids.refund}` })) },
  "GET /v1/refunds": {
    sample: fixed(({ ids }) => ({ path: `/v1/refunds?paymentId=${ids.pay}` })),
  },
  "POST /v1/refunds/{id}/transaction": {
    sample: async (side) => {
      const { id } = await made(side, "/v1/refunds", partOf(side));
      return { path: `/v1/refunds/${id}/transaction`, body: { txHash: newHash() } };
    },
  },
  "GET /v1/chains": { sample: fixed(() => ({ path: "/v1/chains" })) },
  "GET /v1/chains/{chainId}/tokens": {
    sample: fixed(({ chainId }) => ({ path: `/v1/chains/${chainId}/tokens` })),
  },
  "GET /v1/tokens": { sample: fixed(() => ({ path: "/v1/tokens" })) },
  "GET /v1/projects/me": { sample: fixed(() => ({ path: "/v1/projects/me" })) },
  "PUT /v1/projects/me": { sample: fixed(() => ({ path: "/v1/projects/me", body: {} })) },
  "POST /v1/projects/me/keys": {
    sample: fixed(({ mode }) => ({
      path: "/v1/projects/me/keys",
      body: { type: "secret", mode },
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
  "POST /v1/auth/sso": {
    sample: async (side) => ({ path: "/v1/auth/sso", body: { token: await side.ssoToken() } }),
  },
  "GET /v1/openapi.json": { sample: fixed(() => ({ path: "/v1/openapi.json" })) },
};
