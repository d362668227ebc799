import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  aHash,
  aTenant,
  describeWithShop,
  notFound,
  type Shop,
  startShop,
  type Tenant,
} from "./shop.ts";

const ONE = 10n ** 18n;
const DAY_MS = 24 * 60 * 60_000;
const refused = (message: string) => ({ kind: "failed_precondition", message });

describeWithShop("settling refunds", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  }, 60_000);
  afterAll(() => shop?.stop());

  const submit = async (tenant: Tenant, id: string, txHash: string) => {
    const request = { tenant, id, txHash, requestId: "req-submit" };
    const { refund } = await shop.refunds.submitRefundTransaction(request);
    return refund;
  };
  const confirm = (tenant: Tenant, subjectId: string, txHash = aHash()) =>
    shop.observe("transfer.confirmed", tenant, { subjectId, txHash, blockNumber: 9n });
  const reject = (tenant: Tenant, subjectId: string, txHash = aHash(), reason = "reverted") =>
    shop.observe("transfer.rejected", tenant, { subjectId, txHash, reason });
  const typesOf = async (tenant: Tenant, noun?: "payment") =>
    (await shop.eventsOf(tenant, noun)).map(({ type, sequence }) => `${type} ${sequence}`);

  describe("a submitted hash", () => {
    test("is kept and published for those who judge it, and is no change of state", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      const txHash = aHash();
      const refund = await submit(tenant, id, txHash.toUpperCase().replace("0X", "0x"));
      expect(refund).toMatchObject({ status: "created", txHash, version: 1 });
      expect((await shop.eventsOf(tenant)).at(-1)).toMatchObject({
        type: "refund.submitted",
        sequence: 1,
        requestId: "req-submit",
        resource: { case: "refund", value: { id, txHash, status: "created" } },
      });
    });

    test("again is no news, another one is refused", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      const txHash = aHash();
      const first = await submit(tenant, id, txHash);
      expect(await submit(tenant, id, txHash)).toEqual(first);
      await expect(submit(tenant, id, aHash())).rejects.toMatchObject(
        refused("Refund already has another transaction"),
      );
      expect(await typesOf(tenant)).toEqual(["refund.created 1", "refund.submitted 1"]);
    });

    test("of many racing ones one is taken", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      const settled = await Promise.allSettled(
        Array.from({ length: 10 }, () => submit(tenant, id, aHash())),
      );
      const taken = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(taken).toHaveLength(1);
      expect((await shop.getRefund(tenant, id)).txHash).toBe(taken[0]?.txHash);
    });

    test("is refused for a settled refund, unless it is the settled one", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const completed = await shop.refund(tenant, payment.id, { amount: "1" });
      const failed = await shop.refund(tenant, payment.id, { amount: "1" });
      const txHash = aHash();
      await confirm(tenant, completed.id, txHash);
      await reject(tenant, failed.id);
      expect((await submit(tenant, completed.id, txHash))?.status).toBe("completed");
      for (const [id, status] of [
        [completed.id, "completed"],
        [failed.id, "failed"],
      ] as const) {
        await expect(submit(tenant, id, aHash())).rejects.toMatchObject(
          refused(`Refund is ${status}; expected created`),
        );
      }
    });

    test("must be a hash of a refund there is", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      await expect(submit(tenant, id, "0x12")).rejects.toMatchObject({
        kind: "invalid_argument",
        message: "txHash must be a 32-byte hex string",
      });
      const unknown = "refund_000000000000000000000000";
      await expect(submit(tenant, unknown, aHash())).rejects.toMatchObject(notFound);
    });
  });

  describe("a verdict", () => {
    test("completes the refund and, with the whole amount given back, refunds the payment", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const { id } = await shop.refund(tenant, payment.id);
      const txHash = aHash();
      await submit(tenant, id, txHash);
      await confirm(tenant, id, txHash);
      expect(await shop.getRefund(tenant, id)).toMatchObject({
        status: "completed",
        txHash,
        blockNumber: 9n,
        completedAt: expect.anything(),
        paymentBaseAmount: String(10n * ONE),
        refundedBaseAmount: String(10n * ONE),
        version: 2,
      });
      expect((await shop.eventsOf(tenant)).at(-1)).toMatchObject({
        type: "refund.completed",
        sequence: 2,
        requestId: "req-chain",
        resource: { value: { id, refundedBaseAmount: String(10n * ONE) } },
      });
      await until(async () => (await shop.pay.get(tenant, payment.id)).status === "refunded");
      await expect(shop.refund(tenant, payment.id)).rejects.toMatchObject(
        refused("Only confirmed payments can be refunded"),
      );
    });

    test("on a part tells how much is back so far, and the payment stays confirmed until all is", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const parts = [];
      for (const amount of ["3", "3", "4"]) {
        parts.push(await shop.refund(tenant, payment.id, { amount }));
      }
      const statuses: string[] = [];
      for (const { id } of parts) {
        await confirm(tenant, id);
        await shop.eventsOf(tenant);
        statuses.push((await shop.pay.get(tenant, payment.id)).status);
      }
      expect(statuses).toEqual(["confirmed", "confirmed", "refunded"]);
      const sums = (await shop.eventsOf(tenant)).flatMap(({ type, resource }) =>
        type === "refund.completed" && resource.case === "refund"
          ? [BigInt(resource.value.refundedBaseAmount) / ONE]
          : [],
      );
      expect(sums).toEqual([3n, 6n, 10n]);
      const told = (await typesOf(tenant, "payment")).filter((type) => type.includes("refunded"));
      expect(told).toHaveLength(3);
    });

    test("against the transaction fails the refund and frees what it held", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const { id } = await shop.refund(tenant, payment.id);
      const txHash = aHash();
      await submit(tenant, id, txHash);
      await reject(tenant, id, txHash, "recipient_mismatch");
      expect(await shop.getRefund(tenant, id)).toMatchObject({
        status: "failed",
        failureReason: "recipient_mismatch",
        version: 2,
      });
      expect((await typesOf(tenant)).at(-1)).toBe("refund.failed 2");
      expect(await shop.balanceOf(payment.id)).toEqual({ reserved: 0n, completed: 0n });
      expect((await shop.refund(tenant, payment.id)).amount).toBe("10");
    });

    test("about another hash than the submitted one proves nothing against the refund", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      await submit(tenant, id, aHash());
      await reject(tenant, id, aHash());
      expect((await shop.getRefund(tenant, id)).status).toBe("created");
    });

    test("on a settled refund changes nothing", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const completed = await shop.refund(tenant, payment.id, { amount: "4" });
      const failed = await shop.refund(tenant, payment.id, { amount: "4" });
      await confirm(tenant, completed.id);
      await reject(tenant, failed.id);
      const before = await Promise.all(
        [completed, failed].map(({ id }) => shop.getRefund(tenant, id)),
      );
      await reject(tenant, completed.id);
      await confirm(tenant, completed.id);
      await confirm(tenant, failed.id);
      await reject(tenant, failed.id);
      const after = await Promise.all(
        [completed, failed].map(({ id }) => shop.getRefund(tenant, id)),
      );
      expect(after).toEqual(before);
      expect(await shop.balanceOf(payment.id)).toEqual({ reserved: 4n * ONE, completed: 4n * ONE });
      expect((await typesOf(tenant)).filter((type) => !type.startsWith("refund.created"))).toEqual([
        "refund.completed 2",
        "refund.failed 2",
      ]);
    });

    test("for another project's refund changes nothing", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      await confirm(aTenant(), id);
      expect((await shop.getRefund(tenant, id)).status).toBe("created");
    });

    test("that comes again with all the rest changes nothing", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const { id } = await shop.refund(tenant, payment.id, { amount: "4" });
      await confirm(tenant, id);
      await shop.eventsOf(tenant);
      const before = await shop.getRefund(tenant, id);
      await shop.repeatAll();
      expect(await shop.getRefund(tenant, id)).toEqual(before);
      expect(await shop.balanceOf(payment.id)).toEqual({ reserved: 4n * ONE, completed: 4n * ONE });
    });
  });

  describe("time", () => {
    test("fails a refund nobody paid out in a week, but none with a hash", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const forgotten = await shop.refund(tenant, payment.id, { amount: "4" });
      const underWay = await shop.refund(tenant, payment.id, { amount: "4" });
      await submit(tenant, underWay.id, aHash());
      shop.clock.move(6.9 * DAY_MS);
      const young = await shop.refund(tenant, payment.id, { amount: "1" });
      shop.clock.move(0.2 * DAY_MS);

      const failed = await until(async () => {
        const refund = await shop.getRefund(tenant, forgotten.id);
        return refund.failureReason === undefined ? undefined : refund;
      });
      expect(failed).toMatchObject({ status: "failed", failureReason: "timeout", version: 2 });
      expect((await shop.eventsOf(tenant)).at(-1)).toMatchObject({
        type: "refund.failed",
        resourceId: forgotten.id,
      });
      for (const { id } of [underWay, young]) {
        expect((await shop.getRefund(tenant, id)).status).toBe("created");
      }
      expect((await shop.balanceOf(payment.id)).reserved).toBe(5n * ONE);
      expect((await shop.refund(tenant, payment.id)).amount).toBe("5");
    });
  });
});
