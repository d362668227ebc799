import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  aHash,
  aTenant,
  CHAIN_ID,
  describeWithShop,
  EXCHANGE,
  notFound,
  RECIPIENT,
  type Shop,
  startShop,
} from "./shop.ts";

describeWithShop("reading refunds", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  function ids({ refunds }: { refunds: { id: string }[] }) {
    return refunds.map(({ id }) => id);
  }

  test("a refund is found by its id, an unknown one is not", async () => {
    const tenant = aTenant();
    const { id } = await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
    expect((await shop.refunds.getRefund({ tenant, id })).refund?.id).toBe(id);
    const unknown = "refund_000000000000000000000000";
    await expect(shop.refunds.getRefund({ tenant, id: unknown })).rejects.toMatchObject(notFound);
  });

  test("whether a payment can be refunded is judged as a creation is", async () => {
    const tenant = aTenant();
    const { id: paymentId } = await shop.pay.confirmed(tenant);
    expect(await shop.refunds.checkRefundable({ tenant, paymentId })).not.toHaveProperty("failure");
    await shop.refund(tenant, paymentId);
    const { failure } = await shop.refunds.checkRefundable({ tenant, paymentId });
    expect(failure).toMatchObject({ code: "payment_fully_refunded" });
    await expect(shop.refund(tenant, paymentId)).rejects.toMatchObject({
      errorCode: failure?.code,
    });
    const strange = shop.refunds.checkRefundable({ tenant: aTenant(), paymentId });
    await expect(strange).rejects.toMatchObject({ errorCode: "payment_not_found" });
  });

  test("a request without project and mode is rejected", async () => {
    const tenantless = { errorCode: "call_malformed" };
    await expect(shop.refunds.getRefund({ id: "refund_1" })).rejects.toMatchObject(tenantless);
    await expect(shop.refunds.listRefunds({})).rejects.toMatchObject(tenantless);
  });

  describe("the list", () => {
    test("is newest first; pages and cursors cover it exactly", async () => {
      const tenant = aTenant();
      const payment = await shop.pay.confirmed(tenant);
      const created: string[] = [];
      for (let nth = 0; nth < 5; nth++) {
        created.unshift((await shop.refund(tenant, payment.id, { amount: "1" })).id);
        shop.clock.move(1);
      }
      function list(page: number, after = "") {
        return shop.refunds.listRefunds({ tenant, page: { page, limit: 2, after } });
      }

      const pages = [await list(1), await list(2), await list(3), await list(4)];
      expect(pages.flatMap(ids)).toEqual(created);
      expect(pages.map(({ total }) => total)).toEqual([5n, 5n, 5n, 5n]);

      const seen: string[] = [];
      let after = "";
      do {
        const page = await list(1, after);
        seen.push(...ids(page));
        after = page.nextAfter;
        await shop.refund(tenant, payment.id, { amount: "0.1" });
        shop.clock.move(1);
      } while (after !== "");
      expect(seen).toEqual(created);
    });

    test("filters by the wallet or the customer record of an owner", async () => {
      const tenant = aTenant();
      const wallet = `0x${"a1".repeat(20)}`;
      const stranger = `0x${"b2".repeat(20)}`;
      const customerId = "cust_000000000000000000000001";
      const ten = 10n ** 19n;
      function from(sender: string) {
        return { senders: { [sender]: ten } };
      }

      const paid = await shop.pay.confirmed(tenant, {}, from(wallet));
      // Only where several wallets paid does the declared payer stay.
      const bound = await shop.pay.create(tenant);
      await shop.pay.declarePayer(tenant, bound.id, wallet);
      const senders = { [stranger]: ten, [EXCHANGE]: 1n };
      await shop.pay.receive(tenant, bound, { final: ten + 1n, senders });
      const named = await shop.pay.confirmed(tenant, { customerId }, from(stranger));
      const other = await shop.pay.confirmed(tenant, {}, from(stranger));
      const refunds: string[] = [];
      for (const { id } of [paid, bound, named, other]) {
        refunds.push((await shop.refund(tenant, id)).id);
        shop.clock.move(1);
      }
      const [byPaid = "", byBound = "", byNamed = ""] = refunds;
      async function listRefundsAs(owner: { walletAddress: string; customerIds: string[] }) {
        const list = await shop.refunds.listRefunds({ tenant, owner });
        expect(Number(list.total)).toBe(list.refunds.length);
        return ids(list);
      }

      expect(await listRefundsAs({ walletAddress: wallet.toUpperCase(), customerIds: [] })).toEqual(
        [byBound, byPaid],
      );
      expect(await listRefundsAs({ walletAddress: wallet, customerIds: [customerId] })).toEqual([
        byNamed,
        byBound,
        byPaid,
      ]);
      expect(await listRefundsAs({ walletAddress: "", customerIds: [] })).toEqual([]);
      const page = { page: 1, limit: 1, after: byNamed };
      const owner = { walletAddress: wallet, customerIds: [customerId] };
      expect(ids(await shop.refunds.listRefunds({ tenant, owner, page }))).toEqual([byBound]);
    });

    test("of several payments has all their refunds, and none of another project", async () => {
      const tenant = aTenant();
      const [one, other] = [await shop.pay.confirmed(tenant), await shop.pay.confirmed(tenant)];
      const first = await shop.refund(tenant, one.id, { amount: "1" });
      shop.clock.move(1);
      const second = await shop.refund(tenant, other.id, { amount: "2" });
      shop.clock.move(1);
      const third = await shop.refund(tenant, one.id, { amount: "3" });
      await shop.refund(tenant, (await shop.pay.confirmed(tenant)).id);
      const paymentIds = [one.id, other.id, "pay_none"];
      const list = await shop.refunds.batchListRefunds({ tenant, paymentIds });
      expect(list.refunds).toEqual([third, second, first]);
      const theirs = await shop.refunds.batchListRefunds({ tenant: aTenant(), paymentIds });
      expect(theirs.refunds).toEqual([]);
    });

    test("filters by payment and status, and total counts the filtered refunds", async () => {
      const tenant = aTenant();
      const [one, other] = [await shop.pay.confirmed(tenant), await shop.pay.confirmed(tenant)];
      const open = await shop.refund(tenant, one.id, { amount: "1" });
      const failed = await shop.refund(tenant, one.id, { amount: "1" });
      const completed = await shop.refund(tenant, other.id);
      await shop.settleRefund("transfer.rejected", tenant, failed, { reason: "reverted" });
      await shop.settleRefund("transfer.confirmed", tenant, completed);

      async function list(filter: { paymentId?: string; statuses?: string[] }) {
        const answer = await shop.refunds.listRefunds({ tenant, ...filter });
        expect(answer.total).toBe(BigInt(answer.refunds.length));
        return ids(answer).sort();
      }

      expect(await list({ paymentId: one.id })).toEqual([open.id, failed.id].sort());
      expect(await list({ statuses: ["failed"] })).toEqual([failed.id]);
      const settled = await list({ statuses: ["completed", "failed"] });
      expect(settled).toEqual([failed.id, completed.id].sort());
      expect(await list({ paymentId: other.id, statuses: ["created"] })).toEqual([]);
      await expect(list({ statuses: ["paid"] })).rejects.toMatchObject({
        errorCode: "field_invalid",
        message: "status must be one of created, completed, failed",
      });
    });

    test("filters by currency, chain, time, hash and whether it has to be signed", async () => {
      const tenant = aTenant();
      const { id: paymentId } = await shop.pay.confirmed(tenant);
      const sent = await shop.refund(tenant, paymentId, { amount: "1" });
      const txHash = aHash();
      await shop.refunds.submitRefundTransaction({ tenant, id: sent.id, txHash, requestId: "req" });
      shop.clock.move(1_000);
      const { id: otherId } = await shop.pay.confirmed(tenant, {}, { senders: {} });
      const unsent = await shop.refund(tenant, paymentId, { amount: "2" });
      shop.clock.move(1_000);
      const named = { destinationAddress: EXCHANGE, anyDestination: true };
      const cancelled = await shop.refund(tenant, otherId, { amount: "1", ...named });
      await shop.refunds.cancelRefund({ tenant, id: cancelled.id, requestId: "req" });
      const all = [cancelled.id, unsent.id, sent.id];
      async function list(filter: object, owner = tenant) {
        const answer = await shop.refunds.listRefunds({ tenant: owner, ...filter });
        expect(answer.total).toBe(BigInt(answer.refunds.length));
        return ids(answer);
      }

      expect(await list({ toSign: true })).toEqual([unsent.id]);
      expect(await list({ toSign: false })).toEqual([cancelled.id, sent.id]);
      expect(await list({ txHash: txHash.toUpperCase().replace("X", "x") })).toEqual([sent.id]);
      expect(await list({ txHash: aHash() })).toEqual([]);
      expect(await list({ chainId: CHAIN_ID, currency: "native" })).toEqual(all);
      expect(await list({ chainId: 1n })).toEqual([]);
      expect(await list({ currency: RECIPIENT })).toEqual([]);
      const { createdAt } = unsent;
      expect(await list({ createdFrom: createdAt })).toEqual([cancelled.id, unsent.id]);
      expect(await list({ createdTo: createdAt, currency: "native" })).toEqual([
        unsent.id,
        sent.id,
      ]);
      expect(await list({ currency: "native", toSign: true })).toEqual([unsent.id]);
      const next = { page: 1, limit: 1, after: cancelled.id };
      const { refunds, total, nextAfter } = await shop.refunds.listRefunds({
        tenant,
        currency: "native",
        page: next,
      });
      expect([ids({ refunds }), total, nextAfter]).toEqual([[unsent.id], 3n, unsent.id]);
      expect(await list({ currency: "native", txHash }, aTenant())).toEqual([]);
    });

    test("rejects a cursor of another project and unbounded pages", async () => {
      const [tenant, stranger] = [aTenant(), aTenant()];
      const theirs = await shop.refund(stranger, (await shop.pay.confirmed(stranger)).id);
      for (const page of [
        { page: 1, limit: 10, after: theirs.id },
        { page: 1, limit: 101, after: "" },
        { page: -1, limit: 10, after: "" },
      ]) {
        await expect(shop.refunds.listRefunds({ tenant, page })).rejects.toMatchObject({
          errorCode: page.after === "" ? "page_invalid" : "cursor_unknown",
        });
      }
    });
  });
});
