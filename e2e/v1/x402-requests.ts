// Requests of a server of the merchant that sells by the middleware of x402.
import { settleForServer, signForServer } from "./make-records.ts";
import type { Side } from "./tenants.ts";

export const X402_REQUESTS = {
  "GET /v1/x402/supported": { sample: async () => ({ path: "/v1/x402/supported" }) },
  "POST /v1/x402/verify": {
    sample: async (side: Side) => ({ path: "/v1/x402/verify", body: await signForServer(side) }),
  },
  "POST /v1/x402/settle": {
    sample: async (side: Side) => ({ path: "/v1/x402/settle", body: await signForServer(side) }),
  },
  "GET /v1/x402/settlements/{chainId}/{asset}/{payer}/{nonce}": {
    sample: async (side: Side) => {
      const { asset, payer, nonce } = await settleForServer(side);
      return { path: `/v1/x402/settlements/${side.chainId}/${asset}/${payer}/${nonce}` };
    },
  },
};
