// Routes that cost money, in servers of a merchant that use the SDK, paid by the client that x402 itself publishes.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { createPay, type Fetch } from "@pay/sdk";
import { type PaidRoute, requirePayment, type SettledPayment } from "@pay/sdk/x402";
import { until } from "@pay/testing";
import { decodePaymentResponseHeader, wrapFetchWithPayment } from "@x402/fetch";
import express from "express";
import { Hono } from "hono";
import { orderOn, type Product, RECIPIENT } from "./product.ts";
import { createPayingClient, TOKEN_PAYER } from "./x402.ts";

type Handle = (payment: SettledPayment) => object;
type Server = (request: Request) => Promise<Response>;

const CENTS = "0.25";
const URLS = { report: "http://shop.example/report?year=2026", photo: "http://shop.example/photo" };

/** The product runs by the time a test asks for it. */
export function describeRequirePayment(getProduct: () => Product): void {
  function connect(send?: Fetch) {
    const { baseUrl, secretKey } = getProduct().credentials;
    return createPay({ baseUrl, secretKey, ...(send && { fetch: send }) });
  }

  function sell({ amount = CENTS, pay = connect() } = {}) {
    const { chainId, tokenAddress: currency } = getProduct().credentials;
    return requirePayment(pay, { amount, chainId, currency, payTo: RECIPIENT });
  }

  /** A client, and what it has sent. */
  function connectPayer(server: Server) {
    const sent: Request[] = [];
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      sent.push(request.clone());
      return server(request);
    };
    const paying = wrapFetchWithPayment(send, createPayingClient(getProduct(), TOKEN_PAYER));
    return { paying, getSigned: () => sent.at(-1)?.headers.get("PAYMENT-SIGNATURE") ?? "" };
  }

  function request(url: string, signature: string): Request {
    return new Request(url, { headers: { "PAYMENT-SIGNATURE": signature } });
  }

  function read(text: string | null) {
    return JSON.parse(Buffer.from(text ?? "", "base64").toString());
  }

  function write(value: object) {
    return Buffer.from(JSON.stringify(value)).toString("base64");
  }

  const servers: { close(): unknown }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Requests go to the server by HTTP, whatever their host is. */
  async function listen(listener: Parameters<typeof createServer>[1]) {
    const server = createServer(listener).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return (asked: Request) => {
      const { pathname, search } = new URL(asked.url);
      return fetch(`http://127.0.0.1:${port}${pathname}${search}`, { headers: asked.headers });
    };
  }

  describe("a route that requires a payment", () => {
    // The recipient of an earlier payment is a wallet of the merchant.
    beforeAll(() => connect().payments.create(orderOn(getProduct().credentials.chainId)));

    const FORMS: Record<string, (route: PaidRoute, handle: Handle) => Promise<Server>> = {
      Express: async (route, handle) => {
        const app = express();
        app.get("/report", route.express, (_request, response) => {
          response.json(handle(response.locals.payment));
        });
        return listen(app);
      },
      Hono: async (route, handle) => {
        const app = new Hono<{ Variables: { payment: SettledPayment } }>();
        app.onError((_error, context) => context.text("failed", 500));
        app.get("/report", route.hono, (context) => context.json(handle(context.get("payment"))));
        return async (asked) => app.fetch(asked);
      },
      "a fetch handler": async (route, handle) =>
        route.fetch((_request, payment) => Response.json(handle(payment))),
    };

    test.each(Object.keys(FORMS))("is paid by an unmodified client, in %s", async (form) => {
      const seen: SettledPayment[] = [];
      let isBroken = true;
      const server = await FORMS[form]?.(sell(), (payment) => {
        seen.push(payment);
        if (isBroken && form !== "a fetch handler") throw new Error("no paper");
        return { rows: 3 };
      });
      if (server === undefined) throw new Error(form);
      const unpaid = await server(new Request(URLS.report));
      expect([unpaid.status, unpaid.headers.get("Cache-Control")]).toEqual([402, "no-store"]);

      const { paying, getSigned } = connectPayer(server);
      const failed = await paying(URLS.report);
      isBroken = false;
      // Who has paid comes again, after a failure as after an answer that was lost.
      const answer = await server(request(URLS.report, getSigned()));
      expect([answer.status, await answer.json()]).toEqual([200, { rows: 3 }]);
      expect(answer.headers.get("Cache-Control")).toBe("private");
      const [payment] = seen as [SettledPayment];
      expect(seen).toEqual([payment, payment]);
      for (const { headers } of [failed, answer]) {
        expect(decodePaymentResponseHeader(headers.get("PAYMENT-RESPONSE") ?? "")).toMatchObject({
          success: true,
          payer: TOKEN_PAYER.address,
          transaction: payment.transaction,
        });
      }
      const paid = await until(
        async () => {
          const expand = ["description", "receivedAmount"] as const;
          const found = await connect().payments.get(payment.id, { expand: [...expand] });
          return found.status === "confirmed" && found;
        },
        { what: "a confirmed payment" },
      );
      expect(paid).toMatchObject({ txHash: payment.transaction, receivedAmount: CENTS });
      expect(paid.description).toMatch(/^GET \S+\/report\?year=2026$/);
    });

    test("gives one resource for one signature, and that to its payer alone", async () => {
      let made = 0;
      const serve = sell().fetch(() => Response.json({ made: ++made }));
      const dearer = sell({ amount: "0.5" }).fetch(() => Response.json({ made: ++made }));
      const { paying, getSigned } = connectPayer(serve);
      expect((await paying(URLS.report)).status).toBe(200);
      const signed = read(getSigned());
      // As the chain shows it to everybody.
      const { ticket, ...extra } = signed.accepted.extra;
      const other = {
        ...extra,
        ticket: ticket.replace(/^./, (first: string) => (first === "a" ? "b" : "a")),
      };
      const stolen = { ...signed, accepted: { ...signed.accepted, extra: other } };
      const answers = await Promise.all([
        serve(request(URLS.photo, getSigned())),
        serve(new Request(URLS.report, { ...request(URLS.report, getSigned()), method: "POST" })),
        dearer(request(URLS.report, getSigned())),
        serve(request(URLS.report, write(stolen))),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([402, 402, 402, 402]);
      const malformed = { ...signed, accepted: { ...signed.accepted, extra } };
      for (const signature of ["x", write({}), write(malformed)]) {
        expect((await serve(request(URLS.report, signature))).status).toBe(400);
      }
      expect(made).toBe(1);
    });

    test("gives one of two resources that are requested at once with one signature", async () => {
      const seen: string[] = [];
      const serve = sell().fetch((asked) => {
        seen.push(asked.url);
        return new Response("made");
      });
      let signature = "";
      const { paying } = connectPayer(async (asked) => {
        signature = asked.headers.get("PAYMENT-SIGNATURE") ?? "";
        // Nobody has seen the signature before.
        return signature === "" ? serve(asked) : new Response();
      });
      await paying(URLS.report);
      const urls = [URLS.report, URLS.photo, URLS.report, URLS.photo];
      const answers = await Promise.all(urls.map((url) => serve(request(url, signature))));
      const paid = answers.flatMap(({ status }, at) => (status === 200 ? [urls[at]] : []));
      expect(new Set(paid).size).toBe(1);
      expect(new Set(seen)).toEqual(new Set(paid));
    });

    test("takes no signature that is good for longer than it asks for", async () => {
      const serve = sell().fetch(() => new Response("made"));
      const { paying } = connectPayer(async (asked) => {
        const answer = await serve(asked);
        const required = read(answer.headers.get("PAYMENT-REQUIRED"));
        const accepts = [{ ...required.accepts[0], maxTimeoutSeconds: 3_600 }];
        const headers = { "PAYMENT-REQUIRED": write({ ...required, accepts }) };
        return new Response("{}", { status: answer.status, headers });
      });
      const answer = await paying(URLS.report);
      expect([answer.status, read(answer.headers.get("PAYMENT-REQUIRED")).error]).toEqual([
        402,
        "invalid_exact_evm_payload_authorization_valid_before",
      ]);
    });

    test("answers 503 while the service is away, and takes the same signature afterwards", async () => {
      let isAway = true;
      const pay = connect((url, init) => {
        if (isAway) throw new TypeError("connection refused");
        return fetch(url, init);
      });
      const serve = sell({ pay }).fetch((_request, { id }) => new Response(id));
      const unpaid = await serve(new Request(URLS.report));
      expect([unpaid.status, unpaid.headers.get("Retry-After")]).toEqual([503, "1"]);
      isAway = false;
      const { paying, getSigned } = connectPayer(async (asked) => {
        isAway = asked.headers.has("PAYMENT-SIGNATURE");
        return serve(asked);
      });
      const lost = await paying(URLS.report);
      expect([lost.status, lost.headers.get("PAYMENT-REQUIRED")]).toEqual([503, null]);
      isAway = false;
      expect((await serve(request(URLS.report, getSigned()))).status).toBe(200);
    });

    test("throws for what the merchant has to mend", async () => {
      const { chainId, tokenAddress: currency, baseUrl } = getProduct().credentials;
      const price = { amount: CENTS, chainId, currency, payTo: RECIPIENT };
      const wrongKey = createPay({ baseUrl, secretKey: "sk_test_wrong" });
      for (const [route, message] of [
        [requirePayment(wrongKey, price), "key"],
        [requirePayment(connect(), { ...price, chainId: 1 }), "pays no gas"],
        [requirePayment(connect(), { ...price, amount: "0" }), "positive decimal string"],
      ] as const) {
        const serve = route.fetch(() => new Response("made"));
        await expect(serve(new Request(URLS.report))).rejects.toThrow(message);
      }
    });
  });
}
