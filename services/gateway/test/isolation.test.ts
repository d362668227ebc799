// What one project can learn of another by lists, filters, cursors and bodies. Paths with ids are walked, for every
// route of the table, by the tests of the whole product.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { TestProject } from "./gateway.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  startProduct,
  type TestProduct,
} from "./product.ts";

const ORDER = { amount: "1.5", chainId: CHAIN_ID, currency: "native", recipientAddress: RECIPIENT };
const TX_HASH = `0x${"a".repeat(64)}`;

describeWithProduct("isolation", () => {
  let product: TestProduct;
  let mine: TestProject;
  let theirs: TestProject;
  /** Ids of their records, by the prefix of the id. */
  const ids: Record<string, string> = {};
  let clientSecret: string;
  beforeAll(async () => {
    product = await startProduct();
    [mine, theirs] = [await product.gateway.addProject(), await product.gateway.addProject()];
    const made = await as(theirs.secret)("POST", "/v1/payments", ORDER);
    ids.pay = made.body.id;
    clientSecret = made.body.clientSecret;
    ids.cust = (
      await as(theirs.secret)("POST", "/v1/customers", {
        walletAddress: RECIPIENT,
        email: "zoe@shop.example",
      })
    ).body.id;
    ids.key = (
      await as(theirs.secret)("POST", "/v1/projects/me/keys", { type: "publishable", mode: "live" })
    ).body.id;
  });
  afterAll(() => product?.stop());

  function as(secret: string, publishable?: string) {
    return (method: string, path: string, body?: object, headers = {}) =>
      product.gateway.ask(method, path, {
        headers: {
          ...(publishable ? { "x-publishable-key": publishable } : { "x-secret-key": secret }),
          ...headers,
        },
        ...(body && { body }),
      });
  }

  test("their records are as they were", async () => {
    const payment = await as(theirs.secret)("GET", `/v1/payments/${ids.pay}`);
    expect(payment.body).toMatchObject({ status: "created", txHash: null });
    const customer = await as(theirs.secret)("GET", `/v1/customers/${ids.cust}?expand=email`);
    expect(customer.body).toMatchObject({ email: "zoe@shop.example" });
  });

  test.each([
    "/v1/payments",
    "/v1/customers",
    "/v1/refunds",
    "/v1/payments?status=created,pending",
    "/v1/payments?page=2",
  ])("GET %s lists and counts one's own alone", async (path) => {
    const { body } = await as(mine.secret)("GET", path);
    expect(body).toMatchObject({ data: [], total: 0 });
    const otherMode = await as(theirs.testSecret)("GET", path);
    expect(otherMode.body).toMatchObject({ data: [], total: 0 });
  });

  test("filters by another project's ids find nothing", async () => {
    const refunds = await as(mine.secret)("GET", `/v1/refunds?paymentId=${ids.pay}`);
    expect(refunds.body).toMatchObject({ data: [], total: 0 });
    const payments = await as(mine.secret)("GET", `/v1/payments?customerId=${ids.cust}`);
    expect(payments.body).toMatchObject({ data: [], total: 0 });
  });

  test("a list cannot be continued after another project's item", async () => {
    const strange = await as(mine.secret)("GET", `/v1/payments?after=${ids.pay}`);
    const unknown = await as(mine.secret)("GET", `/v1/payments?after=pay_${"0".repeat(24)}`);
    expect([strange.status, strange.text]).toEqual([unknown.status, unknown.text]);
  });

  test("another project's payment cannot be refunded, nor its customer be named", async () => {
    const refund = await as(mine.secret)("POST", "/v1/refunds", { paymentId: ids.pay });
    const unknown = await as(mine.secret)("POST", "/v1/refunds", {
      paymentId: `pay_${"0".repeat(24)}`,
    });
    expect([refund.status, refund.text]).toEqual([404, unknown.text]);
  });

  test("the shopper's secret opens its payment in its own project only", async () => {
    const body = { clientSecret, txHash: TX_HASH };
    const path = `/v1/payments/${ids.pay}/confirm`;
    expect((await as("", mine.publishable)("POST", path, body)).status).toBe(404);
    const own = await as(theirs.secret)("POST", "/v1/payments", ORDER);
    const refused = await as("", theirs.publishable)(
      "POST",
      `/v1/payments/${own.body.id}/confirm`,
      body,
    );
    expect(refused.status).toBe(403);
  });

  test("two projects may use the same idempotency key", async () => {
    const key = { "idempotency-key": "order-1" };
    const [one, two] = [
      await as(mine.secret)("POST", "/v1/payments", ORDER, key),
      await as(theirs.secret)("POST", "/v1/payments", { ...ORDER, amount: "2" }, key),
    ];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.body.id).not.toBe(two.body.id);
  });

  test("a body cannot name another project", async () => {
    const { body } = await as(mine.secret)("PUT", "/v1/projects/me", {
      id: theirs.id,
      projectId: theirs.id,
      name: "Mine",
    });
    expect(body).toMatchObject({ id: mine.id, name: "Mine" });
    expect((await as(theirs.secret)("GET", "/v1/projects/me")).body.name).toBe("Shop");
  });
});
