import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLocalBus } from "@pay/events";
import { createTestRuntime } from "@pay/process";
import { RefundsService } from "@pay/proto";
import { connect } from "@pay/rpc";
import { startRefunds } from "../src/index.ts";
import {
  aTenant,
  CHAIN_ID,
  describeWithShop,
  failure,
  RECIPIENT,
  SHOPPER,
  type Shop,
  startShop,
  type Tenant,
} from "./shop.ts";

const ONE = 10n ** 18n;
function keyed(key: string, body = "1") {
  return {
    idempotency: { route: "POST /v1/refunds", key, fingerprint: Buffer.from(body) },
  };
}

describeWithShop("creating refunds", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  test("a refund without an amount refunds the whole payment to the wallet that paid", async () => {
    const tenant = aTenant();
    const payment = await shop.pay.confirmed(tenant, { orderId: "order-7" });
    const refund = await shop.refund(tenant, payment.id, { reason: "broken" });
    expect(refund).toMatchObject({
      id: expect.stringMatching(/^refund_[0-9A-Za-z]{24}$/),
      ...tenant,
      paymentId: payment.id,
      amount: "10",
      baseAmount: String(10n * ONE),
      decimals: 18,
      currency: "native",
      chainId: CHAIN_ID,
      status: "created",
      reason: "broken",
      orderId: "order-7",
      sourceAddress: RECIPIENT,
      destinationAddress: SHOPPER,
      paymentBaseAmount: String(10n * ONE),
      refundedBaseAmount: "0",
      version: 1,
    });
    expect(await shop.getRefund(tenant, refund.id)).toEqual(refund);
    expect(await shop.readEvents(tenant)).toMatchObject([
      {
        type: "refund.created",
        ...tenant,
        resourceId: refund.id,
        sequence: 1,
        requestId: "req-refund",
        resource: { case: "refund", value: { ...refund, $typeName: "events.v1.RefundSnapshot" } },
      },
    ]);
  });

  test("partial refunds add up to the payment and no further", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    expect((await shop.refund(tenant, id, { amount: "2.50" })).amount).toBe("2.50");
    await expect(shop.refund(tenant, id, { amount: "7.6" })).rejects.toMatchObject(
      failure("refund_amount_too_large", "Refund amount exceeds the refundable amount"),
    );
    expect((await shop.refund(tenant, id)).amount).toBe("7.5");
    await expect(shop.refund(tenant, id, { amount: "0.1" })).rejects.toMatchObject(
      failure("payment_fully_refunded", "Payment is fully refunded"),
    );
    expect(await shop.readEvents(tenant)).toHaveLength(2);
  });

  test("a surplus is refunded by an explicit amount, before and after the full refund", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, {}, { final: 12n * ONE });
    const whole = await shop.refund(tenant, id);
    expect(whole.amount).toBe("10");
    const mustBeNamed = failure(
      "refund_amount_required",
      "The payment's amount is refunded; surplus: true refunds the 2 beyond it",
    );
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(mustBeNamed);
    async function giveBack(refund: typeof whole) {
      const { txHash = "" } = await shop.submit(tenant, refund.id);
      await shop.judge("transfer.confirmed", tenant, refund, txHash);
      await shop.readEvents(tenant, "payment");
    }

    await giveBack(whole);
    expect((await shop.pay.get(tenant, id)).status).toBe("refunded");
    await expect(shop.refund(tenant, id)).rejects.toMatchObject(mustBeNamed);
    await expect(shop.refund(tenant, id, { amount: "2.1" })).rejects.toMatchObject(
      failure("refund_amount_too_large", "Refund amount exceeds the refundable amount"),
    );
    await giveBack(await shop.refund(tenant, id, { amount: "2" }));
    const nothing = failure("payment_fully_refunded", "Payment is fully refunded");
    await expect(shop.refund(tenant, id, { amount: "1" })).rejects.toMatchObject(nothing);
    const paymentEvents = await shop.readEvents(tenant, "payment");
    expect(paymentEvents.filter(({ type }) => type === "payment.refunded")).toMatchObject([
      { resource: { value: { status: "refunded" } } },
      { resource: { value: { status: "refunded" } } },
    ]);
  });

  test("a surplus that arrives after a full or declared refund can be refunded", async () => {
    const tenant = aTenant();
    for (const isDeclared of [false, true]) {
      const payment = await shop.pay.confirmed(tenant);
      const { id } = payment;
      if (isDeclared) await shop.payments.refundPayment({ tenant, id });
      else await shop.refund(tenant, id);
      await shop.readEvents(tenant);
      await expect(shop.refund(tenant, id, { amount: "3" })).rejects.toMatchObject(
        failure("payment_fully_refunded", "Payment is fully refunded"),
      );
      await shop.pay.receive(tenant, payment, { final: 13n * ONE });
      const surplus = await shop.refund(tenant, id, { surplus: true });
      expect(surplus).toMatchObject({ amount: "3", surplus: true, destinationAddress: SHOPPER });
    }
  });

  test("a refund of a token keeps the decimals of the token", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, {
      currency: shop.chain.token.address,
      amount: "5",
    });
    const refund = await shop.refund(tenant, id, { amount: "0.000001" });
    expect(refund).toMatchObject({
      baseAmount: "1",
      decimals: 6,
      currency: shop.chain.token.address,
    });
    const message = "amount must be a positive decimal string with at most 6 fraction digits";
    await expect(shop.refund(tenant, id, { amount: "0.0000001" })).rejects.toMatchObject(
      failure("field_invalid", message),
    );
  });

  test("a payment without money, or that may still be confirmed, cannot be refunded", async () => {
    const tenant = aTenant();
    const created = await shop.pay.create(tenant);
    const processing = await shop.pay.create(tenant);
    await shop.pay.submit(tenant, processing.id);
    const failed = await shop.pay.create(tenant);
    const txHash = await shop.pay.submit(tenant, failed.id);
    const hashes = [{ txHash, outcome: "reverted", isMined: true }];
    await shop.pay.receive(tenant, failed, { hashes });
    const payments = [created, processing, failed];
    for (const { id } of payments) {
      await expect(shop.refund(tenant, id)).rejects.toMatchObject(
        failure("payment_not_refundable", "Only confirmed payments can be refunded"),
      );
    }
    const part = await shop.pay.create(tenant);
    await shop.pay.receive(tenant, part, { final: 4n * ONE });
    await expect(shop.refund(tenant, part.id)).rejects.toMatchObject(
      failure(
        "payment_not_refundable",
        "Payment is created; it can be refunded once it is confirmed, failed or expired",
      ),
    );
    payments.push(part);
    const statuses = payments.map(async ({ id }) => (await shop.pay.get(tenant, id)).status);
    expect(await Promise.all(statuses)).toEqual(["created", "processing", "failed", "created"]);
  });

  test("a part of a failed payment, an expired part and late money can be refunded", async () => {
    const tenant = aTenant();
    const failed = await shop.pay.create(tenant);
    const txHash = await shop.pay.submit(tenant, failed.id);
    const hashes = [{ txHash, outcome: "counted", isMined: true }];
    await shop.pay.receive(tenant, failed, { final: 4n * ONE, hashes });
    const part = await shop.pay.create(tenant);
    await shop.pay.receive(tenant, part, { final: 4n * ONE });
    await shop.pay.expired(tenant, part);
    const late = await shop.pay.create(tenant);
    await shop.pay.expired(tenant, late);
    await shop.pay.receive(tenant, late, { late: 12n * ONE });
    for (const [{ id }, status, amount] of [
      [failed, "failed", "4"],
      [part, "expired", "4"],
      [late, "expired", "12"],
    ] as const) {
      expect((await shop.pay.get(tenant, id)).status).toBe(status);
      const refund = await shop.refund(tenant, id);
      expect(refund).toMatchObject({ amount, destinationAddress: SHOPPER });
      await expect(shop.refund(tenant, id)).rejects.toMatchObject(
        failure("payment_fully_refunded", "Payment is fully refunded"),
      );
      await shop.settleRefund("transfer.confirmed", tenant, refund);
      await shop.readEvents(tenant, "payment");
      expect((await shop.pay.get(tenant, id)).status).toBe("refunded");
    }
  });

  test("a part that was refunded does not count for the payment, what comes after it does", async () => {
    const tenant = aTenant();
    const payment = await shop.pay.create(tenant);
    const txHash = await shop.pay.submit(tenant, payment.id);
    const hashes = [{ txHash, outcome: "counted", isMined: true }];
    await shop.pay.receive(tenant, payment, { final: 4n * ONE, hashes });
    await shop.settleRefund("transfer.confirmed", tenant, await shop.refund(tenant, payment.id));
    await shop.readEvents(tenant, "payment");
    const both = { final: 10n * ONE, hashes };
    expect((await shop.pay.receive(tenant, payment, both)).status).toBe("failed");
    const rest = await shop.refund(tenant, payment.id);
    expect(rest.amount).toBe("6");
    await shop.refunds.cancelRefund({ tenant, id: rest.id });
    await shop.readEvents(tenant, "payment");
    const enough = { final: 14n * ONE, hashes };
    expect((await shop.pay.receive(tenant, payment, enough)).status).toBe("confirmed");
  });

  test("14 for 10: 4 go back as surplus and 6 of the payment, which stays confirmed", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant, {}, { final: 14n * ONE });
    const surplus = await shop.refund(tenant, id, { surplus: true });
    expect(surplus.amount).toBe("4");
    await shop.settleRefund("transfer.confirmed", tenant, surplus);
    await shop.settleRefund(
      "transfer.confirmed",
      tenant,
      await shop.refund(tenant, id, { amount: "6" }),
    );
    await shop.readEvents(tenant, "payment");
    expect((await shop.pay.get(tenant, id)).status).toBe("confirmed");
    expect((await shop.refund(tenant, id)).amount).toBe("4");
  });

  test("a payment that was just declared refunded has no rest", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await shop.payments.refundPayment({ tenant, id });
    for (const amount of [undefined, "1"]) {
      await expect(shop.refund(tenant, id, amount ? { amount } : {})).rejects.toMatchObject(
        failure("payment_fully_refunded", "Payment is fully refunded"),
      );
    }
  });

  test("a refund to the paying wallet is rejected", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    const toItself = { destinationAddress: RECIPIENT.toLowerCase() };
    await expect(shop.refund(tenant, id, toItself)).rejects.toMatchObject(
      failure(
        "refund_destination_invalid",
        "destinationAddress must not be the wallet that pays the refund",
      ),
    );
    expect((await shop.readBalance(id)).reserved).toBe(0n);
  });

  test("an unknown payment is not found", async () => {
    const id = "pay_000000000000000000000000";
    const missing = { errorCode: "payment_not_found", message: "Payment not found" };
    await expect(shop.refund(aTenant(), id)).rejects.toMatchObject(missing);
  });

  test("a reason that is too long is rejected and reserves nothing", async () => {
    const tenant = aTenant();
    const { id } = await shop.pay.confirmed(tenant);
    await expect(shop.refund(tenant, id, { reason: "x".repeat(501) })).rejects.toMatchObject(
      failure("field_invalid", "reason must be at most 500 characters"),
    );
    expect((await shop.readBalance(id)).reserved).toBe(0n);
  });

  describe("concurrently", () => {
    async function attempt(tenant: Tenant, id: string, count: number, amount?: string) {
      const change = amount === undefined ? {} : { amount };
      const settled = await Promise.allSettled(
        Array.from({ length: count }, (_, at) =>
          // Under a key, so that one that is taken although its answer was late counts once.
          shop.decidedRefund(tenant, id, { ...change, ...keyed(`${id} ${at}`) }),
        ),
      );
      return {
        taken: settled.filter(({ status }) => status === "fulfilled").length,
        refusals: settled.flatMap((one) =>
          one.status === "rejected" ? [(one.reason as Error).message] : [],
        ),
      };
    }

    test("100 concurrent refunds never exceed the received amount", async () => {
      const tenant = aTenant();
      const { id } = await shop.pay.confirmed(tenant, {}, { final: 11n * ONE });
      const { taken, refusals } = await attempt(tenant, id, 100, "0.3");
      expect(taken).toBe(36);
      expect(new Set(refusals)).toEqual(new Set(["Refund amount exceeds the refundable amount"]));
      const reserved = 36n * 3n * 10n ** 17n;
      expect((await shop.readBalance(id)).reserved).toBe(reserved);
      const { rows } = await shop.pool.query<{ sum: string }>(
        "select sum(base_amount) from refunds where payment_id = $1 and status <> 'failed'",
        [id],
      );
      expect(BigInt(rows[0]?.sum ?? 0)).toBe(reserved);
      expect(await shop.readEvents(tenant)).toHaveLength(36);
    });

    test("one of 20 concurrent full refunds succeeds", async () => {
      const tenant = aTenant();
      const { id } = await shop.pay.confirmed(tenant);
      const { taken, refusals } = await attempt(tenant, id, 20);
      expect(taken).toBe(1);
      expect(new Set(refusals)).toEqual(new Set(["Payment is fully refunded"]));
    });

    test("a payment has at most 50 refunds", async () => {
      const tenant = aTenant();
      const { id } = await shop.pay.confirmed(tenant);
      const { taken, refusals } = await attempt(tenant, id, 60, "0.01");
      expect(taken).toBe(50);
      expect(new Set(refusals)).toEqual(new Set(["Payment already has 50 refunds"]));
    });
  });

  describe("with an idempotency key", () => {
    test("a repeated request returns the first response, whatever the payment is now", async () => {
      const tenant = aTenant();
      const { id } = await shop.pay.confirmed(tenant);
      const request = { tenant, paymentId: id, requestId: "req-refund", ...keyed("k") };
      const first = await shop.refunds.createRefund(request);
      await shop.payments.refundPayment({ tenant, id });
      const second = await shop.refunds.createRefund(request);
      expect([first.replayed, second.replayed]).toEqual([false, true]);
      expect(second.refund).toEqual(first.refund);
      await expect(
        shop.refunds.createRefund({ ...request, ...keyed("k", "2") }),
      ).rejects.toMatchObject({ errorCode: "idempotency_key_reused" });
    });

    test("30 concurrent requests with one key make one refund", async () => {
      const tenant = aTenant();
      const { id } = await shop.pay.confirmed(tenant);
      const refunds = await Promise.all(
        Array.from({ length: 30 }, () =>
          shop.decidedRefund(tenant, id, { amount: "1", ...keyed("k") }),
        ),
      );
      expect(new Set(refunds.map((refund) => refund.id)).size).toBe(1);
      expect((await shop.readBalance(id)).reserved).toBe(ONE);
    });

    test("a rejected request stays rejected under its key", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.create(tenant);
      const { id } = payment;
      const refusal = failure("payment_not_refundable", "Only confirmed payments can be refunded");
      function refund() {
        return shop.refund(tenant, id, keyed("k"));
      }

      await expect(refund()).rejects.toMatchObject(refusal);
      await shop.pay.receive(tenant, payment, { final: 10n * ONE });
      await expect(refund()).rejects.toMatchObject(refusal);
      expect((await shop.refund(tenant, id, keyed("another"))).status).toBe("created");
    });

    test("a request that failed because payments was down stores nothing under its key", async () => {
      const tenant = aTenant();
      const { id } = await shop.pay.confirmed(tenant);
      const runtime = createTestRuntime("refunds");
      const settings = shop.settings({ PAYMENTS_ADDRESS: "127.0.0.1:1" });
      const { address } = await startRefunds(settings, runtime, { bus: createLocalBus() });
      const cutOff = connect(RefundsService, address, runtime);
      const request = { tenant, paymentId: id, ...keyed("k") };
      await expect(cutOff.createRefund(request)).rejects.toMatchObject({
        errorCode: "service_unavailable",
      });
      expect((await shop.refunds.createRefund(request)).replayed).toBe(false);
      expect((await cutOff.createRefund(request)).replayed).toBe(true);
      await runtime.stop();
    });
  });
});
