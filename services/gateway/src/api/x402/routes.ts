// The facilitator of x402, for servers of merchants that sell an API with its middleware.
import { Failure } from "@pay/failures";
import type { Token } from "@pay/proto";
import { isAddress } from "@pay/values";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import { route } from "../../pipeline/route.ts";
import { AUTHORIZATION_FAILURES } from "../payments/authorize-payment.ts";
import { CREATION_FAILURES } from "../payments/create-payment.ts";
import { SCHEME, toNetwork, X402_VERSION } from "../payments/x402/protocol.ts";
import { readSettlement, settlePayment, verifyPayment } from "./facilitate.ts";
import { facilitation, settlement } from "./request.ts";
import { settled, settlementState, supported, verified } from "./response.ts";

const x402 = { tag: "x402", auth: "secret", limit: "standard", success: 200 } as const;

export const listSupportedRoute = route({
  ...x402,
  scope: "payments:read",
  summary: "List the payments that the service settles",
  response: supported,
  handle: async (_call, { catalog }) => {
    const chains = (await catalog.chains()).filter(({ sponsorAddress }) => sponsorAddress);
    return {
      kinds: chains.map(({ chainId, tokens }) => ({
        x402Version: X402_VERSION,
        scheme: SCHEME,
        network: toNetwork(chainId),
        extra: { tokens: tokens.flatMap((token) => toSupportedToken(token) ?? []) },
      })),
      extensions: [],
      signers: Object.fromEntries(
        chains.map(({ chainId, sponsorAddress = "" }) => [toNetwork(chainId), [sponsorAddress]]),
      ),
    };
  },
});

function toSupportedToken({ address, decimals, authorization }: Token) {
  if (authorization === undefined) return undefined;
  const { name, version } = authorization;
  return { address, decimals, name, version };
}

export const verifyPaymentRoute = route({
  ...x402,
  scope: "payments:write",
  summary: "Verify that a signed payment would succeed",
  body: facilitation,
  response: verified,
  failures: ["authorization_unsupported"],
  handle: (call, deps) => forwardOnce(deps, call, { write: () => verifyPayment(call, deps) }),
});

export const settlePaymentRoute = route({
  ...x402,
  scope: "payments:write",
  summary: "Settle a signed payment: a payment is created for it, and its transfer sent",
  body: settlement,
  response: settled,
  failures: ["authorization_spent", ...AUTHORIZATION_FAILURES, ...CREATION_FAILURES],
  handle: (call, deps) => forwardOnce(deps, call, { write: () => settlePayment(call, deps) }),
});

export const readSettlementRoute = route({
  ...x402,
  scope: "payments:read",
  summary: "Read whether a signed payment is spent, after a lost answer",
  response: settlementState,
  failures: ["field_invalid", "payment_not_found"],
  handle: (call, deps) => {
    const { chainId, asset, payer, nonce } = call.params;
    if (!/^[1-9][0-9]{0,15}$/.test(chainId)) throw invalid("chainId must be a positive integer");
    if (!isAddress(asset)) throw invalid("asset must be an address");
    if (!isAddress(payer)) throw invalid("payer must be an address");
    if (!/^0x[0-9a-fA-F]{64}$/.test(nonce)) throw invalid("nonce must be 0x and 64 hex digits");
    return readSettlement(call, deps);
  },
});

function invalid(message: string): Failure {
  return new Failure("field_invalid", message);
}
