import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  aTenant,
  describeWithShop,
  RECIPIENT,
  SHOPPER,
  type Shop,
  startShop,
  type Tenant,
} from "./shop.ts";

describeWithShop("refunds on the chain", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  function submit(tenant: Tenant, id: string, txHash: string) {
    return shop.refunds.submitRefundTransaction({ tenant, id, txHash });
  }

  function settled(tenant: Tenant, id: string) {
    return until(
      async () => {
        const refund = await shop.getRefund(tenant, id);
        return refund.version > 1 ? refund : undefined;
      },
      { what: "a verdict" },
    );
  }

  test("a transfer of native coins completes a refund", async () => {
    const tenant = aTenant();
    const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id, {
      amount: "0.25",
    });
    const value = 25n * 10n ** 16n;
    const txHash = await shop.chain.payNative({ from: RECIPIENT, to: SHOPPER, value });
    await submit(tenant, id, txHash);
    expect(await settled(tenant, id)).toMatchObject({
      status: "completed",
      txHash,
      blockNumber: expect.any(BigInt),
    });
  });

  test("a transfer of tokens completes a refund, one unit less does not", async () => {
    const tenant = aTenant();
    const { address, holder } = shop.chain.token;
    const { id } = await shop.pay.confirmed(tenant, {
      currency: address,
      amount: "5",
      recipientAddress: holder,
    });
    function transfer(value: bigint) {
      return shop.chain.payToken({ from: holder, to: SHOPPER, value });
    }

    const short = await shop.refund(tenant, id, { amount: "2" });
    await submit(tenant, short.id, await transfer(1_999_999n));
    expect(await settled(tenant, short.id)).toMatchObject({ status: "failed" });
    const exact = await shop.refund(tenant, id, { amount: "2" });
    await submit(tenant, exact.id, await transfer(2_000_000n));
    expect(await settled(tenant, exact.id)).toMatchObject({ status: "completed" });
  });

  test("one transfer completes one refund only", async () => {
    const tenant = aTenant();
    const payment = await shop.pay.confirmed(tenant);
    const [one, other] = [
      await shop.refund(tenant, payment.id, { amount: "0.125" }),
      await shop.refund(tenant, payment.id, { amount: "0.125" }),
    ];
    const value = 125n * 10n ** 15n;
    const txHash = await shop.chain.payNative({ from: RECIPIENT, to: SHOPPER, value });
    await submit(tenant, one.id, txHash);
    expect(await settled(tenant, one.id)).toMatchObject({ status: "completed" });
    await submit(tenant, other.id, txHash);
    const held = await until(
      async () => {
        const refund = await shop.getRefund(tenant, other.id);
        return refund.heldReason === undefined ? undefined : refund;
      },
      { what: "a verdict" },
    );
    expect(held).toMatchObject({ status: "created", heldReason: "transfer_already_used" });
    await submit(
      tenant,
      other.id,
      await shop.chain.payNative({ from: RECIPIENT, to: SHOPPER, value }),
    );
    expect(await settled(tenant, other.id)).toMatchObject({ status: "completed" });
  });
});
