// Makes records that samples of requests are about.
import { randomBytes } from "node:crypto";
import { until } from "@pay/testing";
import { AUTHORIZATION_TYPES, toAuthorizationNonce, toBaseUnits, toReference } from "@pay/values";
import { Wallet } from "ethers";
import { keyHeader, orderOn, PAYER, RECIPIENT } from "./product.ts";
import type { Side } from "./tenants.ts";

const DEVELOPMENT_PHRASE = "test test test test test test test test test test test junk";

/** As the wallet of the development chain that has all tokens. */
async function sign(
  chainId: number,
  { id, expiresAt, token }: Signed,
  nonce = toAuthorizationNonce(toReference(id), 0),
) {
  const authorization = {
    from: PAYER,
    to: RECIPIENT,
    value: `${toBaseUnits(orderOn(chainId).amount, token.decimals)}`,
    validAfter: "0",
    validBefore: `${Math.floor(Date.parse(expiresAt) / 1_000)}`,
    nonce,
  };
  const domain = { name: token.name, version: "1", chainId, verifyingContract: token.address };
  const types = { TransferWithAuthorization: [...AUTHORIZATION_TYPES.TransferWithAuthorization] };
  const wallet = Wallet.fromPhrase(DEVELOPMENT_PHRASE);
  return { authorization, signature: await wallet.signTypedData(domain, types, authorization) };
}

/** What a client of x402 has signed for a server of the merchant, and what the server hands on. */
export async function signForServer(side: Side) {
  const [{ tokens }] = (await side.as("GET", "/v1/chains/health")).body;
  const [token] = tokens as [Token];
  const expiresAt = new Date(Date.now() + 300_000).toISOString();
  const nonce = `0x${randomBytes(32).toString("hex")}`;
  const payload = await sign(side.chainId, { id: "", expiresAt, token }, nonce);
  const accepted = { scheme: "exact", network: `eip155:${side.chainId}` };
  const { to: payTo, value: amount } = payload.authorization;
  return {
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted, payload },
    paymentRequirements: { ...accepted, amount, asset: token.address, payTo },
  };
}

/** One that is settled, by the names of its parts in paths and bodies. */
export async function settleForServer(side: Side) {
  const body = await signForServer(side);
  const { status, text } = await side.as("POST", "/v1/x402/settle", body);
  if (status !== 200) throw new Error(`a settlement: ${status} ${text}`);
  const { from: payer, nonce } = body.paymentPayload.payload.authorization;
  return { ...body, asset: body.paymentRequirements.asset, payer, nonce };
}

type Token = Record<"name" | "address", string> & { decimals: number };

interface Signed {
  id: string;
  expiresAt: string;
  token: Token;
}

export async function made(side: Side, path: string, body: object) {
  const answer = await side.as("POST", path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A new payment, with what its payer signs instead of sending a transaction. */
export async function signPayment(side: Side, more: object = {}) {
  const [{ tokens }] = (await side.as("GET", "/v1/chains/health")).body;
  const [token] = tokens as [Token];
  // Whatever the project does by default.
  const chosen = { depositAddresses: false, currency: token.address, ...more };
  const order = { ...orderOn(side.chainId), ...chosen };
  const { id, clientSecret, expiresAt } = await made(side, "/v1/payments", order);
  const body = { clientSecret, ...(await sign(side.chainId, { id, expiresAt, token })) };
  return { id, path: `/v1/payments/${id}/authorize`, body };
}

/** A new payment of the shopper that an authorization has paid, with the ticket that opens it. */
export async function payBySignature(side: Side) {
  const { id, path, body } = await signPayment(side, { customerId: side.ids.cust });
  const headers = { "x-client-secret": body.clientSecret };
  const { x402Url } = (await side.as("GET", `/v1/payments/${id}/status`, undefined, headers)).body;
  await until(
    async () =>
      (await side.as("POST", path, body, keyHeader(side.publishable))).body.status === "used",
    { what: "an authorization that is used" },
  );
  const ticket = new URL(x402Url).searchParams.get("ticket");
  return { id, path: `/v1/payments/${id}/x402`, ticket };
}
