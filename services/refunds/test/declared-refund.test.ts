import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  aTenant,
  describeWithShop,
  EXCHANGE,
  SHOPPER,
  type Shop,
  startShop,
  type Tenant,
} from "./shop.ts";

const ONE = 10n ** 18n;

describeWithShop("declared refunds", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  async function declare(tenant: Tenant, id: string) {
    await shop.payments.refundPayment({ tenant, id, requestId: "req-declare" });
    await shop.readEvents(tenant);
  }

  async function listRefunds(tenant: Tenant, paymentId: string) {
    return (await shop.refunds.listRefunds({ tenant, paymentId })).refunds;
  }

  test("a declaration creates one refund of the whole payment", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, { orderId: "order-1" });
    await declare(tenant, id);
    const [refund, ...others] = await listRefunds(tenant, id);
    expect(others).toEqual([]);
    expect(refund).toMatchObject({
      id: expect.stringMatching(/^refund_[0-9A-Za-z]{24}$/),
      amount: "10",
      status: "created",
      orderId: "order-1",
      destinationAddress: SHOPPER,
    });
    expect(await shop.readEvents(tenant)).toMatchObject([
      { type: "refund.created", resourceId: refund?.id, sequence: 1, requestId: "req-declare" },
    ]);
  });

  test("a declaration refunds the rest that other refunds leave", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await shop.refund(tenant, id, { amount: "4" });
    await declare(tenant, id);
    const amounts = (await listRefunds(tenant, id)).map(({ amount }) => amount);
    expect(amounts.sort()).toEqual(["4", "6"]);
    expect((await shop.readBalance(id)).reserved).toBe(10n * ONE);
  });

  test("a declaration without a rest creates nothing", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await shop.refund(tenant, id);
    await declare(tenant, id);
    expect(await listRefunds(tenant, id)).toHaveLength(1);
  });

  test("a declared payment accepts a refund by hand only for the amount of a failed refund", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await declare(tenant, id);
    const refused = {
      errorCode: "payment_fully_refunded",
      message: "Payment is fully refunded",
    };
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(refused);
    const [refund] = await listRefunds(tenant, id);
    const reason = "reverted";
    await shop.settleRefund("transfer.rejected", tenant, { id: refund?.id ?? "" }, { reason });
    expect((await shop.readBalance(id)).reserved).toBe(0n);

    const again = await shop.refund(tenant, id);
    expect(again).toMatchObject({ amount: "10", status: "created", destinationAddress: SHOPPER });
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(refused);
    await shop.settleRefund("transfer.confirmed", tenant, again);
    expect((await shop.getRefund(tenant, again.id)).status).toBe("completed");
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(refused);
    expect((await shop.pay.get(tenant, id)).status).toBe("refunded");
  });

  test("a completed declared refund publishes no event of the payment", async () => {
    const tenant = aTenant();
    const payment = await shop.pay.confirmed(tenant);
    await declare(tenant, payment.id);
    const [refund] = await listRefunds(tenant, payment.id);
    await shop.settleRefund("transfer.confirmed", tenant, { id: refund?.id ?? "" });
    const types = (await shop.readEvents(tenant)).map(({ type }) => type);
    expect(types).toEqual(["refund.created", "refund.submitted", "refund.completed"]);
    const ofPayment = (await shop.readEvents(tenant, "payment")).map(({ type }) => type);
    expect(ofPayment.filter((type) => type === "payment.refunded")).toHaveLength(1);
  });

  test("a repeated declaration creates nothing", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await declare(tenant, id);
    const before = await listRefunds(tenant, id);
    await shop.repeatAll();
    await shop.pool.query("delete from inbox_ids");
    await shop.repeatAll();
    expect(await listRefunds(tenant, id)).toEqual(before);
    expect((await shop.readBalance(id)).reserved).toBe(10n * ONE);
  });

  test("a payment without a known payer cannot be declared, but refunded to a requested address", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, {}, { senderAddress: "" });
    await expect(shop.payments.refundPayment({ tenant, id })).rejects.toMatchObject({
      errorCode: "payment_payer_unknown",
    });
    expect((await shop.pay.get(tenant, id)).status).toBe("confirmed");
    const refund = await shop.refund(tenant, id, { destinationAddress: SHOPPER });
    expect(refund).toMatchObject({ amount: "10", destinationAddress: SHOPPER });
  });

  test("a declaration without a known payer leaves the payment open and delays no other event", async () => {
    const tenant = aTenant();
    const nowhere = await shop.pay.confirmed(tenant, {}, { senderAddress: "" });
    const next = await shop.pay.confirmed(tenant);
    await shop.announce("payment.refunded", tenant, {
      ...nowhere,
      status: "refunded",
      refundDeclared: true,
      version: 4,
    });
    await declare(tenant, next.id);
    expect(await listRefunds(tenant, nowhere.id)).toEqual([]);
    expect(await listRefunds(tenant, next.id)).toHaveLength(1);
    const { rows } = await shop.pool.query("select error from dead_letters");
    expect(rows).toEqual([]);
    const refund = await shop.refund(tenant, nowhere.id, { destinationAddress: SHOPPER });
    expect(refund).toMatchObject({ amount: "10", destinationAddress: SHOPPER });
  });

  test("a payment from a shared address cannot be declared, and such a declaration creates nothing", async () => {
    const tenant = aTenant();
    const sent = { senderAddress: EXCHANGE.toLowerCase() };
    const shared = await shop.pay.confirmed(tenant, {}, sent);
    await expect(shop.payments.refundPayment({ tenant, id: shared.id })).rejects.toMatchObject({
      errorCode: "payment_payer_unknown",
      message: "Payment has no known payer; POST /v1/refunds refunds it to a destinationAddress",
    });
    const declared = { status: "refunded", refundDeclared: true, version: 4 };
    await shop.announce("payment.refunded", tenant, { ...shared, ...declared });
    const next = await shop.pay.confirmed(tenant);
    await declare(tenant, next.id);
    expect(await listRefunds(tenant, shared.id)).toEqual([]);
    const refund = await shop.refund(tenant, shared.id, { destinationAddress: SHOPPER });
    expect(refund).toMatchObject({ amount: "10", destinationAddress: SHOPPER });
  });

  test("a declaration that races with refunds never exceeds the received amount", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await Promise.allSettled([
      ...Array.from({ length: 20 }, () => shop.refund(tenant, id, { amount: "0.7" })),
      shop.payments.refundPayment({ tenant, id }),
      ...Array.from({ length: 20 }, () => shop.refund(tenant, id, { amount: "0.7" })),
    ]);
    await until(async () => {
      await shop.readEvents(tenant);
      return (await shop.readBalance(id)).reserved === 10n * ONE;
    });
    const sum = (await listRefunds(tenant, id)).reduce(
      (total, { baseAmount }) => total + BigInt(baseAmount),
      0n,
    );
    expect(sum).toBe(10n * ONE);
  });
});
