import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import {
  aHash,
  aTenant,
  describeWithShop,
  notFound,
  type Shop,
  startShop,
  type Tenant,
} from "./shop.ts";

describeWithShop("isolation of refunds", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  const strangers = {
    "another project": () => aTenant(),
    "the other mode": (own: Tenant) => ({ ...own, mode: Mode.TEST }),
  };
  for (const [name, strangerTo] of Object.entries(strangers)) {
    test(`${name} neither sees nor touches a refund or its payment`, async () => {
      const own = aTenant(Mode.LIVE);
      const tenant = strangerTo(own);
      const payment = await shop.pay.confirmed(own);
      const before = await shop.refund(own, payment.id, { amount: "4" });
      const { id } = before;

      await expect(shop.refund(tenant, payment.id)).rejects.toMatchObject({
        errorCode: "payment_not_found",
        message: "Payment not found",
      });
      await expect(shop.refunds.getRefund({ tenant, id })).rejects.toMatchObject(notFound);
      await expect(
        shop.refunds.submitRefundTransaction({ tenant, id, txHash: aHash() }),
      ).rejects.toMatchObject(notFound);
      for (const filter of [{}, { paymentId: payment.id }]) {
        const list = await shop.refunds.listRefunds({ tenant, ...filter });
        expect([list.refunds, list.total]).toEqual([[], 0n]);
      }
      expect(await shop.getRefund(own, id)).toEqual(before);
      expect((await shop.refund(own, payment.id)).amount).toBe("6");
    });
  }
});
