// Any visitor may know a payment's id and the publishable key, but not its secret, and must not delay its shopper.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { limitRates } from "@pay/testing";
import { type Answer, refusal, type TestProject } from "./gateway.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  startProduct,
  type TestProduct,
} from "./product.ts";

const WRONGS_PER_MINUTE = 3;
const SHOPPER = "203.0.113.1";
const STRANGER = "203.0.113.2";
const txHash = `0x${"a".repeat(64)}`;
const ORDER = {
  amount: "1.50",
  chainId: CHAIN_ID,
  currency: "native",
  recipientAddress: RECIPIENT,
};

describeWithProduct("a confirm", () => {
  let product: TestProduct;
  let shop: TestProject;
  beforeAll(async () => {
    // Time stands still, so no bucket refills while a busy machine takes its time.
    const now = new Date();
    const limits = limitRates({ wrongSecretsPerMinute: WRONGS_PER_MINUTE });
    product = await startProduct({ TRUST_PROXY: "1", ...limits }, { now: () => now });
    shop = await product.gateway.addProject();
  });
  afterAll(() => product?.stop());

  function asMerchant(method: string, path: string, body?: object, headers = {}) {
    return product.gateway.ask(method, path, {
      headers: { "x-secret-key": shop.secret, ...headers },
      ...(body && { body }),
    });
  }

  async function create(): Promise<{ id: string; clientSecret: string }> {
    return (await asMerchant("POST", "/v1/payments", ORDER)).body;
  }

  function confirm(
    payment: { id: string; clientSecret: string },
    { from = SHOPPER, key }: { from?: string; key?: string } = {},
  ): Promise<Answer> {
    return product.gateway.ask("POST", `/v1/payments/${payment.id}/confirm`, {
      headers: {
        "x-publishable-key": shop.publishable,
        "x-forwarded-for": from,
        ...(key && { "idempotency-key": key }),
      },
      body: { clientSecret: payment.clientSecret, txHash },
    });
  }

  async function keysKept() {
    const { rows } = await product.gateway.pool.query(
      "select count(*)::int as n from idempotency_keys",
    );
    return rows[0]?.n;
  }

  const WRONG_SECRET = refusal(403, "Forbidden", "clientSecret is not valid for this payment");

  test("with a wrong secret keeps nothing under its key, so the shopper's own call passes", async () => {
    const [payment, other] = [await create(), await create()];
    const before = await keysKept();
    const wrong = { ...payment, clientSecret: other.clientSecret };
    const refused = await confirm(wrong, { from: STRANGER, key: "confirm" });
    expect([refused.status, refused.body]).toEqual([403, WRONG_SECRET]);
    const unknown = { ...payment, id: `pay_${"0".repeat(24)}` };
    expect((await confirm(unknown, { from: STRANGER, key: "confirm" })).status).toBe(404);
    expect(await keysKept()).toBe(before);

    const first = await confirm(payment, { key: "confirm" });
    expect([first.status, first.body.status]).toEqual([200, "processing"]);
    const again = await confirm(payment, { key: "confirm" });
    expect([again.text, again.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
    expect(await keysKept()).toBe(before + 1);
  });

  test("with the right secret passes, however many wrong ones came from elsewhere", async () => {
    const [payment, other] = [await create(), await create()];
    const wrong = { ...payment, clientSecret: other.clientSecret };
    const statuses: number[] = [];
    for (let at = 0; at < WRONGS_PER_MINUTE + 2; at++) {
      statuses.push((await confirm(wrong, { from: STRANGER })).status);
    }
    expect(statuses).toEqual([403, 403, 403, 429, 429]);
    const limited = await confirm(payment, { from: STRANGER });
    expect([limited.status, limited.headers["ratelimit-policy"]]).toEqual([
      429,
      `"payment";q=${WRONGS_PER_MINUTE};w=60`,
    ]);
    for (let at = 0; at < WRONGS_PER_MINUTE + 2; at++) {
      expect((await confirm(payment)).status).toBe(200);
    }
    expect((await confirm(other, { from: STRANGER })).status).toBe(200);
  });

  test("wrong secrets count under a key and without one alike", async () => {
    const [payment, other] = [await create(), await create()];
    const wrong = { ...payment, clientSecret: other.clientSecret };
    const statuses: number[] = [];
    for (const key of ["a", "b", "c", "d"]) {
      statuses.push((await confirm(wrong, { from: STRANGER, key })).status);
    }
    expect(statuses).toEqual([403, 403, 403, 429]);
  });

  test("of many at once under one key one does the work", async () => {
    const payment = await create();
    const all = await Promise.all(
      Array.from({ length: 10 }, () => confirm(payment, { key: "at once" })),
    );
    const answered = all.filter(({ status }) => status !== 409);
    expect(new Set(answered.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answered.filter(({ headers }) => !headers["idempotent-replayed"])).toHaveLength(1);
  });

  test("a creation is answered again though its customer was erased or cannot be asked for", async () => {
    const walletAddress = RECIPIENT;
    const { body: customer } = await asMerchant("POST", "/v1/customers", { walletAddress });
    const order = { ...ORDER, customerId: customer.id };
    const key = { "idempotency-key": "of a customer" };
    const first = await asMerchant("POST", "/v1/payments", order, key);
    expect(first.status).toBe(201);
    expect((await asMerchant("DELETE", `/v1/customers/${customer.id}`)).status).toBe(200);

    const again = await asMerchant("POST", "/v1/payments", order, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    const other = await asMerchant("POST", "/v1/payments", { ...order, amount: "2" }, key);
    expect(other.status).toBe(422);
    const gone = refusal(400, "Bad Request", "customerId must be the id of a customer");
    const fresh = { "idempotency-key": "of an erased customer" };
    expect((await asMerchant("POST", "/v1/payments", order, fresh)).body).toEqual(gone);
    expect((await asMerchant("POST", "/v1/payments", ORDER, fresh)).status).toBe(201);
    expect((await asMerchant("POST", "/v1/payments", order)).body).toEqual(gone);
  });
});
