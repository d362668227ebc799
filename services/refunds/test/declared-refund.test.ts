import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  aTenant,
  describeWithShop,
  EXCHANGE,
  failure,
  SHOPPER,
  type Shop,
  startShop,
  type Tenant,
  TREASURY,
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

  test("a declaration whose request and event come at once creates one refund, which is there at once", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    const named = { tenant, paymentId: id, requestId: "req-1" };
    await expect(shop.refunds.createDeclaredRefund(named)).rejects.toMatchObject(
      failure("payment_not_refundable", "Payment is not declared refunded"),
    );
    await shop.payments.refundPayment({ tenant, id, requestId: "req-declare" });
    await Promise.all([1, 2, 3].map(() => shop.refunds.createDeclaredRefund(named)));
    const made = await listRefunds(tenant, id);
    expect(made).toMatchObject([{ amount: "10", status: "created", declared: true }]);
    await shop.readEvents(tenant);
    expect(await listRefunds(tenant, id)).toEqual(made);
    const rival = { ...named, tenant: aTenant() };
    await expect(shop.refunds.createDeclaredRefund(rival)).rejects.toMatchObject({
      errorCode: "payment_not_found",
    });
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

  /** A declared payment whose refund has no default destination. */
  async function declareWithoutDestination(tenant: Tenant) {
    const senders = { [SHOPPER]: 6n * ONE, [TREASURY]: 4n * ONE };
    const { id } = await shop.pay.confirmed(tenant, {}, { senders });
    await declare(tenant, id);
    const [refund, ...others] = await listRefunds(tenant, id);
    expect(others).toEqual([]);
    if (refund === undefined) throw new Error("a declaration makes a refund");
    expect(refund).toMatchObject({ amount: "10", needs: "destination", destinationAddress: "" });
    return { id, refund };
  }

  test("without a default destination it waits for one, which is set once", async () => {
    const tenant = aTenant();
    const { id, refund } = await declareWithoutDestination(tenant);
    expect((await shop.pay.get(tenant, id)).status).toBe("refunded");
    await expect(shop.submit(tenant, refund.id)).rejects.toMatchObject(
      failure("refund_status_invalid", "Refund needs a destination before its transaction"),
    );
    const wanted = { tenant, id: refund.id, requestId: "req-destination", anyDestination: true };
    const zero = { ...wanted, destinationAddress: `0x${"0".repeat(40)}` };
    await expect(shop.refunds.setRefundDestination(zero)).rejects.toMatchObject({
      errorCode: "refund_destination_invalid",
    });
    const set = { ...wanted, destinationAddress: SHOPPER.toLowerCase() };
    const restricted = { ...set, anyDestination: false };
    await expect(shop.refunds.setRefundDestination(restricted)).rejects.toMatchObject({
      errorCode: "refund_destination_forbidden",
    });
    for (let times = 0; times < 2; times++) {
      const { refund: after } = await shop.refunds.setRefundDestination(set);
      expect(after).toMatchObject({
        destinationAddress: SHOPPER,
        destinationSource: "named",
        version: 1,
      });
      expect(after?.needs).toBeUndefined();
    }
    const other = { ...wanted, destinationAddress: TREASURY };
    await expect(shop.refunds.setRefundDestination(other)).rejects.toMatchObject({
      errorCode: "refund_status_invalid",
    });
    const types = (await shop.readEvents(tenant)).map(({ type }) => type);
    expect(types).toEqual(["refund.created", "refund.destination_set"]);
    await shop.settleRefund("transfer.confirmed", tenant, refund);
    expect((await shop.getRefund(tenant, refund.id)).status).toBe("completed");
  });

  test("a cancelled refund voids the declaration, and another declaration makes another refund", async () => {
    const tenant = aTenant();
    const { id, refund } = await declareWithoutDestination(tenant);
    const wanted = { tenant, id: refund.id, requestId: "req-cancel" };
    const { refund: cancelled } = await shop.refunds.cancelRefund(wanted);
    expect(cancelled).toMatchObject({ status: "failed", failureReason: "cancelled" });
    expect((await shop.readEvents(tenant)).at(-1)).toMatchObject({
      type: "refund.failed",
      requestId: "req-cancel",
      resource: { value: { declared: true, reservedBaseAmount: "0" } },
    });
    await until(async () => (await shop.pay.get(tenant, id)).status === "confirmed");
    await shop.repeatAll();
    expect(await listRefunds(tenant, id)).toHaveLength(1);
    await declare(tenant, id);
    expect((await shop.pay.get(tenant, id)).status).toBe("refunded");
    const [again, ...before] = await listRefunds(tenant, id);
    expect(before).toHaveLength(1);
    expect(again).toMatchObject({ status: "created", amount: "10" });
  });

  test("is of a payment from a shared address or a contract, too", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, {}, { senders: { [EXCHANGE]: 10n * ONE } });
    await declare(tenant, id);
    const [refund] = await listRefunds(tenant, id);
    expect(refund).toMatchObject({ needs: "destination" });
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
