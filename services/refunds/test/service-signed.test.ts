// Records that the service sends itself: they take no hash, and only what chains says of them ends them.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { until } from "@pay/testing";
import {
  aHash,
  aTenant,
  describeWithShop,
  RECIPIENT,
  type Shop,
  SIGNED,
  startShop,
  type Tenant,
} from "./shop.ts";

const DAY_MS = 86_400_000;

describeWithShop("a refund that the service signs", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  async function readRefund(tenant: Tenant) {
    return shop.refund(tenant, (await shop.pay.confirmed(tenant)).id, { amount: "4" });
  }

  function unsent(tenant: Tenant, subjectId: string) {
    return shop.observe("transfer.unsent", tenant, { subjectId, reason: "nonce_used" });
  }

  /** Once chains has taken it. */
  function changeIntent(id: string, change: string) {
    return until(async () => {
      const changed = `update intents set ${change} where subject_id = $1`;
      return (await shop.chainsPool.query(changed, [id])).rowCount === 1;
    });
  }

  test("is marked at its creation, for a wallet of its project and mode only", async () => {
    expect((await readRefund(SIGNED)).serviceSigned).toBe(true);
    expect((await readRefund(aTenant())).serviceSigned).toBe(false);
    expect((await readRefund({ ...SIGNED, mode: Mode.TEST })).serviceSigned).toBe(false);
  });

  test("accepts no submitted transaction and is completed by the transaction of the service", async () => {
    const refund = await readRefund(SIGNED);
    await expect(shop.submit(SIGNED, refund.id)).rejects.toMatchObject({
      errorCode: "refund_service_signed",
    });
    const txHash = aHash();
    await shop.judge("transfer.confirmed", SIGNED, refund, txHash, { submittedTxHash: "" });
    expect(await shop.getRefund(SIGNED, refund.id)).toMatchObject({ status: "completed", txHash });
    await unsent(SIGNED, refund.id);
    expect((await shop.getRefund(SIGNED, refund.id)).status).toBe("completed");
  });

  test("fails when chains reports it as unsendable, and its amount can be refunded again", async () => {
    const refund = await readRefund(SIGNED);
    await unsent(aTenant(), refund.id);
    expect((await shop.getRefund(SIGNED, refund.id)).status).toBe("created");
    const before = await shop.readBalance(refund.paymentId);
    await unsent(SIGNED, refund.id);
    expect(await shop.getRefund(SIGNED, refund.id)).toMatchObject({
      status: "failed",
      failureReason: "nonce_used",
      version: 2,
    });
    const after = await shop.readBalance(refund.paymentId);
    expect(before.reserved - after.reserved).toBe(BigInt(refund.baseAmount));
    const own = await readRefund(aTenant());
    await unsent(SIGNED, own.id);
    expect((await shop.getRefund(SIGNED, refund.id)).version).toBe(2);
  });

  test("can be cancelled until chains has signed it", async () => {
    const refund = await readRefund(SIGNED);
    const { id, paymentId, baseAmount } = refund;
    const wanted = { tenant: SIGNED, id, requestId: "req-cancel" };
    await changeIntent(id, "next_at = now()");
    const before = await shop.readBalance(paymentId);
    const { refund: cancelled } = await shop.refunds.cancelRefund(wanted);
    expect(cancelled).toMatchObject({ status: "failed", failureReason: "cancelled", version: 2 });
    expect((await shop.refunds.cancelRefund(wanted)).refund).toEqual(cancelled);
    expect(before.reserved - (await shop.readBalance(paymentId)).reserved).toBe(BigInt(baseAmount));

    const signed = await readRefund(SIGNED);
    const signature = "nonce = 0, gas_limit = 21000, signed_at = now(), signed_block = 1";
    await changeIntent(signed.id, `state = 'signed', ${signature}`);
    await expect(
      shop.refunds.cancelRefund({ tenant: SIGNED, id: signed.id }),
    ).rejects.toMatchObject({ errorCode: "refund_service_signed" });
    expect((await shop.getRefund(SIGNED, signed.id)).status).toBe("created");
  });

  test("is cancelled too where only chains has heard of it", async () => {
    const { id } = await readRefund(SIGNED);
    await shop.observe("transfer.unsent", SIGNED, { subjectId: id, reason: "cancelled" });
    const { refund } = await shop.refunds.cancelRefund({ tenant: SIGNED, id });
    expect(refund).toMatchObject({ status: "failed", failureReason: "cancelled", version: 2 });
  });

  test("does not time out, because its transaction may still be mined", async () => {
    const tenant = aTenant();
    const [refund, own] = [await readRefund(SIGNED), await readRefund(tenant)];
    shop.clock.move(8 * DAY_MS);
    await until(async () => (await shop.getRefund(tenant, own.id)).status === "failed");
    expect((await shop.getRefund(SIGNED, refund.id)).status).toBe("created");
  });

  test("can be a settlement, which chains ends in the same way", async () => {
    await shop.settle.openTreasury(SIGNED);
    await until(async () => (await shop.settle.getWallet(SIGNED, RECIPIENT)).credited > 0n);
    const { id } = await shop.settle.request(SIGNED, { amount: "1" });
    await shop.settle.approve(SIGNED, id);
    await expect(shop.settle.submit(SIGNED, id)).rejects.toMatchObject({
      errorCode: "settlement_service_signed",
    });
    const held = (await shop.settle.getWallet(SIGNED, RECIPIENT)).settled;
    await unsent(SIGNED, id);
    expect(await shop.settle.get(SIGNED, id)).toMatchObject({
      status: "failed",
      failureReason: "nonce_used",
    });
    const { settled } = await shop.settle.getWallet(SIGNED, RECIPIENT);
    expect(held - settled).toBe(10n ** 18n);
  });
});
