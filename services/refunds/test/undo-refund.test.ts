import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { until } from "@pay/testing";
import { countOnHold } from "../src/storage/cross-tenant.ts";
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

describeWithShop("undoing refunds", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  async function listTypes(tenant: Tenant) {
    return (await shop.readEvents(tenant)).map(({ type, sequence }) => `${type} ${sequence}`);
  }

  describe("a reorganisation", () => {
    test("opens a completed refund again, keeps its amount, and a second proof completes it", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const refund = await shop.refund(tenant, payment.id);
      const [submitted, mined] = [aHash(), aHash()];
      await shop.submit(tenant, refund.id, submitted);
      const seen = { submittedTxHash: submitted };
      await shop.judge("transfer.confirmed", tenant, refund, mined, seen);
      await until(async () => (await shop.pay.get(tenant, payment.id)).status === "refunded");
      await shop.judge("transfer.unseen", tenant, refund, mined, seen);
      const open = await shop.getRefund(tenant, refund.id);
      expect(open).toMatchObject({
        status: "created",
        txHash: submitted,
        refundedBaseAmount: "0",
        reservedBaseAmount: String(10n * ONE),
        version: 3,
      });
      expect([open.completedAt, open.blockNumber, open.paidFrom]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(await shop.readBalance(payment.id)).toEqual({ reserved: 10n * ONE, completed: 0n });
      await until(async () => (await shop.pay.get(tenant, payment.id)).status === "confirmed");
      await shop.judge("transfer.confirmed", tenant, refund, mined, seen);
      expect((await shop.getRefund(tenant, refund.id)).status).toBe("completed");
      expect((await listTypes(tenant)).slice(-3)).toEqual([
        "refund.completed 2",
        "refund.reorged 3",
        "refund.completed 4",
      ]);
      await until(async () => (await shop.pay.get(tenant, payment.id)).status === "refunded");
    });

    test("after which the transaction is rejected fails the refund and releases its amount", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const refund = await shop.refund(tenant, payment.id);
      const txHash = aHash();
      const wallet = "0x".padEnd(42, "a");
      await shop.submit(tenant, refund.id, txHash, [wallet]);
      const elsewhere = { senderAddress: wallet };
      await shop.judge("transfer.confirmed", tenant, refund, txHash, elsewhere);
      expect(await shop.settle.getWallet(tenant)).toMatchObject({ reserved: 0n });
      await shop.judge("transfer.unseen", tenant, refund, txHash);
      expect(await shop.settle.getWallet(tenant)).toMatchObject({ reserved: 10n * ONE });
      await shop.judge("transfer.rejected", tenant, refund, txHash, { reason: "reorged" });
      expect(await shop.getRefund(tenant, refund.id)).toMatchObject({
        status: "failed",
        failureReason: "reorged",
      });
      expect(await shop.readBalance(payment.id)).toEqual({ reserved: 0n, completed: 0n });
      expect(await shop.settle.getWallet(tenant)).toMatchObject({ reserved: 0n });
    });

    test("of the payment holds its open refunds until it is proven again", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const refund = await shop.refund(tenant, payment.id, { amount: "4" });
      async function heldReasons() {
        await shop.readEvents(tenant, "payment");
        const { refunds: listed } = await shop.refunds.listRefunds({ tenant });
        const ofPayment = { tenant, paymentIds: [payment.id] };
        const { refunds: batch } = await shop.refunds.batchListRefunds(ofPayment);
        const all = [await shop.getRefund(tenant, refund.id), ...listed, ...batch];
        return all.map(({ heldReason }) => heldReason);
      }

      expect(await heldReasons()).toEqual([undefined, undefined, undefined]);
      await shop.pay.receive(tenant, payment, { unproven: 10n * ONE });
      const held = "payment_reorged";
      expect(await heldReasons()).toEqual([held, held, held]);
      expect((await countOnHold(shop.pool)).payments).toBe(1);
      await expect(shop.refund(tenant, payment.id, { amount: "1" })).rejects.toMatchObject({
        errorCode: "payment_not_refundable",
      });
      await shop.pay.receive(tenant, payment, { final: 10n * ONE });
      expect(await heldReasons()).toEqual([undefined, undefined, undefined]);
    });
  });

  describe("a cancellation", () => {
    function cancel(tenant: Tenant, id: string) {
      return shop.refunds.cancelRefund({ tenant, id, requestId: "req-cancel" });
    }

    test("fails the refund, frees its amount and can be repeated", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const { id } = await shop.refund(tenant, payment.id);
      for (let times = 0; times < 2; times++) {
        const { refund } = await cancel(tenant, id);
        expect(refund).toMatchObject({ status: "failed", failureReason: "cancelled", version: 2 });
      }
      expect(await listTypes(tenant)).toEqual(["refund.created 1", "refund.failed 2"]);
      expect((await shop.refund(tenant, payment.id)).amount).toBe("10");
      await expect(cancel(tenant, "refund_000000000000000000000000")).rejects.toMatchObject(
        notFound,
      );
      await expect(cancel(aTenant(), id)).rejects.toMatchObject(notFound);
      await expect(cancel({ ...tenant, mode: Mode.TEST }, id)).rejects.toMatchObject(notFound);
    });

    test("is rejected while a submitted transaction may pay, and possible once it counts elsewhere", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const refund = await shop.refund(tenant, payment.id);
      const txHash = aHash();
      await shop.submit(tenant, refund.id, txHash);
      await expect(cancel(tenant, refund.id)).rejects.toMatchObject({
        errorCode: "refund_transaction_pending",
      });
      const used = { reason: "transfer_already_used" };
      await shop.judge("transfer.rejected", tenant, refund, txHash, used);
      expect((await cancel(tenant, refund.id)).refund?.status).toBe("failed");
      expect(await shop.readBalance(payment.id)).toEqual({ reserved: 0n, completed: 0n });
    });

    test("that races with hashes lets one of them win", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      for (let round = 0; round < 10; round++) {
        const { id } = await shop.refund(tenant, payment.id, { amount: "0.1" });
        const [cancelled, hashed] = await Promise.allSettled([
          cancel(tenant, id),
          shop.submit(tenant, id, aHash()),
        ]);
        expect([cancelled.status, hashed.status].sort()).toEqual(["fulfilled", "rejected"]);
        const { status, txHash } = await shop.getRefund(tenant, id);
        expect(txHash === undefined).toBe(status === "failed");
      }
    });
  });
});
