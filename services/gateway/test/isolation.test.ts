// What one project can learn of another by lists, filters, cursors and bodies. Paths with ids are walked, for every
// route of the table, by the tests of the whole product. And what a member with limits may do with refunds.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { checksumAddress } from "@pay/values";
import type { TestProject } from "./gateway.ts";
import { code, createMembers, SAME, type Signed } from "./members.ts";
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

  /** A payment of 0.5 that a transfer of the payer has confirmed. */
  async function payHalf(payer: string) {
    const { body } = await as(mine.secret)("POST", "/v1/payments", { ...ORDER, amount: "0.5" });
    const value = 500_000_000_000_000_000n;
    const txHash = await product.chain.payNative({ from: payer, to: RECIPIENT, value });
    await as(mine.secret)("POST", `/v1/payments/${body.id}/transaction`, { txHash });
    await until(
      async () => {
        const { body: shown } = await as(mine.secret)("GET", `/v1/payments/${body.id}`);
        return shown.confirmedAt !== undefined;
      },
      { what: "a confirmed payment" },
    );
    return body.id as string;
  }

  test("a member whose role may not refund refunds up to limits, to the payer, and nothing else", async () => {
    const payer = product.chain.accounts[6] ?? "";
    const paymentId = await payHalf(payer);
    const members = createMembers(
      () => product.gateway,
      () => mine,
    );
    const { signIn, signInConfirmed, confirm } = members;
    const owner = await signInConfirmed();
    const helper = await signIn({ live: "support", test: null });
    const path = `/v1/members/${helper.memberId}`;
    const limit = { chainId: CHAIN_ID, currency: "native", perDay: "0.3" };
    for (const [body, refused] of [
      [{ refundLimits: [limit, { ...limit, perDay: "1" }] }, "field_invalid"],
      [{ refundLimits: [{ ...limit, perDay: "0.0000000000000000001" }] }, "field_invalid"],
      [{ refundLimits: [{ ...limit, currency: RECIPIENT }] }, "field_invalid"],
      [{ refundLimits: [{ ...limit, chainId: 5 }] }, "chain_unsupported"],
    ] as const) {
      expect((await members.as(owner)("PUT", path, body)).headers["x-error-code"]).toBe(refused);
    }
    const inTest = members.as(owner, { "x-service-mode": "test" });
    const given = { email: "till@shop.example", testRole: "support", refundLimits: [limit] };
    expect(code(await inTest("POST", "/v1/members", given))).toEqual([403, "live_key_required"]);
    const changed = await members.as(owner)("PUT", path, { refundLimits: [limit] });
    expect(changed.body).toMatchObject({ liveRole: "support", refundLimits: [limit] });
    expect((await members.as(owner)("PUT", path, { testRole: "viewer" })).body).toMatchObject({
      refundLimits: [limit],
    });
    const invited = await members.as(owner)("POST", "/v1/members", given);
    expect(invited.body).toMatchObject({ refundLimits: [limit] });

    await members.as(owner)("PUT", "/v1/roles/people", {
      scopes: ["members:read", "members:write"],
    });
    const lead = await signIn({ live: "people", test: null });
    await confirm(lead);
    const own = { refundLimits: [limit] };
    const raised = await members.as(lead)("PUT", `/v1/members/${lead.memberId}`, own);
    expect(code(raised)).toEqual([403, "scope_missing"]);

    const headers = { ...SAME, cookie: helper.cookie };
    const { body: session } = await product.gateway.ask("GET", "/dashboard/session", { headers });
    expect(session.memberships[0].refundLimits).toEqual([limit]);
    function refund(by: Signed, change: object = {}) {
      const body = { paymentId, amount: "0.2", ...change };
      return members.as(by)("POST", "/v1/refunds?expand=destinationAddress,requestedBy", body);
    }

    const { body: explained } = await members.as(helper)(
      "GET",
      `/v1/payments/${paymentId}/explain`,
    );
    expect(explained.actions).toContainEqual(
      expect.objectContaining({ name: "refund", allowed: true }),
    );
    await confirm(helper);
    const named = await refund(helper, { destinationAddress: product.chain.accounts[7] });
    expect(code(named)).toEqual([403, "refund_destination_forbidden"]);
    expect(code(await refund(helper, { amount: "0.4" }))).toEqual([403, "refund_limit_exceeded"]);
    const { body: made, status } = await refund(helper);
    expect(status).toBe(201);
    expect(made).toMatchObject({
      destinationAddress: checksumAddress(payer),
      requestedBy: helper.memberId,
    });
    expect(code(await refund(helper))).toEqual([403, "refund_limit_exceeded"]);
    const { body: others } = await refund(owner);
    for (const [last, body] of [
      ["cancel", undefined],
      ["transaction", { txHash: TX_HASH }],
      ["destination", { destinationAddress: payer }],
    ] as const) {
      const answer = await members.as(helper)("POST", `/v1/refunds/${others.id}/${last}`, body);
      expect(code(answer)).toEqual([403, "scope_missing"]);
    }
    const whole = await members.as(helper)("POST", `/v1/payments/${paymentId}/refund`);
    expect(code(whole)).toEqual([403, "scope_missing"]);
    expect((await members.as(helper)("POST", `/v1/refunds/${made.id}/cancel`)).status).toBe(200);
    await members.as(owner)("PUT", path, { refundLimits: [] });
    expect(code(await refund(helper))).toEqual([403, "scope_missing"]);
  });
});
