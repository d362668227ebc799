// The client of the SDK before the real product: what a merchant's server relies on. Clients in other languages are
// samples, and what tools generate from the OpenAPI document.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createPay, type Fetch, PayError } from "@pay/sdk";
import { testUnless, until } from "@pay/testing";
import { GENERATORS } from "./clients/generators.ts";
import { describeWithProduct, orderOn, type Product, startProduct } from "./product.ts";
import { describeRequirePayment } from "./require-payment.ts";
import { LANGUAGES, missingFor, readSample, runSample } from "./samples.ts";
import { describeX402 } from "./x402.ts";

describeWithProduct("the SDK's client", () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct();
  });
  afterAll(() => product?.stop());

  function connect(fetch?: Fetch) {
    const { baseUrl, secretKey, publishableKey } = product.credentials;
    return createPay({ baseUrl, secretKey, publishableKey, ...(fetch && { fetch }) });
  }

  function order() {
    return orderOn(product.credentials.chainId);
  }

  /** The request arrives and is carried out; its answer does not come back, as often as `isLost` says. */
  function losingAnswers(isLost: (tries: number) => boolean) {
    const sent: { key: string | undefined }[] = [];
    async function lossy(url: string, init: RequestInit): Promise<Response> {
      const headers = init.headers as Record<string, string>;
      sent.push({ key: headers["Idempotency-Key"] });
      const response = await fetch(url, init);
      if (!isLost(sent.length)) return response;
      await response.arrayBuffer();
      throw new TypeError("the connection was reset");
    }

    return { lossy, sent };
  }

  test("creates a payment and reads it, with what the headers say beside the body", async () => {
    const pay = connect();
    const made = await pay.payments.create(order(), { query: { expand: ["checkoutUrl"] } });
    expect(made.checkoutUrl).toContain(made.id);
    expect(made.$response).toMatchObject({ status: 201, replayed: false, tries: 1 });
    expect(made.$response.requestId).toEqual(expect.any(String));
    expect(Object.keys(made)).not.toContain("$response");
    const read = await pay.payments.get(made.id, { expand: ["recipientAddress", "timeline"] });
    expect(read).toMatchObject({ id: made.id, recipientAddress: order().recipientAddress });
    expect(read.timeline).toMatchObject([{ event: "created" }]);
    expect(await pay.chains.list()).toMatchObject([{ chainId: order().chainId }]);
  });

  test("makes one payment however often its answer is lost on the way", async () => {
    const { lossy, sent } = losingAnswers((tries) => tries <= 2);
    const orderId = "lost-answers";
    const made = await connect(lossy).payments.create({ ...order(), orderId });
    expect(made.$response).toMatchObject({ replayed: true, tries: 3 });
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    const { total } = await connect().payments.list({ orderId }).page();
    expect(total).toBe(1);
  });

  test("gives up with one error, after its tries or where trying again is of no use", async () => {
    const { lossy, sent } = losingAnswers(() => true);
    const lost = connect(lossy).payments.create(order(), { retriesMax: 1 });
    await expect(lost).rejects.toMatchObject({ name: "PayError", status: 0, code: "no_answer" });
    expect(sent).toHaveLength(2);
    const refused = await connect()
      .payments.create({ ...order(), amount: "-1" })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PayError);
    expect(refused).toMatchObject({
      status: 400,
      code: "field_invalid",
      fields: [{ name: "amount" }],
      requestId: expect.any(String),
    });
    await expect(connect().payments.get("pay_1")).rejects.toMatchObject({
      status: 404,
      code: "payment_not_found",
      fields: [],
    });
  });

  test("ends with its deadline and with its signal, also between two tries", async () => {
    const { lossy } = losingAnswers(() => true);
    const pay = connect(lossy);
    const late = pay.payments.create(order(), { timeoutMs: 300, retriesMax: 9 });
    await expect(late).rejects.toMatchObject({ name: "PayError", status: 0 });
    const ending = new AbortController();
    const left = pay.payments.create(order(), { signal: ending.signal, retriesMax: 9 });
    ending.abort(new Error("the shopper has left"));
    await expect(left).rejects.toThrow("the shopper has left");
  });

  test("walks a list of many pages, and goes on behind the last item after a fault", async () => {
    const [one, other] = [connect(), "walked"];
    const label = (at: number) => ({ displayName: `${other} ${at}` });
    const { recipientAddress: walletAddress } = order();
    for (let at = 0; at < 5; at++) {
      await one.customers.create({ walletAddress, ...label(at) });
    }
    let isAway = false;
    const pay = connect((url, init) => {
      if (isAway) throw new TypeError("the connection was reset");
      return fetch(url, init);
    });
    const pages = pay.customers.list({ limit: 2 }, { retriesMax: 0 });
    const walk = pages[Symbol.asyncIterator]();
    const names: (string | null)[] = [];
    for (let at = 0; at < 2; at++) names.push((await walk.next()).value.displayName);
    isAway = true;
    await expect(walk.next()).rejects.toMatchObject({ code: "no_answer" });
    isAway = false;
    names.push((await walk.next()).value.displayName);
    // Another process has the cursor alone.
    for await (const { displayName } of connect().customers.list({
      after: pages.cursor,
      limit: 1,
    })) {
      names.push(displayName);
    }
    expect(names).toEqual([4, 3, 2, 1, 0].map((at) => label(at).displayName));
  });

  test("hands out every event once, from where the last walk ended", async () => {
    const pay = connect();
    const seen: string[] = [];
    const first = await pay.events.reconcile({ handle: ({ id }) => seen.push(id) });
    const made = await pay.payments.create(order());
    const again: string[] = [];
    let last = first;
    await until(
      async () => {
        last = await pay.events.reconcile({
          after: last,
          handle: ({ id, resourceId }) => {
            seen.push(id);
            again.push(resourceId);
          },
        });
        return again.includes(made.id);
      },
      { what: "the event of the payment" },
    );
    expect(again.filter((id) => id === made.id)).toHaveLength(1);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.at(-1)).toBe(last);
  });

  test("sends nothing without the key or the id that a call needs", async () => {
    const { baseUrl } = product.credentials;
    const keyless = createPay({ baseUrl, publishableKey: product.credentials.publishableKey });
    expect(() => keyless.payments.get("pay_1")).toThrow("payments.get needs the secretKey");
    for (const id of ["", ".", ".."]) {
      expect(() => connect().payments.get(id)).toThrow("id is missing");
    }
  });

  // What each language sends is the same for all operations: one that writes and one with an id in its path show it.
  for (const language of LANGUAGES) {
    const name = `the reference's samples in ${language.name} work as they are printed`;
    testUnless(missingFor(language), name, async () => {
      const { credentials, askOnly } = product;
      const { secretKey: SECRET_KEY, publishableKey: PUBLISHABLE_KEY } = credentials;
      const { text: page } = await askOnly("GET", "/docs");
      async function run(operationId: string, ids: Record<string, string> = {}) {
        const source = readSample(page, operationId, language);
        return runSample(language, source, { SECRET_KEY, PUBLISHABLE_KEY, ...ids });
      }

      const [, id = ""] = /\b(pay_[0-9A-Za-z]{24})\b/.exec(await run("payments.create")) ?? [];
      expect(await run("payments.get", { ID: id })).toContain(id);
    });
  }

  describeX402(() => product);
  describeRequirePayment(() => product);

  for (const { language, findMissing, run } of GENERATORS) {
    const name = `a client generated for ${language} compiles, creates a payment and reads it`;
    testUnless(findMissing(), name, async () => {
      const { baseUrl, secretKey, chainId } = product.credentials;
      const { recipientAddress } = order();
      const folder = mkdtempSync(join(tmpdir(), "pay-client-"));
      try {
        const { text } = await product.askOnly("GET", "/v1/openapi.json");
        writeFileSync(join(folder, "openapi.json"), text);
        const printed = await run(folder, {
          BASE_URL: baseUrl,
          SECRET_KEY: secretKey,
          CHAIN_ID: `${chainId}`,
          RECIPIENT: recipientAddress,
        });
        const orderId = language.toLowerCase();
        const { data } = await connect().payments.list({ orderId }).page();
        const [made] = data;
        expect(JSON.parse(printed)).toMatchObject({ id: made?.id, orderId, recipientAddress });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
});
