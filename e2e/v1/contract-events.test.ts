// Every event that is sent to a merchant, with its exact body: payments in both shapes, refunds in whole and in part,
// customers. Those of settlements are in settlements.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type TestDatabase, testDatabase, until } from "@pay/testing";
import { type Merchant, openShop } from "../harness/merchant.ts";
import { planTransfer } from "../harness/planned-transfers.ts";
import { openWallet, type Wallet } from "../harness/wallet.ts";
import { expectFields, FIELDS, ISO_TIME } from "./documented.ts";
import {
  askWith,
  COIN_UNIT,
  describeWithProduct,
  orderOn,
  type Product,
  RECIPIENT,
  startProduct,
} from "./product.ts";

const ELSEWHERE = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const MERCHANT_TYPES = [
  "payment.created",
  "payment.processing",
  "payment.confirmed",
  "payment.failed",
  "payment.expired",
  "payment.refunded",
  "refund.created",
  "refund.completed",
  "refund.failed",
  "customer.created",
  "customer.updated",
];
const SHAPES = [
  { shape: "primary", extras: { metadata: { cart: "1" } }, first: "created", orderId: null },
  { shape: "b", extras: { orderId: "order-7" }, first: "pending", orderId: "order-7" },
];

describeWithProduct("the events", () => {
  let paymentsDatabase: TestDatabase;
  let product: Product;
  let shop: Merchant;
  let merchant: Wallet;
  let chainId: number;
  let ask: ReturnType<typeof askWith>;
  /** Hundredths of a coin: every payment has an amount of its own, so no transfer fits two. */
  let nextAmount = 20n;

  beforeAll(async () => {
    paymentsDatabase = await testDatabase("services/payments");
    product = await startProduct({ PAYMENTS_DATABASE_URL: paymentsDatabase.url });
    const { credentials } = product;
    chainId = credentials.chainId;
    ask = askWith(product.ask, credentials.secretKey);
    shop = await openShop(credentials);
    merchant = await openWallet(credentials, 1);
  });
  afterAll(async () => {
    await shop?.receiver.stop();
    await product?.stop();
    await paymentsDatabase?.drop();
  });

  async function order(more: object = {}) {
    const hundredths = nextAmount++;
    const amount = `0.${hundredths}`;
    const { status, body } = await ask("POST", "/v1/payments", {
      ...orderOn(chainId),
      ...more,
      amount,
    });
    expect(status).toBe(201);
    const base = (hundredths * COIN_UNIT) / 100n;
    function bodyWith(now: object) {
      return {
        id: body.id,
        amount: base.toString(),
        currency: "native",
        chainId,
        txHash: null,
        blockNumber: null,
        orderId: null,
        ...now,
      };
    }

    return { id: body.id as string, base, bodyWith };
  }

  async function handIn(id: string, txHash: string) {
    const kind = id.startsWith("pay_") ? "payments" : "refunds";
    const { status } = await ask("POST", `/v1/${kind}/${id}/transaction`, { txHash });
    expect(status).toBe(200);
  }

  /** The next delivery of this event about this resource: every field of it, and no other. */
  async function expectDelivery(type: string, id: string, body: object) {
    const delivery = await shop.waitForDelivery(type, id);
    expect(delivery.body).toEqual(body);
    const { headers } = delivery.received;
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-service-event": type,
      "x-service-mode": "live",
      "x-service-event-id": expect.stringMatching(/^evt_/),
      "x-service-attempt": "1",
      "x-service-sequence": expect.stringMatching(/^[1-9]\d*$/),
    });
    return delivery;
  }

  async function confirmed(more: object = {}) {
    const payment = await order(more);
    // Submitted before it is mined: the chain's follower may find a mined transfer before its hash is submitted.
    const transfer = await planTransfer(product.credentials.chainRpcUrl, {
      to: RECIPIENT,
      value: payment.base,
    });
    const { txHash, sender } = transfer;
    await handIn(payment.id, txHash);
    await transfer.mine();
    const { blockNumber } = await shop.reaches(payment.id, "confirmed");
    return { ...payment, txHash, sender, blockNumber };
  }

  describe.each(SHAPES)("a payment in the shape $shape", ({ extras, first, orderId }) => {
    test("is created, processing, confirmed", async () => {
      const { id, bodyWith, txHash, blockNumber } = await confirmed(extras);
      const created = await expectDelivery(
        "payment.created",
        id,
        bodyWith({ status: first, orderId }),
      );
      expectFields(created.body, FIELDS.paymentEvent);
      const processing = { status: "processing", txHash, orderId };
      await expectDelivery("payment.processing", id, bodyWith(processing));
      const proven = { status: "confirmed", txHash, blockNumber, orderId };
      await expectDelivery("payment.confirmed", id, bodyWith(proven));
    });

    test("fails when the transfer went to another address", async () => {
      const { id, base, bodyWith } = await order(extras);
      const txHash = await shop.wallet.payNative(ELSEWHERE, base);
      await handIn(id, txHash);
      const { body } = await shop.waitForDelivery("payment.failed", id);
      expect(body).toEqual(
        bodyWith({ status: "failed", txHash, blockNumber: body.blockNumber, orderId }),
      );
    });

    test("expires when its time is over", async () => {
      const { id, bodyWith } = await order(extras);
      // A day passes.
      await paymentsDatabase.pool.query(
        `update payments set created_at = created_at - interval '1 day',
           expires_at = expires_at - interval '1 day' where id = $1`,
        [id],
      );
      await expectDelivery("payment.expired", id, bodyWith({ status: "expired", orderId }));
    });

    test("is refunded at once where the merchant declares it; the record waits for its hash", async () => {
      const { id, base, bodyWith, txHash, blockNumber } = await confirmed(extras);
      expect((await ask("POST", `/v1/payments/${id}/refund`)).status).toBe(200);
      await expectDelivery(
        "payment.refunded",
        id,
        bodyWith({ status: "refunded", txHash, blockNumber, orderId }),
      );
      const [record] = await until(
        async () => {
          const { data } = (await ask("GET", `/v1/refunds?paymentId=${id}`)).body;
          return data.length > 0 && data;
        },
        { what: "the record of the refund" },
      );
      await expectDelivery("refund.created", record.id, {
        id: record.id,
        paymentId: id,
        status: "created",
        amount: base.toString(),
        currency: "native",
        chainId,
        txHash: null,
        reason: null,
        failureReason: null,
        orderId,
        destinationSource: "payer",
      });
    });
  });

  describe("refunds", () => {
    async function refund(paymentId: string, more: object) {
      const { status, body } = await ask("POST", "/v1/refunds", { paymentId, ...more });
      expect(status).toBe(201);
      return body.id as string;
    }

    function bodyWith(id: string, paymentId: string, now: object) {
      return {
        id,
        paymentId,
        currency: "native",
        chainId,
        txHash: null,
        reason: null,
        failureReason: null,
        orderId: null,
        destinationSource: "payer",
        ...now,
      };
    }

    test("of a part complete, and the payment stays confirmed until the whole amount is refunded", async () => {
      const payment = await confirmed();
      const part = payment.base / 4n;
      const first = await refund(payment.id, { amount: decimal(part), reason: "One broke" });
      const reason = "One broke";
      const open = { status: "created", amount: part.toString(), reason };
      const created = await expectDelivery(
        "refund.created",
        first,
        bodyWith(first, payment.id, open),
      );
      expectFields(created.body, FIELDS.refundEvent);

      const txHash = await merchant.payNative(payment.sender, part);
      await handIn(first, txHash);
      const done = { ...open, status: "completed", txHash };
      await expectDelivery("refund.completed", first, bodyWith(first, payment.id, done));
      const { txHash: paidBy, blockNumber } = payment;
      const partly = await expectDelivery(
        "payment.refunded",
        payment.id,
        payment.bodyWith({ status: "confirmed", txHash: paidBy, blockNumber }),
      );
      await shop.reaches(payment.id, "confirmed");

      const rest = await refund(payment.id, {});
      await handIn(rest, await merchant.payNative(payment.sender, payment.base - part));
      await shop.waitForDelivery("refund.completed", rest);
      const wholly = await expectDelivery(
        "payment.refunded",
        payment.id,
        payment.bodyWith({ status: "refunded", txHash: paidBy, blockNumber }),
      );
      expect(wholly.eventId).not.toBe(partly.eventId);
      await shop.reaches(payment.id, "refunded");
    });

    test("fail when the transfer went to another address, and can be tried again", async () => {
      const payment = await confirmed();
      const id = await refund(payment.id, {});
      const txHash = await merchant.payNative(ELSEWHERE, payment.base);
      await handIn(id, txHash);
      const { body } = await shop.waitForDelivery("refund.failed", id);
      const { failureReason } = body;
      expect(failureReason).toEqual(expect.stringMatching(/^[a-z_]+$/));
      const failed = { status: "failed", amount: payment.base.toString(), txHash, failureReason };
      expect(body).toEqual(bodyWith(id, payment.id, failed));
      await refund(payment.id, {});
    });
  });

  test("a customer is created, and updated only when something changed", async () => {
    const details = { displayName: "Zoë", metadata: { plan: "gold" } };
    const { body: made } = await ask("POST", "/v1/customers", {
      walletAddress: ELSEWHERE,
      email: "zoe@shop.example",
      ...details,
    });
    const { id, createdAt } = made;
    const bodyWith = { id, walletAddress: ELSEWHERE, ...details, createdAt, updatedAt: createdAt };
    const created = await expectDelivery("customer.created", id, bodyWith);
    expectFields(created.body, FIELDS.customerEvent);

    await ask("PUT", `/v1/customers/${id}`, { displayName: "Zoë" });
    await ask("PUT", `/v1/customers/${id}`, {});
    await ask("PUT", `/v1/customers/${id}`, { displayName: "Zoë B." });
    const updated = await shop.waitForDelivery("customer.updated", id);
    expect(updated.body).toEqual({
      ...bodyWith,
      displayName: "Zoë B.",
      updatedAt: expect.stringMatching(ISO_TIME),
    });
    expect(updated.received.headers["x-service-sequence"]).toBe("2");
  });

  test("all types that can occur were delivered, and no other type", () => {
    const types = shop.receiver.all.map(({ headers }) => headers["x-service-event"]);
    expect([...new Set(types)].sort()).toEqual([...MERCHANT_TYPES].sort());
  });
});

function decimal(base: bigint): string {
  return `0.${base.toString().padStart(18, "0")}`;
}
