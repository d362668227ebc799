// Every event a merchant can be told of, with its exact body: payments in both shapes, refunds in whole and in part,
// customers. Settlements have no endpoint yet, so nothing can make their events.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Receiver, startReceiver, type TestDatabase, testDatabase, until } from "@pay/testing";
import { type Merchant, openShop } from "../harness/merchant.ts";
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
  ...["payment.created", "payment.processing", "payment.confirmed", "payment.failed"],
  ...["payment.expired", "payment.refunded", "refund.created", "refund.completed"],
  ...["refund.failed", "customer.created", "customer.updated"],
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
  }, 120_000);
  afterAll(async () => {
    await shop?.receiver.stop();
    await product?.stop();
    await paymentsDatabase?.drop();
  }, 60_000);

  const order = async (more: object = {}) => {
    const hundredths = nextAmount++;
    const amount = `0.${hundredths}`;
    const { status, body } = await ask("POST", "/v1/payments", {
      ...orderOn(chainId),
      ...more,
      amount,
    });
    expect(status).toBe(201);
    const base = (hundredths * COIN_UNIT) / 100n;
    const told = (now: object) => ({
      ...{ id: body.id, amount: base.toString(), currency: "native", chainId },
      ...{ txHash: null, blockNumber: null, orderId: null, ...now },
    });
    return { id: body.id as string, base, told };
  };

  const handIn = async (id: string, txHash: string) => {
    const kind = id.startsWith("pay_") ? "payments" : "refunds";
    const { status } = await ask("POST", `/v1/${kind}/${id}/transaction`, { txHash });
    expect(status).toBe(200);
  };

  /** The next delivery of this event about this resource: every field of it, and no other. */
  const expectTold = async (type: string, id: string, body: object) => {
    const delivery = await shop.news(type, id);
    expect(delivery.body).toEqual(body);
    const { headers } = delivery.received;
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-service-event": type,
      "x-service-event-id": expect.stringMatching(/^evt_/),
      "x-service-attempt": "1",
      "x-service-sequence": expect.stringMatching(/^[1-9]\d*$/),
    });
    return delivery;
  };

  const confirmed = async (more: object = {}) => {
    const payment = await order(more);
    const txHash = await shop.wallet.payNative(RECIPIENT, payment.base);
    await handIn(payment.id, txHash);
    const { blockNumber } = await shop.reaches(payment.id, "confirmed");
    return { ...payment, txHash, blockNumber };
  };

  describe.each(SHAPES)("a payment in the shape $shape", ({ extras, first, orderId }) => {
    test("is created, processing, confirmed", async () => {
      const { id, told, txHash, blockNumber } = await confirmed(extras);
      const created = await expectTold("payment.created", id, told({ status: first, orderId }));
      expectFields(created.body, FIELDS.paymentEvent);
      const processing = { status: "processing", txHash, orderId };
      await expectTold("payment.processing", id, told(processing));
      const proven = { status: "confirmed", txHash, blockNumber, orderId };
      await expectTold("payment.confirmed", id, told(proven));
    }, 60_000);

    test("fails when the money went elsewhere", async () => {
      const { id, base, told } = await order(extras);
      const txHash = await shop.wallet.payNative(ELSEWHERE, base);
      await handIn(id, txHash);
      const { body } = await shop.news("payment.failed", id);
      expect(body).toEqual(
        told({ status: "failed", txHash, blockNumber: body.blockNumber, orderId }),
      );
    }, 60_000);

    test("expires when its time is over", async () => {
      const { id, told } = await order(extras);
      // A day goes by.
      await paymentsDatabase.pool.query(
        `update payments set created_at = created_at - interval '1 day',
           expires_at = expires_at - interval '1 day' where id = $1`,
        [id],
      );
      await expectTold("payment.expired", id, told({ status: "expired", orderId }));
    }, 60_000);

    test("is refunded at once where the merchant declares it; the record waits for its hash", async () => {
      const { id, base, told, txHash, blockNumber } = await confirmed(extras);
      expect((await ask("POST", `/v1/payments/${id}/refund`)).status).toBe(200);
      await expectTold(
        "payment.refunded",
        id,
        told({ status: "refunded", txHash, blockNumber, orderId }),
      );
      const [record] = await until(
        async () => {
          const { data } = (await ask("GET", `/v1/refunds?paymentId=${id}`)).body;
          return data.length > 0 && data;
        },
        { what: "the record of the refund" },
      );
      await expectTold("refund.created", record.id, {
        ...{ id: record.id, paymentId: id, status: "created", amount: base.toString() },
        ...{ currency: "native", chainId, txHash: null, reason: null, failureReason: null },
        orderId,
      });
    }, 60_000);
  });

  describe("refunds", () => {
    const refund = async (paymentId: string, more: object) => {
      const { status, body } = await ask("POST", "/v1/refunds", { paymentId, ...more });
      expect(status).toBe(201);
      return body.id as string;
    };
    const told = (id: string, paymentId: string, now: object) => ({
      ...{ id, paymentId, currency: "native", chainId, txHash: null },
      ...{ reason: null, failureReason: null, orderId: null, ...now },
    });

    test("of a part complete, and leave the payment confirmed until the whole is back", async () => {
      const payment = await confirmed();
      const part = payment.base / 4n;
      const first = await refund(payment.id, { amount: decimal(part), reason: "One broke" });
      const reason = "One broke";
      const open = { status: "created", amount: part.toString(), reason };
      const created = await expectTold("refund.created", first, told(first, payment.id, open));
      expectFields(created.body, FIELDS.refundEvent);

      const txHash = await merchant.payNative(shop.wallet.address, part);
      await handIn(first, txHash);
      const done = { ...open, status: "completed", txHash };
      await expectTold("refund.completed", first, told(first, payment.id, done));
      const { txHash: paidBy, blockNumber } = payment;
      const partly = await expectTold(
        "payment.refunded",
        payment.id,
        payment.told({ status: "confirmed", txHash: paidBy, blockNumber }),
      );
      await shop.reaches(payment.id, "confirmed");

      const rest = await refund(payment.id, {});
      await handIn(rest, await merchant.payNative(shop.wallet.address, payment.base - part));
      await shop.news("refund.completed", rest);
      const wholly = await expectTold(
        "payment.refunded",
        payment.id,
        payment.told({ status: "refunded", txHash: paidBy, blockNumber }),
      );
      expect(wholly.eventId).not.toBe(partly.eventId);
      await shop.reaches(payment.id, "refunded");
    }, 60_000);

    test("fail when the money went elsewhere, and can be tried again", async () => {
      const payment = await confirmed();
      const id = await refund(payment.id, {});
      const txHash = await merchant.payNative(ELSEWHERE, payment.base);
      await handIn(id, txHash);
      const { body } = await shop.news("refund.failed", id);
      const { failureReason } = body;
      expect(failureReason).toEqual(expect.stringMatching(/^[a-z_]+$/));
      const failed = { status: "failed", amount: payment.base.toString(), txHash, failureReason };
      expect(body).toEqual(told(id, payment.id, failed));
      await refund(payment.id, {});
    }, 60_000);
  });

  test("a customer is created, and updated only when something changed", async () => {
    const details = { displayName: "Zoë", metadata: { plan: "gold" } };
    const { body: made } = await ask("POST", "/v1/customers", {
      ...{ walletAddress: ELSEWHERE, email: "zoe@shop.example", ...details },
    });
    const { id, createdAt } = made;
    const told = { id, walletAddress: ELSEWHERE, ...details, createdAt, updatedAt: createdAt };
    const created = await expectTold("customer.created", id, told);
    expectFields(created.body, FIELDS.customerEvent);

    await ask("PUT", `/v1/customers/${id}`, { displayName: "Zoë" });
    await ask("PUT", `/v1/customers/${id}`, {});
    await ask("PUT", `/v1/customers/${id}`, { displayName: "Zoë B." });
    const updated = await shop.news("customer.updated", id);
    expect(updated.body).toEqual({
      ...{ ...told, displayName: "Zoë B." },
      updatedAt: expect.stringMatching(ISO_TIME),
    });
    expect(updated.received.headers["x-service-sequence"]).toBe("2");
  }, 60_000);

  test("a new callbackUrl is in force within a second of the answer", async () => {
    const credentials = await product.createProject("Mover");
    const mover = askWith(product.ask, credentials.secretKey);
    const places = [(await openShop(credentials)).receiver, await startReceiver({ plain: true })];
    const toldAt = ({ all }: Receiver) =>
      new Set(all.map(({ body }) => JSON.parse(body.toString()).id as string));

    const lags: number[] = [];
    for (const round of [1, 2, 3]) {
      const [from, to] = [places[(round + 1) % 2], places[round % 2]] as [Receiver, Receiver];
      await mover("PUT", "/v1/projects/me", { callbackUrl: to.url });
      const answeredAt = performance.now();
      const made = new Map<string, number>();
      while (performance.now() - answeredAt < 1_200) {
        const lag = performance.now() - answeredAt;
        const { body } = await mover("POST", "/v1/payments", orderOn(chainId));
        made.set(body.id, lag);
      }
      await until(
        () => {
          const told = [...toldAt(from), ...toldAt(to)];
          return [...made.keys()].every((id) => told.includes(id));
        },
        { timeoutMs: 30_000, what: "a delivery of every payment, here or there" },
      );
      const late = [...toldAt(from)].map((id) => made.get(id) ?? 0);
      lags.push(Math.max(0, ...late));
    }
    for (const place of places) await place.stop();
    // Neighbours on a busy machine may hold up a round, not all of them.
    expect(Math.min(...lags)).toBeLessThan(1_000);
  }, 120_000);

  test("all types that can be made were told, and no other", () => {
    const types = shop.receiver.all.map(({ headers }) => headers["x-service-event"]);
    expect([...new Set(types)].sort()).toEqual([...MERCHANT_TYPES].sort());
  });
});

const decimal = (base: bigint): string => `0.${base.toString().padStart(18, "0")}`;
