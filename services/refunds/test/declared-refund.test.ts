import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  aHash,
  aTenant,
  describeWithShop,
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
  }, 60_000);
  afterAll(() => shop?.stop());

  const declare = async (tenant: Tenant, id: string) => {
    await shop.payments.refundPayment({ tenant, id, requestId: "req-declare" });
    await shop.eventsOf(tenant);
  };
  const refundsOf = async (tenant: Tenant, paymentId: string) =>
    (await shop.refunds.listRefunds({ tenant, paymentId })).refunds;

  test("a declaration opens one refund of the whole payment, which waits for its transaction", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, { orderId: "order-1" });
    await declare(tenant, id);
    const [refund, ...others] = await refundsOf(tenant, id);
    expect(others).toEqual([]);
    expect(refund).toMatchObject({
      id: expect.stringMatching(/^refund_[0-9A-Za-z]{24}$/),
      amount: "10",
      status: "created",
      orderId: "order-1",
      destinationAddress: SHOPPER,
    });
    expect(await shop.eventsOf(tenant)).toMatchObject([
      { type: "refund.created", resourceId: refund?.id, sequence: 1, requestId: "req-declare" },
    ]);
  });

  test("a declaration takes what other refunds have left", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await shop.refund(tenant, id, { amount: "4" });
    await declare(tenant, id);
    const amounts = (await refundsOf(tenant, id)).map(({ amount }) => amount);
    expect(amounts.sort()).toEqual(["4", "6"]);
    expect((await shop.balanceOf(id)).reserved).toBe(10n * ONE);
  });

  test("a declaration with nothing left opens nothing", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await shop.refund(tenant, id);
    await declare(tenant, id);
    expect(await refundsOf(tenant, id)).toHaveLength(1);
  });

  test("a declared payment takes a refund by hand only for what failed to go back", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await declare(tenant, id);
    const refused = {
      kind: "failed_precondition",
      message: "Only confirmed payments can be refunded",
    };
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(refused);
    const [refund] = await refundsOf(tenant, id);
    const rejection = { subjectId: refund?.id ?? "", txHash: aHash(), reason: "reverted" };
    await shop.observe("transfer.rejected", tenant, rejection);
    expect((await shop.balanceOf(id)).reserved).toBe(0n);

    const again = await shop.refund(tenant, id);
    expect(again).toMatchObject({ amount: "10", status: "created", destinationAddress: SHOPPER });
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(refused);
    const proof = { subjectId: again.id, txHash: aHash(), blockNumber: 9n };
    await shop.observe("transfer.confirmed", tenant, proof);
    expect((await shop.getRefund(tenant, again.id)).status).toBe("completed");
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(refused);
    expect((await shop.pay.get(tenant, id)).status).toBe("refunded");
  });

  test("when the money is back, only the refund has news", async () => {
    const tenant = aTenant();
    const payment = await shop.pay.confirmed(tenant);
    await declare(tenant, payment.id);
    const [refund] = await refundsOf(tenant, payment.id);
    const proof = { subjectId: refund?.id ?? "", txHash: aHash(), blockNumber: 9n };
    await shop.observe("transfer.confirmed", tenant, proof);
    const types = (await shop.eventsOf(tenant)).map(({ type }) => type);
    expect(types).toEqual(["refund.created", "refund.completed"]);
    const told = (await shop.eventsOf(tenant, "payment")).map(({ type }) => type);
    expect(told.filter((type) => type === "payment.refunded")).toHaveLength(1);
  });

  test("the same declaration again opens nothing more", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await declare(tenant, id);
    const before = await refundsOf(tenant, id);
    await shop.repeatAll();
    await shop.pool.query("delete from inbox");
    await shop.repeatAll();
    expect(await refundsOf(tenant, id)).toEqual(before);
    expect((await shop.balanceOf(id)).reserved).toBe(10n * ONE);
  });

  test("what has no known payer is not declared, but refunded to an address the merchant names", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, {}, { senderAddress: "" });
    await expect(shop.payments.refundPayment({ tenant, id })).rejects.toMatchObject({
      kind: "failed_precondition",
    });
    expect((await shop.pay.get(tenant, id)).status).toBe("confirmed");
    const refund = await shop.refund(tenant, id, { destinationAddress: SHOPPER });
    expect(refund).toMatchObject({ amount: "10", destinationAddress: SHOPPER });
  });

  test("a declaration without a known payer leaves the payment open, and holds up nobody", async () => {
    const tenant = aTenant();
    const nowhere = await shop.pay.confirmed(tenant, {}, { senderAddress: "" });
    const next = await shop.pay.confirmed(tenant);
    await shop.announce("payment.refunded", tenant, {
      ...nowhere,
      ...{ status: "refunded", refundDeclared: true, version: 4 },
    });
    await declare(tenant, next.id);
    expect(await refundsOf(tenant, nowhere.id)).toEqual([]);
    expect(await refundsOf(tenant, next.id)).toHaveLength(1);
    const { rows } = await shop.pool.query("select error from dead_letters");
    expect(rows).toEqual([]);
    const refund = await shop.refund(tenant, nowhere.id, { destinationAddress: SHOPPER });
    expect(refund).toMatchObject({ amount: "10", destinationAddress: SHOPPER });
  });

  test("a declaration racing with refunds by hand never gives back more than was received", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await Promise.allSettled([
      ...Array.from({ length: 20 }, () => shop.refund(tenant, id, { amount: "0.7" })),
      shop.payments.refundPayment({ tenant, id }),
      ...Array.from({ length: 20 }, () => shop.refund(tenant, id, { amount: "0.7" })),
    ]);
    await until(async () => {
      await shop.eventsOf(tenant);
      return (await shop.balanceOf(id)).reserved === 10n * ONE;
    });
    const sum = (await refundsOf(tenant, id)).reduce(
      (total, { baseAmount }) => total + BigInt(baseAmount),
      0n,
    );
    expect(sum).toBe(10n * ONE);
  });
});
