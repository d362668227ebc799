// The two shapes of payments for merchants: every answer has exactly its documented fields.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { checksumAddress } from "@pay/values";
import { refusal, type TestProject } from "./gateway.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  startProduct,
  type TestProduct,
} from "./product.ts";

const ORDER = {
  amount: "1.50",
  chainId: CHAIN_ID,
  currency: "native",
  recipientAddress: RECIPIENT,
};
const MONEY = { amount: ORDER.amount, currency: ORDER.currency, chainId: CHAIN_ID };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const TX_HASH = `0x${"aB".repeat(32)}`;

describeWithProduct("payments", () => {
  let product: TestProduct;
  let shop: TestProject;
  beforeAll(async () => {
    product = await startProduct();
    shop = await product.gateway.addProject();
  });
  afterAll(() => product?.stop());

  function ask(method: string, path: string, body?: object, headers = {}) {
    return product.gateway.ask(method, path, {
      headers: { "x-secret-key": shop.secret, ...headers },
      ...(body && { body }),
    });
  }

  function create(change: object = {}, headers = {}) {
    return ask("POST", "/v1/payments", { ...ORDER, ...change }, headers);
  }

  const created = {
    id: expect.stringMatching(/^pay_[0-9A-Za-z]{24}$/),
    clientSecret: expect.stringMatching(/^cs_live_/),
    ...ORDER,
    expiresAt: TIME,
    createdAt: TIME,
  };
  const read = { txHash: null, blockNumber: null, createdAt: TIME };

  test("the primary shape", async () => {
    const { status, body } = await create({ description: "Two mugs" });
    expect(status).toBe(201);
    expect(body).toEqual({ ...created, status: "created", description: "Two mugs" });
    const { body: shown } = await ask("GET", `/v1/payments/${body.id}`);
    expect(shown).toEqual({ ...read, id: body.id, status: "created", ...MONEY });
    const { body: list } = await ask("GET", "/v1/payments?limit=1");
    expect(list).toEqual({
      data: [{ id: body.id, status: "created", ...MONEY, createdAt: body.createdAt }],
      total: expect.any(Number),
      page: 1,
      limit: 1,
    });
  });

  test("the shape of Variant B", async () => {
    const { status, body } = await create({ orderId: "order-1", expiresInMinutes: 7 });
    expect(status).toBe(201);
    expect(body).toEqual({ ...created, status: "pending", orderId: "order-1" });
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7 * 60_000);
    const { body: shown } = await ask("GET", `/v1/payments/${body.id}`);
    expect(shown).toEqual({
      ...read,
      id: body.id,
      status: "pending",
      ...MONEY,
      orderId: "order-1",
    });
    const { body: list } = await ask("GET", "/v1/payments?limit=1");
    expect(list.data).toEqual([
      {
        id: body.id,
        status: "pending",
        amount: ORDER.amount,
        currency: ORDER.currency,
        orderId: "order-1",
        createdAt: body.createdAt,
      },
    ]);
  });

  test.each([
    [{}, {}, "created"],
    [{ qrMode: true }, {}, "created"],
    [{ orderId: "o" }, {}, "pending"],
    [{ expiresInMinutes: 5 }, {}, "pending"],
    [{ orderId: "o", metadata: {} }, {}, "created"],
    [{ expiresInMinutes: 5, qrMode: false }, {}, "created"],
    [{ orderId: "o" }, { "x-service-variant": "primary" }, "created"],
    [{}, { "x-service-variant": "b" }, "pending"],
    [{ metadata: {} }, { "x-service-variant": "B" }, "pending"],
  ])("%j with %j begins as %s", async (change, headers, status) => {
    expect((await create(change, headers)).body.status).toBe(status);
  });

  test("a project that has settled on a shape gets it where the request names none", async () => {
    const settled = await product.gateway.addProject();
    const headers = { "x-secret-key": settled.secret };
    await ask("PUT", "/v1/projects/me", { variant: "b" }, headers);
    expect((await create({ metadata: {} }, headers)).body.status).toBe("pending");
    expect((await create({}, { ...headers, "x-service-variant": "primary" })).body.status).toBe(
      "created",
    );
    expect((await ask("GET", "/v1/payments", undefined, headers)).body.total).toBe(1);
    await ask("PUT", "/v1/projects/me", { variant: null }, headers);
    expect((await create({ metadata: {} }, headers)).body.status).toBe("created");
  });

  test("an unknown shape is refused", async () => {
    expect((await create({}, { "x-service-variant": "c" })).body).toEqual(
      refusal(400, "Bad Request", "X-Service-Variant must be primary or b"),
    );
  });

  test("lists mix the shapes, count both, and a header picks one", async () => {
    const mixed = await product.gateway.addProject();
    const headers = { "x-secret-key": mixed.secret };
    await create({}, headers);
    await create({ orderId: "o" }, headers);
    const { body } = await ask("GET", "/v1/payments", undefined, headers);
    expect(body.total).toBe(2);
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual([
      "pending",
      "created",
    ]);
    const picked = await ask("GET", "/v1/payments", undefined, {
      ...headers,
      "x-service-variant": "b",
    });
    expect(picked.body).toMatchObject({ total: 1, data: [{ orderId: "o" }] });
  });

  test("filters combine, and a walk through the pages shows every payment once", async () => {
    const own = await product.gateway.addProject();
    const headers = { "x-secret-key": own.secret };
    for (const n of [1, 2, 3, 4, 5]) await create({ orderId: n % 2 ? "odd" : "even" }, headers);
    async function total(query: string) {
      return (await ask("GET", `/v1/payments?${query}`, undefined, headers)).body.total;
    }

    expect(await total("orderId=odd")).toBe(3);
    expect(await total("orderId=odd&status=created")).toBe(0);
    expect(await total(`orderId=even&status=pending,created&chainId=${CHAIN_ID}`)).toBe(2);
    expect(await total("createdFrom=2020-01-01T00:00:00Z&createdTo=2020-01-02T00:00:00Z")).toBe(0);
    expect(await total(`txHash=${TX_HASH}`)).toBe(0);
    expect((await ask("GET", "/v1/payments?page=9", undefined, headers)).body).toMatchObject({
      data: [],
      total: 5,
    });

    const seen: string[] = [];
    let after = "";
    do {
      const path = `/v1/payments?limit=2${after && `&after=${after}`}`;
      const answer = await ask("GET", path, undefined, headers);
      seen.push(...answer.body.data.map(({ id }: { id: string }) => id));
      after = String(answer.headers["x-next-after"] ?? "");
    } while (after !== "");
    expect(new Set(seen).size).toBe(5);
    expect(seen).toHaveLength(5);
  });

  test("expand adds fields", async () => {
    const metadata = { cart: { items: [1, "two", null] } };
    const { body } = await create({ metadata, qrMode: true });
    expect(body).not.toHaveProperty("metadata");
    const { body: shown } = await ask(
      "GET",
      `/v1/payments/${body.id}?expand=metadata,recipientAddress,qrMode,receivedAmount`,
    );
    expect(shown).toMatchObject({
      metadata,
      recipientAddress: RECIPIENT,
      qrMode: true,
      receivedAmount: null,
    });
    const { body: list } = await ask("GET", "/v1/payments?limit=1&expand=metadata");
    expect(list.data[0]).toMatchObject({ metadata });
    expect((await ask("GET", `/v1/payments/${body.id}?expand=secret`)).status).toBe(400);
  });

  describe("a repeated creation", () => {
    test("gets the first answer byte for byte, marked as a replay", async () => {
      const key = { "idempotency-key": "order 1" };
      const first = await create({ description: "once" }, key);
      const again = await create({ description: "once" }, key);
      expect(first.headers["idempotent-replayed"]).toBeUndefined();
      expect(again.headers["idempotent-replayed"]).toBe("true");
      expect([again.status, again.text]).toEqual([201, first.text]);
    });

    test("makes one payment however many come at once", async () => {
      const own = await product.gateway.addProject();
      const headers = { "x-secret-key": own.secret, "idempotency-key": "burst" };
      const answers = await Promise.all(Array.from({ length: 50 }, () => create({}, headers)));
      const made = answers.filter(({ status }) => status === 201);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      for (const { status } of answers) expect([201, 409]).toContain(status);
      const { body } = await ask("GET", "/v1/payments", undefined, { "x-secret-key": own.secret });
      expect(body.total).toBe(1);
    });

    test("with another body or in another shape is refused", async () => {
      const key = { "idempotency-key": "order 2" };
      await create({}, key);
      const message = expect.stringContaining("Idempotency-Key");
      for (const answer of [
        await create({ amount: "2" }, key),
        await create({}, { ...key, "x-service-variant": "b" }),
      ]) {
        expect(answer.body).toEqual(refusal(422, "Unprocessable Entity", message));
      }
    });
  });

  test("the project's own lifetime is that of payments that name none", async () => {
    const own = await product.gateway.addProject();
    const headers = { "x-secret-key": own.secret };
    await ask("PUT", "/v1/projects/me", { paymentLifetimeMinutes: 90 }, headers);
    const { body } = await create({}, headers);
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(90 * 60_000);
  });

  test("the shopper hands the hash in with the client secret, the merchant with the key", async () => {
    const one = (await create()).body;
    const publishable = { "x-publishable-key": shop.publishable };
    const path = `/v1/payments/${one.id}/confirm`;
    function confirm(clientSecret: string) {
      return product.gateway.ask("POST", path, {
        headers: publishable,
        body: { clientSecret, txHash: TX_HASH },
      });
    }

    expect((await confirm("cs_live_wrong")).status).toBe(403);
    const { status, body } = await confirm(one.clientSecret);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: one.id,
      status: "processing",
      txHash: TX_HASH.toLowerCase(),
      blockNumber: null,
      ...MONEY,
      expiresAt: one.expiresAt,
    });
    const two = (await create()).body;
    const other = `0x${"cd".repeat(32)}`;
    const submitted = await ask("POST", `/v1/payments/${two.id}/transaction`, { txHash: other });
    expect(submitted.body).toMatchObject({ id: two.id, status: "processing", txHash: other });
  });

  test("a test key's payments are on test chains, with secrets that say so", async () => {
    const { status, body } = await create({}, { "x-secret-key": shop.testSecret });
    expect(status).toBe(201);
    expect(body.clientSecret).toMatch(/^cs_test_/);
    expect((await ask("GET", `/v1/payments/${body.id}`)).status).toBe(404);
  });

  test("only an own customer can be named", async () => {
    const { body: customer } = await ask("POST", "/v1/customers", { walletAddress: RECIPIENT });
    const { body } = await create({ customerId: customer.id });
    const filtered = await ask("GET", `/v1/payments?customerId=${customer.id}`);
    expect(filtered.body.data).toMatchObject([{ id: body.id }]);
    const { body: whole } = await ask("GET", `/v1/payments/${body.id}?expand=customer,metadata`);
    expect(whole).toMatchObject({
      customer: { id: customer.id, displayName: null },
      metadata: null,
    });
    const { text } = await product.gateway.addKey(shop.id, {
      type: "secret",
      scopes: ["payments:read"],
    });
    const path = `/v1/payments/${body.id}?expand=customer`;
    expect((await ask("GET", path, undefined, { "x-secret-key": text })).body).toEqual(
      refusal(403, "Forbidden", "API key lacks the scope customers:read"),
    );
    const stranger = await product.gateway.addProject();
    const refused = await create({ customerId: customer.id }, { "x-secret-key": stranger.secret });
    expect(refused.body).toEqual(
      refusal(400, "Bad Request", "customerId must be the id of a customer"),
    );
  });

  test("the refusal names the field that the chain or the token forbids", async () => {
    for (const [change, message] of [
      [{ chainId: 5 }, /^chainId is not supported$/],
      [{ amount: "0.0000000000000000001" }, /^amount must be/],
      [{ currency: "0x52908400098527886E0F7030069857D2E4169EE7" }, /^currency must be/],
      [{ recipientAddress: product.chain.token.address }, /^recipientAddress must not be a token/],
    ] as const) {
      expect((await create(change)).body).toEqual(
        refusal(400, "Bad Request", expect.stringMatching(message)),
      );
    }
  });

  test("only a confirmed payment can be refunded, in either way", async () => {
    const { body } = await create();
    const refused = refusal(409, "Conflict", "Only confirmed payments can be refunded");
    expect((await ask("POST", `/v1/payments/${body.id}/refund`)).body).toEqual(refused);
    expect((await ask("POST", "/v1/refunds", { paymentId: body.id })).body).toEqual(refused);
  });

  test("a transfer in a block confirms the payment, and all of it can be refunded", async () => {
    const { body } = await create({ amount: "0.5" });
    const payer = product.chain.accounts[5] ?? "";
    const value = 500_000_000_000_000_000n;
    const txHash = await product.chain.payNative({ from: payer, to: RECIPIENT, value });
    await ask("POST", `/v1/payments/${body.id}/transaction`, { txHash });
    const confirmed = await until(
      async () => {
        const { body: shown } = await ask("GET", `/v1/payments/${body.id}`);
        return shown.confirmedAt !== undefined && shown;
      },
      { what: "a confirmed payment" },
    );
    expect(confirmed).toMatchObject({
      status: "confirmed",
      txHash,
      blockNumber: expect.any(Number),
      confirmedAt: TIME,
    });
    const key = { "idempotency-key": "refund-1" };
    const { status, body: refund } = await ask(
      "POST",
      "/v1/refunds?expand=transaction,destinationAddress",
      { paymentId: body.id, amount: "0.2", reason: "Broken" },
      key,
    );
    expect(status).toBe(201);
    expect(refund).toEqual({
      id: expect.stringMatching(/^refund_[0-9A-Za-z]{24}$/),
      paymentId: body.id,
      amount: "0.2",
      status: "created",
      reason: "Broken",
      createdAt: TIME,
      destinationAddress: expect.stringMatching(/^0x/),
      transaction: expect.objectContaining({
        chainId: CHAIN_ID,
        from: RECIPIENT,
        value: "0x2c68af0bb140000",
      }),
    });
    expect((await ask("GET", `/v1/refunds/${refund.id}`)).body).toEqual({
      id: refund.id,
      paymentId: body.id,
      amount: "0.2",
      status: "created",
      createdAt: TIME,
    });
    const { body: list } = await ask("GET", `/v1/refunds?paymentId=${body.id}&status=created`);
    const data = [{ id: refund.id, status: "created", amount: "0.2" }];
    expect(list).toEqual({ data, total: 1, page: 1, limit: 20 });
    const { body: whole } = await ask("GET", `/v1/payments/${body.id}?expand=refunds,customer`);
    expect(whole).toMatchObject({ refunds: [{ id: refund.id, amount: "0.2" }], customer: null });
    const { body: expanded } = await ask(
      "GET",
      `/v1/payments/${body.id}?expand=transfers&expand=timeline`,
    );
    const { timeline, transfers, ...shown } = expanded;
    expect(shown).toEqual(confirmed);
    expect(transfers).toEqual([
      {
        txHash,
        logIndex: null,
        from: checksumAddress(payer),
        to: RECIPIENT,
        amount: "0.5",
        blockNumber: confirmed.blockNumber,
        minedAt: TIME,
        confirmedAt: TIME,
      },
    ]);
    function step(event: string, status: string, hash: string | null, at: unknown = TIME) {
      const madeBy = event !== "confirmed" ? expect.stringMatching(/^key_/) : null;
      return { event, status, at, reason: null, txHash: hash, madeBy };
    }

    expect(timeline).toEqual([
      step("created", "created", null, confirmed.createdAt),
      step("transaction_submitted", "processing", txHash),
      step("confirmed", "confirmed", txHash, confirmed.confirmedAt),
    ]);
    const declared = await ask("POST", `/v1/payments/${body.id}/refund`);
    expect(declared.body).toEqual({ id: body.id, status: "refunded", refundedAt: TIME });
  });
});
