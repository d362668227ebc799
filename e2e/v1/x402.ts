// Payments over HTTP 402, by the clients and servers that x402 itself publishes.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { AUTHORIZATION_TYPES } from "@pay/values";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { ExactEvmScheme as ServerScheme } from "@x402/evm/exact/server";
import { paymentMiddleware, x402ResourceServer } from "@x402/express";
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { Wallet } from "ethers";
import express from "express";
import { askWith, orderOn, type Product, RECIPIENT } from "./product.ts";

/** The wallet of the development chain that has all tokens. */
export const TOKEN_PAYER = Wallet.fromPhrase(
  "test test test test test test test test test test test junk",
);

type Typed = Parameters<Wallet["signTypedData"]>;

interface Signing {
  /** Of the authorization. */
  change?: object;
  by?: Pick<Wallet, "address" | "signTypedData">;
  accepted?: object;
  x402Version?: number;
}

/** A client that pays from the wallet. */
export function createPayingClient(
  product: Product,
  wallet: Pick<Wallet, "address" | "signTypedData">,
) {
  const { chainId, tokenAddress: asset } = product.credentials;
  const network = `eip155:${chainId}` as const;
  const scheme = new ExactEvmScheme({
    address: wallet.address as `0x${string}`,
    signTypedData: ({ domain, types, message }) =>
      wallet.signTypedData(domain as Typed[0], types as Typed[1], message as Typed[2]) as never,
  });
  const client = new x402Client().register(network, scheme);
  client.setSpendControls({ allowedAssets: [{ network, asset }] });
  return client;
}

/** The product runs by the time a test asks for it. */
export function describeX402(getProduct: () => Product): void {
  const payer = TOKEN_PAYER;

  async function open(more: object = {}, key = getProduct().credentials.secretKey) {
    const { chainId, tokenAddress: currency } = getProduct().credentials;
    const order = { ...orderOn(chainId), currency, ...more };
    const created = await askWith(getProduct().ask, key)("POST", "/v1/payments", order);
    expect(created.status).toBe(201);
    const { id, clientSecret } = created.body;
    const headers = { "x-client-secret": clientSecret };
    const { body } = await getProduct().ask("GET", `/v1/payments/${id}/status`, { headers });
    return { id, headers, status: body, url: body.x402Url as string };
  }

  function read(header: unknown) {
    return JSON.parse(Buffer.from(`${header}`, "base64").toString());
  }

  /** The payload of a client that has chosen its nonce by chance. */
  async function sign(
    { status }: Awaited<ReturnType<typeof open>>,
    { change = {}, by = payer, ...more }: Signing = {},
  ) {
    const { domain, message } = status.authorization.typedData;
    const seconds = Math.floor(Date.now() / 1_000);
    const authorization = {
      ...message,
      from: by.address,
      validAfter: "0",
      validBefore: `${seconds + 300}`,
      nonce: `0x${randomBytes(32).toString("hex")}`,
      ...change,
    };
    const types = { TransferWithAuthorization: [...AUTHORIZATION_TYPES.TransferWithAuthorization] };
    const signature = await by.signTypedData(domain, types, authorization);
    const accepted = { scheme: "exact", network: `eip155:${status.chainId}` };
    const payload = { signature, authorization };
    const signed = { x402Version: 2, accepted, payload, ...more };
    return Buffer.from(JSON.stringify(signed)).toString("base64");
  }

  function pay(
    { id, headers }: Awaited<ReturnType<typeof open>>,
    signature: string,
    method = "GET",
  ) {
    return getProduct().ask(method, `/v1/payments/${id}/x402`, {
      headers: { ...headers, "payment-signature": signature },
    });
  }

  async function untilConfirmed(id: string) {
    const as = askWith(getProduct().ask, getProduct().credentials.secretKey);
    return until(
      async () => {
        const path = `/v1/payments/${id}?expand=attribution,receivedAmount`;
        const { body } = await as("GET", path);
        return body.status === "confirmed" && body;
      },
      { what: "a confirmed payment" },
    );
  }

  describe("a payment at its x402Url", () => {
    test.each([
      ["authorization", false],
      ["address", true],
    ])("is paid by an unmodified client, and named by its %s", async (rule, depositAddresses) => {
      const { id, url, status } = await open({ depositAddresses });
      const paying = wrapFetchWithPayment(fetch, createPayingClient(getProduct(), payer));
      const answer = await paying(url);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ id, amount: status.amount });
      const header = answer.headers.get("PAYMENT-RESPONSE") ?? "";
      const network = `eip155:${status.chainId}`;
      expect(decodePaymentResponseHeader(header)).toEqual({
        success: true,
        payer: payer.address,
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        network,
      });
      expect((await untilConfirmed(id)).attribution).toMatchObject([{ rule }]);
      // Who comes again without the answer is not asked to pay.
      expect((await fetch(url)).status).toBe(200);
    });

    test("answers a payment that is sent again as before, and takes no second one", async () => {
      const opened = await open();
      const signature = await sign(opened);
      const [first, second] = await Promise.all([pay(opened, signature), pay(opened, signature)]);
      const again = await pay(opened, signature, "POST");
      for (const { status, headers } of [first, second, again]) {
        expect([status, headers["payment-response"]]).toEqual([
          200,
          first.headers["payment-response"],
        ]);
      }
      const other = await pay(opened, await sign(opened));
      expect([other.status, other.headers["payment-response"]]).toEqual([409, undefined]);
      await untilConfirmed(opened.id);
      expect((await pay(opened, signature)).headers).toMatchObject({
        "payment-response": first.headers["payment-response"],
      });
    });

    test("refuses by the names of the protocol, asks again, and sends nothing", async () => {
      const opened = await open();
      const poor = Wallet.createRandom();
      const prefix = "invalid_exact_evm_payload";
      const past = `${Math.floor(Date.now() / 1_000) - 1}`;
      for (const [reason, signature] of [
        [`${prefix}_authorization_value`, await sign(opened, { change: { value: "1" } })],
        [`${prefix}_recipient_mismatch`, await sign(opened, { change: { to: payer.address } })],
        [
          `${prefix}_authorization_valid_before`,
          await sign(opened, { change: { validBefore: past } }),
        ],
        [
          `${prefix}_authorization_valid_before`,
          await sign(opened, { change: { validBefore: "99999999999" } }),
        ],
        [
          `${prefix}_authorization_valid_after`,
          await sign(opened, { change: { validAfter: "9999999999" } }),
        ],
        [`${prefix}_signature`, await sign(opened, { by: poor, change: { from: payer.address } })],
        ["insufficient_funds", await sign(opened, { by: poor })],
        [
          "invalid_network",
          await sign(opened, { accepted: { scheme: "exact", network: "eip155:1" } }),
        ],
        [
          "unsupported_scheme",
          await sign(opened, { accepted: { scheme: "upto", network: "eip155:1" } }),
        ],
        ["invalid_x402_version", await sign(opened, { x402Version: 1 })],
      ] as const) {
        const { status, headers, body } = await pay(opened, signature);
        expect([status, body.message]).toEqual([402, reason]);
        expect(read(headers["payment-response"])).toMatchObject({
          success: false,
          errorReason: reason,
        });
        expect(read(headers["payment-required"])).toMatchObject({ error: reason });
      }
      for (const malformed of ["", "x", Buffer.from("{}").toString("base64")]) {
        expect((await pay(opened, malformed)).status).toBe(400);
      }
      const { status, headers, body } = await getProduct().ask(
        "GET",
        new URL(opened.url).pathname,
        opened,
      );
      expect([status, body.error]).toEqual([402, "Payment Required"]);
      const { accepts } = read(headers["payment-required"]);
      expect(accepts).toMatchObject([
        { amount: opened.status.dueBaseAmount, payTo: opened.status.payTo },
      ]);
    });

    test("is opened by its own ticket alone, and spends an authorization for one payment", async () => {
      const other = await getProduct().createProject("Other");
      const [mine, theirs] = [await open(), await open({}, other.secretKey)];
      const wrong = theirs.url.replace(theirs.id, mine.id);
      expect((await fetch(wrong)).status).toBe(403);
      expect((await fetch(theirs.url.replace("/x402", "/status"))).status).toBe(401);
      const signature = await sign(mine);
      expect((await pay(mine, signature)).status).toBe(200);
      const { status, headers } = await pay(theirs, signature);
      expect([status, read(headers["payment-response"]).errorReason]).toEqual([
        402,
        "invalid_transaction_state",
      ]);
    });
  });

  describe("a server of the merchant with the middleware of x402", () => {
    async function sell(payTo: string) {
      const { baseUrl, secretKey, chainId, tokenAddress: asset } = getProduct().credentials;
      const { typedData } = (await open()).status.authorization;
      const headers = { "X-Secret-Key": secretKey };
      const facilitator = new HTTPFacilitatorClient({
        url: `${baseUrl}/v1/x402`,
        createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
      });
      const network = `eip155:${chainId}` as const;
      const resources = new x402ResourceServer(facilitator).register(network, new ServerScheme());
      const { name, version } = typedData.domain;
      const price = { asset, amount: "250000", extra: { name, version } };
      const accepts = { scheme: "exact", network, price, payTo };
      const app = express();
      app.use(paymentMiddleware({ "GET /report": { accepts } }, resources));
      app.get("/report", (_request, response) => void response.json({ rows: 3 }));
      const server = app.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      return {
        url: `http://127.0.0.1:${port}/report`,
        close: () => server.close(),
      };
    }

    test("sells to an unmodified client, and each sale is a payment", async () => {
      const { url, close } = await sell(RECIPIENT);
      let signed = "";
      const paying = wrapFetchWithPayment(
        async (input, init) => {
          const request = new Request(input, init);
          signed = request.headers.get("PAYMENT-SIGNATURE") ?? signed;
          return fetch(request);
        },
        createPayingClient(getProduct(), payer),
      );
      const answer = await paying(url);
      close();
      expect([answer.status, await answer.json()]).toEqual([200, { rows: 3 }]);
      const sold = decodePaymentResponseHeader(answer.headers.get("PAYMENT-RESPONSE") ?? "");
      expect(sold).toMatchObject({ success: true, payer: payer.address });

      const { chainId, tokenAddress, secretKey } = getProduct().credentials;
      const as = askWith(getProduct().ask, secretKey);
      const paymentPayload = read(signed);
      const { nonce } = paymentPayload.payload.authorization;
      const path = `/v1/x402/settlements/${chainId}/${tokenAddress}/${payer.address}/${nonce}`;
      const { body } = await as("GET", path);
      expect(body).toMatchObject({ state: "spent", transaction: sold.transaction });
      const confirmed = await untilConfirmed(body.paymentId);
      expect(confirmed).toMatchObject({
        receivedAmount: "0.25",
        attribution: [{ rule: "authorization" }],
      });
      const other = await getProduct().createProject("No shop of this sale");
      expect((await askWith(getProduct().ask, other.secretKey)("GET", path)).status).toBe(404);

      const again = {
        x402Version: 2,
        paymentPayload,
        paymentRequirements: paymentPayload.accepted,
      };
      expect((await as("POST", "/v1/x402/settle", again)).body).toMatchObject({
        success: true,
        transaction: sold.transaction,
      });
      expect((await as("GET", path)).body.paymentId).toBe(body.paymentId);
      expect((await as("POST", "/v1/x402/verify", again)).body).toMatchObject({
        isValid: false,
        invalidReason: "invalid_transaction_state",
      });
    });

    test("takes nothing for a wallet that is not the merchant's", async () => {
      const { url, close } = await sell(Wallet.createRandom().address);
      const answer = await wrapFetchWithPayment(
        fetch,
        createPayingClient(getProduct(), payer),
      )(url);
      close();
      expect(answer.status).toBe(402);
      expect(read(answer.headers.get("PAYMENT-REQUIRED"))).toMatchObject({
        error: "invalid_payment_requirements",
      });
    });
  });
}
