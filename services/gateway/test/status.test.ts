// A shopper's page has a payment's id and client secret, and no key of the merchant.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { limitRates, until } from "@pay/testing";
import { toReference, toReferenceSuffix } from "@pay/values";
import { type MetricValueWithName, register } from "prom-client";
import { refusal, type TestProject } from "./gateway.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  startProduct,
  type TestProduct,
} from "./product.ts";

const WRONGS_PER_MINUTE = 5;
const txHash = `0x${"b".repeat(64)}`;
const ORDER = {
  amount: "1.50",
  chainId: CHAIN_ID,
  currency: "native",
  recipientAddress: RECIPIENT,
  description: "Two mugs",
  metadata: { cart: "7" },
};

/** Calls to the payments service that read payments. */
async function readsOfPayments(): Promise<number> {
  const calls = await register.getSingleMetric("rpc_client_duration_seconds")?.get();
  const counts = (calls?.values ?? []) as MetricValueWithName<string>[];
  return counts
    .filter(({ metricName }) => metricName === "rpc_client_duration_seconds_count")
    .filter(({ labels }) => /^Batch(?:Get|Open)Payments$/i.test(`${labels.method}`))
    .reduce((sum, { value }) => sum + value, 0);
}

const WRONG_SECRET = refusal(403, "Forbidden", "clientSecret is not valid for this payment");

describeWithProduct("a client secret in a header", () => {
  let product: TestProduct;
  let shop: TestProject;
  let stranger: TestProject;
  beforeAll(async () => {
    product = await startProduct({
      TRUST_PROXY: "1",
      ...limitRates({ wrongKeysPerMinute: WRONGS_PER_MINUTE }),
    });
    shop = await product.gateway.addProject();
    stranger = await product.gateway.addProject();
    const body = {
      allowedOrigins: ["https://shop.example"],
      branding: { primaryColor: "#1A73E8", displayName: "Mug shop" },
    };
    await product.gateway.ask("PUT", "/v1/projects/me", {
      headers: { "x-secret-key": shop.secret },
      body,
    });
  });
  afterAll(() => product?.stop());

  async function create(more: object = {}): Promise<{ id: string; clientSecret: string }> {
    const { body } = await product.gateway.ask("POST", "/v1/payments", {
      headers: { "x-secret-key": shop.secret },
      body: { ...ORDER, ...more },
    });
    return body;
  }

  function status(
    { id, clientSecret }: { id: string; clientSecret: string },
    headers: Record<string, string> = {},
  ) {
    return product.gateway.ask("GET", `/v1/payments/${id}/status`, {
      headers: { "x-client-secret": clientSecret, ...headers },
    });
  }

  test("reads the status with all that a wallet needs, and nothing that the merchant keeps", async () => {
    const payment = await create();
    const suffix = toReferenceSuffix(toReference(payment.id));
    const { body, status: code } = await status(payment);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      id: payment.id,
      status: "created",
      amount: "1.50",
      baseAmount: "1500000000000000000",
      symbol: expect.any(String),
      chainId: CHAIN_ID,
      recipientAddress: RECIPIENT,
      description: "Two mugs",
      missingAmount: null,
      paymentUri: `ethereum:${RECIPIENT}@${CHAIN_ID}?value=1500000000000000000`,
      dueBaseAmount: "1500000000000000000",
      transaction: {
        to: RECIPIENT,
        value: "0x14d1120d7b160000",
        data: `0x${suffix}`,
      },
      shop: {
        displayName: "Mug shop",
        primaryColor: "#1A73E8",
        theme: null,
        supportUrl: null,
        logoUrl: null,
      },
    });
    for (const kept of ["metadata", "customerId", "orderId", "clientSecret", "projectId"]) {
      expect(body).not.toHaveProperty(kept);
    }
  });

  test("names no payment to a recipient with code, and none of a project that wants no names", async () => {
    const withCode = "0x00000000000000000000000000000000000c0de5";
    await product.chain.call("anvil_setCode", [withCode, "0x5f5ffd"]);
    const plain = { data: "0x" };
    const toCode = await create({ recipientAddress: withCode });
    expect((await status(toCode)).body.transaction).toMatchObject(plain);
    const headers = { "x-secret-key": stranger.secret };
    const { ask } = product.gateway;
    await ask("PUT", "/v1/projects/me", { headers, body: { reference: false } });
    const { body } = await ask("POST", "/v1/payments", { headers, body: ORDER });
    expect((await status(body)).body.transaction).toMatchObject(plain);
    const project = await ask("GET", "/v1/projects/me?expand=reference", { headers });
    expect(project.body.reference).toBe(false);
  });

  test("gives the shopper more time, once for one key", async () => {
    const payment = await create();
    const { body: before } = await status(payment);
    const headers = { "x-client-secret": payment.clientSecret, "idempotency-key": "more-time" };
    const path = `/v1/payments/${payment.id}/extend`;
    for (const replayed of [undefined, "true"]) {
      const answer = await product.gateway.ask("POST", path, { headers });
      expect([answer.status, answer.headers["idempotent-replayed"]]).toEqual([200, replayed]);
    }
    const { body: after } = await status(payment);
    expect([before.extensionsLeft, after.extensionsLeft]).toEqual([10, 9]);
    const lifetime = 30 * 60_000;
    expect(Date.parse(after.expiresAt) - Date.parse(before.expiresAt)).toBe(lifetime);
    const wrong = { "x-client-secret": `${payment.clientSecret}x` };
    expect(await product.gateway.ask("POST", path, { headers: wrong })).toMatchObject({
      body: WRONG_SECRET,
    });
  });

  test("goes on in another browser, by a link that works once", async () => {
    const payment = await create();
    const path = `/v1/payments/${payment.id}`;
    const { status: made, body } = await product.gateway.ask("POST", `${path}/handoff`, {
      headers: { "x-client-secret": payment.clientSecret },
    });
    const [, id, code] = /\/pay\/(\w+)\/h\/(\w+)$/.exec(body.url) ?? [];
    expect([made, id]).toEqual([200, payment.id]);
    const page = await product.gateway.ask(
      "GET",
      new URL(body.url, "https://pay.example").pathname,
    );
    expect([page.status, page.headers["referrer-policy"]]).toEqual([200, "no-referrer"]);
    function open(key: string) {
      return product.gateway.ask("POST", `${path}/open`, {
        headers: { "idempotency-key": key },
        body: { code },
      });
    }

    const opened = { id: payment.id, clientSecret: payment.clientSecret };
    // The first answer was lost on its way.
    for (const _ of [1, 2])
      expect(await open("first")).toMatchObject({ status: 200, body: opened });
    const again = await open("second");
    expect([again.status, again.headers["x-error-code"]]).toEqual([403, "handoff_invalid"]);
    const { rows } = await product.gateway.pool.query(
      "select key from idempotency_keys where key in ('first', 'second')",
    );
    expect(rows).toEqual([{ key: "first" }]);
  });

  test("shows where the shopper goes back to and in which language, on an origin of the project alone", async () => {
    const returnUrl = "https://shop.example/orders/7?paid=1";
    const cancelUrl = "https://shop.example/cart";
    const displayAmount = { amount: "12.50", currency: "EUR" };
    const payment = await create({ returnUrl, cancelUrl, displayAmount, locale: "pt-BR" });
    const { body } = await status(payment);
    expect(body).toMatchObject({ returnUrl, cancelUrl, displayAmount, locale: "pt-BR" });
    const path = `/v1/payments/${payment.id}?expand=cancelUrl,displayAmount`;
    const read = await product.gateway.ask("GET", path, {
      headers: { "x-secret-key": shop.secret },
    });
    expect(read.body).toMatchObject({ cancelUrl, displayAmount });
    expect((await status(await create())).body).toMatchObject({
      returnUrl: null,
      cancelUrl: null,
      displayAmount: null,
      locale: null,
    });
    const elsewhere = await product.gateway.ask("POST", "/v1/payments", {
      headers: { "x-secret-key": shop.secret },
      body: { ...ORDER, returnUrl: "https://other.example/", cancelUrl: "https://other.example/" },
    });
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      400,
      "returnUrl must be on one of the project's allowedOrigins; cancelUrl must be on one of the project's allowedOrigins",
    ]);
  });

  test("a creation with a returnUrl is repeated after its origin was taken from the project", async () => {
    const { ask } = product.gateway;
    const headers = { "x-secret-key": shop.secret, "idempotency-key": "before the origin left" };
    const body = { ...ORDER, returnUrl: "https://shop.example/orders/8" };
    const first = await ask("POST", "/v1/payments", { headers, body });
    async function setOrigins(allowedOrigins: string[]) {
      const key = { "x-secret-key": shop.secret };
      const { status } = await ask("PUT", "/v1/projects/me", {
        headers: key,
        body: { allowedOrigins },
      });
      expect(status).toBe(200);
    }

    const project = await ask("GET", "/v1/projects/me", {
      headers: { "x-secret-key": shop.secret },
    });
    await setOrigins(["https://elsewhere.example"]);
    const again = await ask("POST", "/v1/payments", { headers, body });
    const other = { ...headers, "idempotency-key": "after the origin left" };
    const fresh = await ask("POST", "/v1/payments", { headers: other, body });
    await setOrigins(project.body.allowedOrigins);
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect([fresh.status, fresh.headers["x-error-code"]]).toEqual([400, "field_invalid"]);
  });

  test("answers 304 while nothing has changed, and the new status once it has", async () => {
    const payment = await create();
    const first = await status(payment);
    const tag = { "if-none-match": first.headers.etag as string };
    expect((await status(payment, tag)).status).toBe(304);
    const confirmed = await product.gateway.ask("POST", `/v1/payments/${payment.id}/confirm`, {
      headers: { "x-client-secret": payment.clientSecret },
      body: { txHash },
    });
    expect([confirmed.status, confirmed.body.status]).toEqual([200, "processing"]);
    const next = await status(payment, tag);
    expect([next.status, next.body.status, next.body.txHash]).toEqual([200, "processing", txHash]);
  });

  test("sends each change to a page that asks for a stream, and refuses it a wrong secret", async () => {
    const payment = await create();
    const stop = new AbortController();
    function open(secret: string) {
      return fetch(`http://${product.gateway.address}/v1/payments/${payment.id}/status`, {
        headers: {
          "X-Client-Secret": secret,
          Accept: "text/event-stream",
          "X-Forwarded-Proto": "https",
        },
        signal: stop.signal,
      });
    }

    expect((await open(`${payment.clientSecret}x`)).status).toBe(403);
    const readBefore = await readsOfPayments();
    const stream = await open(payment.clientSecret);
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    let text = "";
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const part of stream.body ?? []) text += decoder.decode(part);
    })().catch(() => {});
    await until(() => text.includes('"status":"created"'));
    expect((await readsOfPayments()) - readBefore).toBe(1);
    await product.gateway.ask("POST", `/v1/payments/${payment.id}/confirm`, {
      headers: { "x-client-secret": payment.clientSecret },
      body: { txHash: `0x${"7".repeat(64)}` },
    });
    await until(() => text.includes('"status":"processing"'));
    stop.abort();
    await reading;
  });

  test("refuses a wrong secret, an unknown id and another project's key alike", async () => {
    const [payment, other] = [await create(), await create()];
    const from = { "x-forwarded-for": "203.0.113.7" };
    const answers = [
      await status({ ...payment, clientSecret: other.clientSecret }, from),
      await status({ ...payment, id: `pay_${"0".repeat(24)}` }, from),
      await status({ ...payment, id: "pay_1" }, from),
      await status(payment, { ...from, "x-publishable-key": stranger.publishable }),
    ];
    expect(answers.map(({ status: code }) => code)).toEqual([403, 403, 403, 403]);
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => WRONG_SECRET));
  });

  test("stops an address that guesses, and no other address", async () => {
    const [payment, other] = [await create(), await create()];
    const guess = { ...payment, clientSecret: other.clientSecret };
    const from = { "x-forwarded-for": "203.0.113.8" };
    const codes: number[] = [];
    for (let at = 0; at < WRONGS_PER_MINUTE + 3; at++)
      codes.push((await status(guess, from)).status);
    expect(codes.slice(0, WRONGS_PER_MINUTE)).toEqual(Array(WRONGS_PER_MINUTE).fill(403));
    expect(codes.at(-1)).toBe(429);
    expect((await status(payment, from)).status).toBe(200);
    expect((await status(payment, { "x-forwarded-for": "203.0.113.9" })).status).toBe(200);
  });

  test("without a key serves the product's own pages only, with one the pages of the shop", async () => {
    const payment = await create();
    const own = { origin: `http://${product.gateway.address}` };
    expect((await status(payment, own)).status).toBe(200);
    const page = { origin: "https://shop.example" };
    expect((await status(payment, page)).status).toBe(403);
    const withKey = { ...page, "x-publishable-key": shop.publishable };
    const { status: code, headers } = await status(payment, withKey);
    expect([code, headers["access-control-allow-origin"]]).toEqual([200, page.origin]);
    const evil = { ...withKey, origin: "https://evil.example" };
    expect((await status(payment, evil)).status).toBe(403);
  });

  test("is asked for where only a key is given", async () => {
    const { id } = await create();
    const { status: code, body } = await product.gateway.ask("GET", `/v1/payments/${id}/status`, {
      headers: { "x-publishable-key": shop.publishable },
    });
    expect([code, body]).toEqual([403, refusal(403, "Forbidden", "X-Client-Secret is missing")]);
  });
});
