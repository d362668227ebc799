// The specification's endpoint tables, row by row, in both shapes of the payment interface: exact fields, statuses,
// first states and nulls.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { planTransfer } from "../harness/planned-transfers.ts";
import { openWallet, type Wallet } from "../harness/wallet.ts";
import { type Headers, refusal } from "./ask.ts";
import { describeAccess } from "./contract-access.ts";
import { describeExpansions } from "./contract-expand.ts";
import { describeRecords } from "./contract-records.ts";
import { describeWebhooks } from "./contract-webhooks.ts";
import { expectFields, FIELDS, ISO_TIME, PAYMENT_FIELDS, type Shape } from "./documented.ts";
import {
  askWith,
  COIN_UNIT,
  describeWithProduct,
  orderOn,
  type Product,
  RECIPIENT,
  startProduct,
} from "./product.ts";

const SHAPES: { shape: Shape; header: Headers; extras: object; first: string }[] = [
  {
    shape: "primary",
    header: {},
    extras: { description: "Two mugs", metadata: { cart: "1729" }, qrMode: false },
    first: "created",
  },
  {
    shape: "b",
    header: {},
    extras: { orderId: "order-7", description: "Two mugs", expiresInMinutes: 45 },
    first: "pending",
  },
];
const UNKNOWN = "0".repeat(24);

describeWithProduct("the contract", () => {
  let product: Product;
  let secret: ReturnType<typeof askWith>;
  let publishable: ReturnType<typeof askWith>;
  let merchant: Wallet;
  let chainId: number;

  beforeAll(async () => {
    product = await startProduct();
    const { credentials } = product;
    chainId = credentials.chainId;
    secret = askWith(product.ask, credentials.secretKey);
    publishable = askWith(product.ask, credentials.publishableKey);
    merchant = await openWallet(credentials, 1);
  });
  afterAll(async () => {
    await product?.stop();
  });

  function order(more: object = {}) {
    return { ...orderOn(chainId), ...more };
  }

  /** A payment that the chain has confirmed, and all answers on the way. */
  async function paid(more: object, headers: Headers, amount: string, base: bigint) {
    const { body } = await secret("POST", "/v1/payments", order({ ...more, amount }), headers);
    // Submitted before it is mined: the chain's follower may find a mined transfer before its hash is submitted.
    const transfer = await planTransfer(product.credentials.chainRpcUrl, {
      to: RECIPIENT,
      value: base,
    });
    const { txHash, sender } = transfer;
    const handedIn = await secret("POST", `/v1/payments/${body.id}/transaction`, { txHash });
    await transfer.mine();
    const read = await until(
      async () => {
        const now = await secret("GET", `/v1/payments/${body.id}`);
        return now.body.status === "confirmed" && now;
      },
      { what: "the confirmation" },
    );
    return { created: body, handedIn, read, txHash, sender };
  }

  describe.each(SHAPES)("payments in the shape $shape", ({ shape, header, extras, first }) => {
    const fields = PAYMENT_FIELDS[shape];
    function create(more: object = extras, headers = header) {
      return secret("POST", "/v1/payments", order(more), headers);
    }

    test("POST /v1/payments answers 201 with the documented fields", async () => {
      const { status, body } = await create();
      expect(status).toBe(201);
      expectFields(body, fields.created);
      expect(body).toMatchObject({
        id: expect.stringMatching(/^pay_[0-9A-Za-z]{24}$/),
        clientSecret: expect.stringMatching(/^cs_live_[0-9A-Za-z]+$/),
        status: first,
        ...order(),
        createdAt: expect.stringMatching(ISO_TIME),
        expiresAt: expect.stringMatching(ISO_TIME),
      });
      const minutes = (Date.parse(body.expiresAt) - Date.parse(body.createdAt)) / 60_000;
      expect(minutes).toBe(shape === "b" ? 45 : 30);
      expect(shape === "b" ? body.orderId : body.description).toBe(
        shape === "b" ? "order-7" : "Two mugs",
      );
    });

    test("POST /v1/payments with the required fields alone shows null for the others", async () => {
      const { status, body } = await create({}, { "x-service-variant": shape });
      expect(status).toBe(201);
      expectFields(body, fields.created);
      expect(body).toMatchObject({
        status: first,
        [shape === "b" ? "orderId" : "description"]: null,
      });
    });

    test("POST /v1/payments without required fields names the missing fields", async () => {
      const { status, body } = await secret("POST", "/v1/payments", {}, header);
      expect([status, body]).toEqual([
        400,
        refusal(
          400,
          "Bad Request",
          "amount is required; chainId is required; currency is required",
        ),
      ]);
    });

    test("GET /v1/payments/{id} of a new payment has nulls and no confirmedAt", async () => {
      const { body: made } = await create();
      const { status, body } = await secret("GET", `/v1/payments/${made.id}`);
      expect(status).toBe(200);
      expectFields(body, fields.read);
      const { id, amount, currency, createdAt } = made;
      expect(body).toMatchObject({ id, amount, currency, chainId, createdAt, status: first });
      expect(body).toMatchObject({ txHash: null, blockNumber: null });
    });

    test("GET /v1/payments wraps items of the same shape", async () => {
      const { body: made } = await create();
      const { status, body } = await secret("GET", "/v1/payments?limit=1");
      expect(status).toBe(200);
      expectFields(body, FIELDS.list);
      expect(body).toMatchObject({ page: 1, limit: 1, total: expect.any(Number) });
      expectFields(body.data[0], fields.item);
      const kept = fields.item.map((name) => [name, made[name]]);
      expect(body.data).toEqual([Object.fromEntries(kept)]);
    });

    test("POST /v1/payments/{id}/confirm answers 200 with what a shopper may see", async () => {
      const { body: made } = await create();
      const txHash = `0x${randomBytes(32).toString("hex")}`;
      const { clientSecret } = made;
      const path = `/v1/payments/${made.id}/confirm`;
      const { status, body } = await publishable("POST", path, { clientSecret, txHash });
      expect(status).toBe(200);
      expectFields(body, FIELDS.submitted);
      expect(body).toMatchObject({ id: made.id, status: "processing", txHash, blockNumber: null });
      expect(body.expiresAt).toBe(made.expiresAt);
    });

    test("POST /v1/payments/{id}/refund of an unconfirmed payment is a conflict", async () => {
      const { body: made } = await create();
      const { status, body } = await secret("POST", `/v1/payments/${made.id}/refund`);
      expect([status, body]).toEqual([
        409,
        refusal(409, "Conflict", "Only confirmed payments can be refunded"),
      ]);
    });

    test("a payment is paid, read, refunded, and each answer has its fields", async () => {
      const [amount, base] = shape === "b" ? ["0.31", 31n] : ["0.32", 32n];
      const { created, handedIn, read, txHash } = await paid(
        extras,
        header,
        amount as string,
        ((base as bigint) * COIN_UNIT) / 100n,
      );
      expect(handedIn.status).toBe(200);
      expectFields(handedIn.body, FIELDS.submitted);
      expect(handedIn.body).toMatchObject({ id: created.id, status: "processing", txHash });

      expectFields(read.body, [...fields.read, "confirmedAt"]);
      expect(read.body).toMatchObject({
        id: created.id,
        txHash,
        blockNumber: expect.any(Number),
        confirmedAt: expect.stringMatching(ISO_TIME),
      });

      const refunded = await secret("POST", `/v1/payments/${created.id}/refund`);
      const refunds = await secret("GET", `/v1/refunds?paymentId=${created.id}`);
      expect(refunds.body).toMatchObject({ total: 1, data: [{ amount }] });
      expect(refunded.status).toBe(200);
      expectFields(refunded.body, FIELDS.refundedPayment);
      expect(refunded.body).toEqual({
        id: created.id,
        status: "refunded",
        refundedAt: expect.stringMatching(ISO_TIME),
      });
      const after = await secret("GET", `/v1/payments/${created.id}`);
      expectFields(after.body, [...fields.read, "confirmedAt"]);
      expect(after.body.status).toBe("refunded");
      expect((await secret("POST", `/v1/payments/${created.id}/refund`)).status).toBe(409);
    });
  });

  test("a project with both shapes lists each payment in its own, and counts both", async () => {
    const mixed = askWith(product.ask, (await product.createProject("Mixed")).secretKey);
    for (const { extras, header } of [...SHAPES, ...SHAPES]) {
      expect((await mixed("POST", "/v1/payments", order(extras), header)).status).toBe(201);
    }
    const { body } = await mixed("GET", "/v1/payments");
    expect(body).toMatchObject({ total: 4, page: 1, limit: 20 });
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual([
      "pending",
      "created",
      "pending",
      "created",
    ]);
    for (const item of body.data) {
      expectFields(item, PAYMENT_FIELDS[item.status === "pending" ? "b" : "primary"].item);
    }
    for (const { shape, first } of SHAPES) {
      const one = await mixed("GET", "/v1/payments", undefined, { "x-service-variant": shape });
      expect(one.body.total).toBe(2);
      for (const item of one.body.data) expect(item.status).toBe(first);
      const filtered = await mixed("GET", `/v1/payments?status=${first}`);
      expect(filtered.body.total).toBe(2);
    }
    const both = { ...SHAPES[0]?.extras, orderId: "order-8", expiresInMinutes: 10 };
    const chosen = await mixed("POST", "/v1/payments", order(both));
    expectFields(chosen.body, PAYMENT_FIELDS.primary.created);
    const read = await mixed("GET", `/v1/payments/${chosen.body.id}?expand=orderId,metadata`);
    expect(read.body).toMatchObject({ orderId: "order-8", metadata: { cart: "1729" } });
  });

  describe("refunds", () => {
    let payment: string;
    beforeAll(async () => {
      const { created } = await paid({}, {}, "0.4", (4n * COIN_UNIT) / 10n);
      payment = created.id;
    });

    test("POST /v1/refunds answers 201 with the documented fields", async () => {
      const asked = { paymentId: payment, amount: "0.1", reason: "One mug was broken" };
      const { status, body } = await secret("POST", "/v1/refunds", asked);
      expect(status).toBe(201);
      expectFields(body, FIELDS.createdRefund);
      expect(body).toEqual({
        id: expect.stringMatching(/^refund_[0-9A-Za-z]{24}$/),
        ...asked,
        status: "created",
        createdAt: expect.stringMatching(ISO_TIME),
      });
    });

    test("GET /v1/refunds/{id} of an open refund has no txHash", async () => {
      const { body: made } = await secret("POST", "/v1/refunds", {
        paymentId: payment,
        amount: "0.01",
      });
      expect(made.reason).toBeNull();
      const { status, body } = await secret("GET", `/v1/refunds/${made.id}`);
      expect(status).toBe(200);
      expectFields(body, FIELDS.readRefund);
      const { id, paymentId, amount, createdAt } = made;
      expect(body).toEqual({ id, paymentId, amount, createdAt, status: "created" });
    });

    test("GET /v1/refunds lists them, of one payment where that is asked", async () => {
      const { status, body } = await secret("GET", `/v1/refunds?paymentId=${payment}&limit=1`);
      expect(status).toBe(200);
      expectFields(body, FIELDS.list);
      expect(body).toMatchObject({ total: 2, page: 1, limit: 1 });
      for (const item of body.data) expectFields(item, FIELDS.refundItem);
      const other = await secret("GET", `/v1/refunds?paymentId=pay_${UNKNOWN}`);
      expect(other.body).toEqual({ data: [], total: 0, page: 1, limit: 20 });
    });

    test("POST /v1/refunds without an amount takes what remains, and then nothing is left", async () => {
      const { body } = await secret("POST", "/v1/refunds", { paymentId: payment });
      expect(body).toMatchObject({ amount: "0.29", status: "created" });
      const more = await secret("POST", "/v1/refunds", { paymentId: payment });
      expect([more.status, more.body]).toEqual([
        409,
        refusal(409, "Conflict", "Payment is fully refunded"),
      ]);
      const tooMuch = await secret("POST", "/v1/refunds", { paymentId: payment, amount: "0.01" });
      expect(tooMuch.body).toEqual(more.body);
    });

    test("POST /v1/refunds/{id}/transaction completes it, and txHash appears", async () => {
      const { created, sender } = await paid({}, {}, "0.41", (41n * COIN_UNIT) / 100n);
      const { body: refund } = await secret("POST", "/v1/refunds", { paymentId: created.id });
      const txHash = await merchant.payNative(sender, (41n * COIN_UNIT) / 100n);
      const path = `/v1/refunds/${refund.id}`;
      const handedIn = await secret("POST", `${path}/transaction`, { txHash });
      expect(handedIn.status).toBe(200);
      expectFields(handedIn.body, FIELDS.readRefund);
      const completed = await until(
        async () => {
          const { body } = await secret("GET", path);
          return body.status === "completed" && body;
        },
        { what: "the completed refund" },
      );
      expectFields(completed, [...FIELDS.readRefund, "txHash"]);
      expect(completed).toMatchObject({ amount: "0.41", txHash });
      // The refund is its own record; the payment learns of it by event.
      await until(
        async () => (await secret("GET", `/v1/payments/${created.id}`)).body.status === "refunded",
        { what: "the refunded payment" },
      );
    });

    test("POST /v1/refunds of an unconfirmed payment is a conflict, of an unknown one not found", async () => {
      const { body: open } = await secret("POST", "/v1/payments", order());
      const early = await secret("POST", "/v1/refunds", { paymentId: open.id });
      expect([early.status, early.body]).toEqual([
        409,
        refusal(409, "Conflict", "Only confirmed payments can be refunded"),
      ]);
      const unknown = await secret("POST", "/v1/refunds", { paymentId: `pay_${UNKNOWN}` });
      expect([unknown.status, unknown.body]).toEqual([
        404,
        refusal(404, "Not Found", "Payment not found"),
      ]);
    });
  });

  describeRecords(() => ({ product, secret, publishable }));
  describeWebhooks(() => secret);
  describeExpansions(() => ({
    secret,
    paid: async (more, cents) => {
      const base = (cents * COIN_UNIT) / 100n;
      const { created, txHash, sender } = await paid(more, {}, `0.${cents}`, base);
      return { id: created.id, txHash, payer: sender };
    },
  }));
  describeAccess(() => ({ product, secret, publishable }));
});
