import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { until } from "@pay/testing";
import {
  aHash,
  aTenant,
  describeWithShop,
  failure,
  notFound,
  RECIPIENT,
  SHOPPER,
  type Shop,
  startShop,
  type Tenant,
} from "./shop.ts";

const ONE = 10n ** 18n;
const DAY_MS = 24 * 60 * 60_000;
describeWithShop("settling refunds", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  function submit(tenant: Tenant, id: string, txHash: string) {
    return shop.submit(tenant, id, txHash);
  }

  /** The chain's verdict on a refund's hash, which is submitted first. */
  async function confirm(tenant: Tenant, id: string, txHash = aHash()) {
    const refund = await submit(tenant, id, txHash);
    await shop.judge("transfer.confirmed", tenant, refund, txHash);
  }

  async function reject(tenant: Tenant, id: string, txHash = aHash(), reason = "reverted") {
    const refund = await submit(tenant, id, txHash);
    await shop.judge("transfer.rejected", tenant, refund, txHash, { reason });
  }

  async function listTypes(tenant: Tenant, noun?: "payment") {
    return (await shop.readEvents(tenant, noun)).map(({ type, sequence }) => `${type} ${sequence}`);
  }

  describe("a submitted hash", () => {
    test("is stored and published, and changes neither status nor version", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      const txHash = aHash();
      const refund = await submit(tenant, id, txHash.toUpperCase().replace("0X", "0x"));
      expect(refund).toMatchObject({ status: "created", txHash, version: 1 });
      expect((await shop.readEvents(tenant)).at(-1)).toMatchObject({
        type: "refund.submitted",
        sequence: 1,
        requestId: "req-submit",
        resource: { case: "refund", value: { id, txHash, status: "created" } },
      });
    });

    test("that repeats publishes nothing; a refund accepts five", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      const txHash = aHash();
      const first = await submit(tenant, id, txHash);
      expect(await submit(tenant, id, txHash)).toEqual(first);
      for (let more = 0; more < 4; more++) await submit(tenant, id, aHash());
      await expect(submit(tenant, id, aHash())).rejects.toMatchObject(
        failure("refund_transactions_exhausted", "Refund already has 5 transactions"),
      );
      expect((await submit(tenant, id, txHash)).status).toBe("created");
      const types = await listTypes(tenant);
      expect(types).toEqual(["refund.created 1", ...Array(5).fill("refund.submitted 1")]);
    });

    test("is stored for each accepted one of ten concurrent submissions, of which at most five", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      const racing = Array.from({ length: 10 }, () => aHash());
      const settled = await Promise.allSettled(racing.map((txHash) => submit(tenant, id, txHash)));
      const taken = racing.filter((_, at) => settled[at]?.status === "fulfilled");
      expect(taken.length).toBeLessThanOrEqual(5);
      expect(taken.length).toBeGreaterThan(0);
      const { rows } = await shop.pool.query("select * from refunds where id = $1", [id]);
      const kept = (rows[0].other_hashes ?? []).map(({ hash }: { hash: string }) => hash);
      expect([...kept, rows[0].tx_hash].toSorted()).toEqual(taken.toSorted());
    });

    test("of a final refund is rejected, unless it is the known hash", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const completed = await shop.refund(tenant, payment.id, { amount: "1" });
      const failed = await shop.refund(tenant, payment.id, { amount: "1" });
      const txHash = aHash();
      await confirm(tenant, completed.id, txHash);
      await reject(tenant, failed.id);
      expect((await submit(tenant, completed.id, txHash)).status).toBe("completed");
      for (const [id, status] of [
        [completed.id, "completed"],
        [failed.id, "failed"],
      ] as const) {
        await expect(submit(tenant, id, aHash())).rejects.toMatchObject(
          failure("refund_status_invalid", `Refund is ${status}; expected created`),
        );
      }
    });

    test("must be well-formed and belong to a known refund", async () => {
      const tenant = aTenant();
      const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      await expect(submit(tenant, id, "0x12")).rejects.toMatchObject({
        errorCode: "field_invalid",
        message: "txHash must be a 32-byte hex string",
      });
      const unknown = "refund_000000000000000000000000";
      await expect(submit(tenant, unknown, aHash())).rejects.toMatchObject(notFound);
    });
  });

  describe("a verdict", () => {
    test("that confirms completes the refund; a full refund moves the payment to refunded", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const { id } = await shop.refund(tenant, payment.id);
      const txHash = aHash();
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
      expect((await shop.readEvents(tenant)).at(-1)).toMatchObject({
        type: "refund.completed",
        sequence: 2,
        requestId: "req-chain",
        resource: { value: { id, refundedBaseAmount: String(10n * ONE) } },
      });
      await until(async () => (await shop.pay.get(tenant, payment.id)).status === "refunded");
      await expect(shop.refund(tenant, payment.id)).rejects.toMatchObject(
        failure("payment_fully_refunded", "Payment is fully refunded"),
      );
    });

    test("on a partial refund carries the refunded sum; the payment stays confirmed until it is full", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const parts = [];
      for (const amount of ["3", "3", "4"]) {
        parts.push(await shop.refund(tenant, payment.id, { amount }));
      }
      const statuses: string[] = [];
      for (const { id } of parts) {
        await confirm(tenant, id);
        await shop.readEvents(tenant);
        statuses.push((await shop.pay.get(tenant, payment.id)).status);
      }
      expect(statuses).toEqual(["confirmed", "confirmed", "refunded"]);
      const sums = (await shop.readEvents(tenant)).flatMap(({ type, resource }) =>
        type === "refund.completed" && resource.case === "refund"
          ? [BigInt(resource.value.refundedBaseAmount) / ONE]
          : [],
      );
      expect(sums).toEqual([3n, 6n, 10n]);
      const published = (await listTypes(tenant, "payment")).filter((type) =>
        type.includes("refunded"),
      );
      expect(published).toHaveLength(3);
    });

    test("that rejects fails the refund and releases its amount", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const { id } = await shop.refund(tenant, payment.id);
      const txHash = aHash();
      await reject(tenant, id, txHash, "recipient_mismatch");
      expect(await shop.getRefund(tenant, id)).toMatchObject({
        status: "failed",
        failureReason: "recipient_mismatch",
        version: 2,
      });
      expect((await listTypes(tenant)).at(-1)).toBe("refund.failed 2");
      expect(await shop.readBalance(payment.id)).toEqual({ reserved: 0n, completed: 0n });
      expect((await shop.refund(tenant, payment.id)).amount).toBe("10");
    });

    test("that does not match the refund changes nothing and is counted", async () => {
      const tenant = aTenant();
      const refund = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      const txHash = aHash();
      await submit(tenant, refund.id, txHash);
      const wrong = [
        { chainId: 1n },
        { recipientAddress: RECIPIENT.toLowerCase() },
        { currency: SHOPPER.toLowerCase() },
        { senderAddress: SHOPPER.toLowerCase() },
        { submittedTxHash: aHash() },
        { receivedBaseAmount: String(BigInt(refund.baseAmount) - 1n) },
      ];
      for (const seen of wrong) {
        await shop.judge("transfer.confirmed", tenant, refund, txHash, seen);
      }
      await shop.judge("transfer.rejected", tenant, refund, aHash(), { reason: "reverted" });
      await shop.judge("transfer.confirmed", aTenant(), refund, txHash);
      await shop.judge("transfer.confirmed", { ...tenant, mode: Mode.TEST }, refund, txHash);
      shop.proofs.expect({ refused: wrong.length + 3 });
      expect((await shop.getRefund(tenant, refund.id)).status).toBe("created");
      await shop.judge("transfer.confirmed", tenant, refund, txHash, { submittedTxHash: "" });
      expect((await shop.getRefund(tenant, refund.id)).status).toBe("completed");
    });

    test("on a payout wallet completes the refund and leaves the source wallet unchanged", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const refund = await shop.refund(tenant, payment.id);
      const hashes = [aHash(), aHash()] as const;
      const [first, second] = ["0x".padEnd(42, "a"), "0x".padEnd(42, "b")] as const;
      await shop.submit(tenant, refund.id, hashes[0], [first]);
      // The wallet that was named with the first hash counts for it, whatever is named with the second.
      await shop.submit(tenant, refund.id, hashes[1], [second]);
      const stranger = { senderAddress: SHOPPER.toLowerCase() };
      await shop.judge("transfer.confirmed", tenant, refund, hashes[0], stranger);
      shop.proofs.expect({ refused: 1 });
      expect(await shop.settle.getWallet(tenant)).toMatchObject({ reserved: 10n * ONE });
      await shop.judge("transfer.confirmed", tenant, refund, hashes[0], { senderAddress: first });
      expect(await shop.getRefund(tenant, refund.id)).toMatchObject({
        status: "completed",
        txHash: hashes[0],
        paidFrom: first,
      });
      expect(await shop.settle.getWallet(tenant)).toMatchObject({ reserved: 0n });
      expect(await shop.readBalance(payment.id)).toEqual({
        reserved: 10n * ONE,
        completed: 10n * ONE,
      });
    });

    test("that rejects one of two hashes leaves the refund open for a proof of the other", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      for (const [first, second] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const refund = await shop.refund(tenant, payment.id, { amount: "1" });
        const hashes = [aHash(), aHash()] as const;
        for (const txHash of hashes) await submit(tenant, refund.id, txHash);
        const against = { reason: "recipient_mismatch" };
        await shop.judge("transfer.rejected", tenant, refund, hashes[first], against);
        const open = await shop.getRefund(tenant, refund.id);
        expect(open).toMatchObject({ status: "created", txHash: hashes[second], version: 1 });
        await shop.judge("transfer.confirmed", tenant, refund, hashes[second]);
        expect((await shop.getRefund(tenant, refund.id)).status).toBe("completed");
      }
    });

    test("of not_found fails the refund, and a new refund can be completed", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const { id } = await shop.refund(tenant, payment.id);
      await reject(tenant, id, aHash(), "not_found");
      const failed = { status: "failed", failureReason: "not_found" };
      expect(await shop.getRefund(tenant, id)).toMatchObject(failed);
      expect((await shop.readBalance(payment.id)).reserved).toBe(0n);
      const again = await shop.refund(tenant, payment.id);
      expect(again.paymentConfirmedAt).toEqual(payment.confirmedAt);
      await confirm(tenant, again.id);
      expect((await shop.getRefund(tenant, again.id)).status).toBe("completed");
    });

    test("that puts a refund on hold releases nothing, and another transaction completes it", async () => {
      const tenant = aTenant();
      for (const reason of ["predates_payment", "transfer_already_used"]) {
        const payment = await shop.pay.confirmed(tenant);
        const { id } = await shop.refund(tenant, payment.id);
        await reject(tenant, id, aHash(), reason);
        const held = await shop.getRefund(tenant, id);
        expect(held).toMatchObject({ status: "created", heldReason: reason });
        expect(held.failureReason).toBeUndefined();
        await reject(tenant, id, aHash(), "reverted");
        expect((await shop.getRefund(tenant, id)).status).toBe("created");
        expect((await shop.readBalance(payment.id)).reserved).toBe(10n * ONE);
        await expect(shop.refund(tenant, payment.id)).rejects.toMatchObject(
          failure("payment_fully_refunded", "Payment is fully refunded"),
        );
        await confirm(tenant, id);
        const completed = await shop.getRefund(tenant, id);
        expect(completed.status).toBe("completed");
        expect(completed.heldReason).toBeUndefined();
      }
    });

    test("on more than the amount completes the refund", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const refund = await shop.refund(tenant, payment.id, { amount: "4" });
      const txHash = aHash();
      await submit(tenant, refund.id, txHash);
      const more = { receivedBaseAmount: String(5n * ONE) };
      await shop.judge("transfer.confirmed", tenant, refund, txHash, more);
      expect((await shop.getRefund(tenant, refund.id)).status).toBe("completed");
      expect(await shop.readBalance(payment.id)).toEqual({
        reserved: 4n * ONE,
        completed: 4n * ONE,
      });
    });

    test("on a final refund changes nothing, and a proof of a failed one is counted", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const completed = await shop.refund(tenant, payment.id, { amount: "4" });
      const failed = await shop.refund(tenant, payment.id, { amount: "4" });
      const [good, bad] = [aHash(), aHash()];
      await confirm(tenant, completed.id, good);
      await reject(tenant, failed.id, bad);
      function read() {
        return Promise.all([completed, failed].map(({ id }) => shop.getRefund(tenant, id)));
      }

      const before = await read();
      await shop.judge("transfer.rejected", tenant, completed, good, { reason: "reverted" });
      await shop.judge("transfer.confirmed", tenant, completed, good);
      await shop.judge("transfer.confirmed", tenant, failed, bad);
      await shop.judge("transfer.rejected", tenant, failed, bad, { reason: "reverted" });
      shop.proofs.expect({ unapplied: 1 });
      expect(await read()).toEqual(before);
      expect(await shop.readBalance(payment.id)).toEqual({
        reserved: 4n * ONE,
        completed: 4n * ONE,
      });
      const published = (await listTypes(tenant)).filter((type) => /completed|failed/.test(type));
      expect(published).toEqual(["refund.completed 2", "refund.failed 2"]);
    });

    test("that is delivered twice changes nothing", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const { id } = await shop.refund(tenant, payment.id, { amount: "4" });
      await confirm(tenant, id);
      await shop.readEvents(tenant);
      const before = await shop.getRefund(tenant, id);
      await shop.repeatAll();
      expect(await shop.getRefund(tenant, id)).toEqual(before);
      expect(await shop.readBalance(payment.id)).toEqual({
        reserved: 4n * ONE,
        completed: 4n * ONE,
      });
    });
  });

  describe("the timeout", () => {
    test("fails a refund without a transaction after a week, but none with a hash", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const forgotten = await shop.refund(tenant, payment.id, { amount: "4" });
      const underWay = await shop.refund(tenant, payment.id, { amount: "4" });
      await submit(tenant, underWay.id, aHash());
      shop.clock.move(6.9 * DAY_MS);
      const recent = await shop.refund(tenant, payment.id, { amount: "1" });
      shop.clock.move(0.2 * DAY_MS);

      const failed = await until(async () => {
        const refund = await shop.getRefund(tenant, forgotten.id);
        return refund.failureReason === undefined ? undefined : refund;
      });
      expect(failed).toMatchObject({ status: "failed", failureReason: "timeout", version: 2 });
      expect((await shop.readEvents(tenant)).at(-1)).toMatchObject({
        type: "refund.failed",
        resourceId: forgotten.id,
      });
      for (const { id } of [underWay, recent]) {
        expect((await shop.getRefund(tenant, id)).status).toBe("created");
      }
      expect((await shop.readBalance(payment.id)).reserved).toBe(5n * ONE);
      expect((await shop.refund(tenant, payment.id)).amount).toBe("5");
    });
  });
});
