import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  aHash,
  aTenant,
  describeWithShop,
  EXCHANGE,
  failure,
  RECIPIENT,
  SHOPPER,
  type Shop,
  startShop,
  type Tenant,
  TREASURY,
} from "./shop.ts";

const ONE = 10n ** 18n;
const DAY_MS = 86_400_000;

describeWithShop("settlements", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  /** A project whose wallet has received 10 coins a payment, and whose treasury can be used. */
  async function aMerchant(payments = 1): Promise<Tenant> {
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    for (let count = 0; count < payments; count++) await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, BigInt(payments) * 10n * ONE);
    return tenant;
  }

  async function listTypes(tenant: Tenant) {
    const events = await shop.readEvents(tenant, "settlement");
    return events.map(({ type, sequence }) => `${type} ${sequence}`);
  }

  test("a settlement is requested, approved by another key and completed, with an event for each move", async () => {
    const tenant = await aMerchant();
    const requested = await shop.settle.request(tenant, { amount: "4", metadataJson: '{"a":1}' });
    expect(requested).toMatchObject({
      status: "requested",
      amount: "4",
      baseAmount: String(4n * ONE),
      decimals: 18,
      sourceAddress: RECIPIENT,
      destinationAddress: TREASURY,
      requestedBy: "key_a",
      metadataJson: '{"a":1}',
      version: 1,
    });
    const approved = await shop.settle.approve(tenant, requested.id);
    expect(approved).toMatchObject({ status: "approved", approvedBy: "key_b", version: 2 });
    const { txHash = "" } = await shop.settle.submit(tenant, requested.id);
    await shop.judge("transfer.confirmed", tenant, approved, txHash);
    expect(await shop.settle.get(tenant, requested.id)).toMatchObject({
      status: "completed",
      txHash,
      blockNumber: 9n,
      version: 3,
      completedAt: expect.anything(),
    });
    expect(await listTypes(tenant)).toEqual([
      "settlement.requested 1",
      "settlement.approved 2",
      "settlement.submitted 2",
      "settlement.completed 3",
    ]);
    expect(await shop.settle.getWallet(tenant)).toEqual({
      credited: 10n * ONE,
      reserved: 0n,
      settled: 4n * ONE,
    });
  });

  test("a settlement without an amount takes all that refunds do not hold", async () => {
    const tenant = await aMerchant(2);
    const payment = await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 30n * ONE);
    await shop.refund(tenant, payment.id, { amount: "2.5" });
    await shop.settle.request(tenant, { amount: "7" });
    expect((await shop.settle.request(tenant)).amount).toBe("20.5");
    await expect(shop.settle.request(tenant)).rejects.toEqual(failure("settlement_nothing_left"));
  });

  test("a settlement takes neither money that refunds hold nor money that never arrived", async () => {
    const tenant = await aMerchant();
    const payment = await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 20n * ONE);
    await shop.refund(tenant, payment.id, { amount: "5" });
    await expect(shop.settle.request(tenant, { amount: "15.1" })).rejects.toEqual(
      failure(
        "settlement_amount_too_large",
        "Settlement amount exceeds the 15 that the wallet can settle",
      ),
    );
    for (const change of [{ currency: shop.chain.token.address }, { sourceAddress: SHOPPER }]) {
      await expect(shop.settle.request(tenant, { amount: "1", ...change })).rejects.toEqual(
        failure(
          "field_invalid",
          "currency must be one that sourceAddress has received on this chain",
        ),
      );
    }
    expect((await shop.settle.request(tenant, { amount: "15" })).status).toBe("requested");
  });

  test("a refund of settled money is accepted, and the uncovered settlement cannot be approved", async () => {
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    const payment = await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 10n * ONE);
    const { id } = await shop.settle.request(tenant);
    await shop.refund(tenant, payment.id, { amount: "3" });
    expect(await shop.settle.getWallet(tenant)).toEqual({
      credited: 10n * ONE,
      reserved: 3n * ONE,
      settled: 10n * ONE,
    });
    await expect(shop.settle.approve(tenant, id)).rejects.toEqual(failure("settlement_uncovered"));
    await shop.settle.reject(tenant, id);
    expect((await shop.settle.getWallet(tenant)).settled).toBe(0n);
    const smaller = await shop.settle.request(tenant);
    expect(smaller.amount).toBe("7");
    expect((await shop.settle.approve(tenant, smaller.id)).status).toBe("approved");
  });

  test("a failed refund releases its amount for settlements", async () => {
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    const payment = await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 10n * ONE);
    const refund = await shop.refund(tenant, payment.id);
    await expect(shop.settle.request(tenant)).rejects.toEqual(failure("settlement_nothing_left"));
    await shop.settleRefund("transfer.rejected", tenant, refund, { reason: "reverted" });
    expect((await shop.settle.request(tenant)).amount).toBe("10");
  });

  describe("approval", () => {
    test("by the requesting key is rejected", async () => {
      const tenant = await aMerchant();
      const { id } = await shop.settle.request(tenant);
      await expect(shop.settle.approve(tenant, id, "key_a")).rejects.toEqual(
        failure("settlement_own_request"),
      );
      expect((await shop.settle.get(tenant, id)).status).toBe("requested");
    });

    test("succeeds for one of ten concurrent requests", async () => {
      const tenant = await aMerchant();
      const { id } = await shop.settle.request(tenant);
      const all = await Promise.allSettled(
        Array.from({ length: 10 }, (_, at) => shop.settle.approve(tenant, id, `key_${at}b`)),
      );
      expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await listTypes(tenant)).toEqual(["settlement.requested 1", "settlement.approved 2"]);
    });

    test("of a settlement whose address left the address book is rejected", async () => {
      const tenant = await aMerchant();
      const { id } = await shop.settle.request(tenant);
      const { destinations } = await shop.settlements.listDestinations({ tenant });
      await shop.settlements.deleteDestination({ tenant, id: destinations[0]?.id ?? "" });
      await expect(shop.settle.approve(tenant, id)).rejects.toEqual(
        failure("settlement_destination_unknown"),
      );
    });

    test("and every other move is rejected where the table of moves has none", async () => {
      const tenant = await aMerchant();
      const moves = {
        approve: (id: string) => shop.settle.approve(tenant, id),
        reject: (id: string) => shop.settle.reject(tenant, id),
        submit: (id: string) => shop.settle.submit(tenant, id),
      };
      const { id } = await shop.settle.request(tenant, { amount: "1" });
      await expect(moves.submit(id)).rejects.toEqual(
        failure("settlement_status_invalid", "Settlement is requested"),
      );
      await moves.approve(id);
      for (const move of ["approve", "reject"] as const) {
        await expect(moves[move](id)).rejects.toEqual(
          failure("settlement_status_invalid", "Settlement is approved"),
        );
      }
      const rejected = await shop.settle.request(tenant, { amount: "1" });
      expect(await moves.reject(rejected.id)).toMatchObject({
        status: "failed",
        failureReason: "rejected",
      });
      for (const move of Object.values(moves)) {
        await expect(move(rejected.id)).rejects.toEqual(
          failure("settlement_status_invalid", "Settlement is failed"),
        );
      }
    });
  });

  describe("a verdict of the chain", () => {
    async function approved(amount = "4") {
      const tenant = await aMerchant();
      const { id } = await shop.settle.request(tenant, { amount });
      return { tenant, settlement: await shop.settle.approve(tenant, id) };
    }

    test("that rejects the last hash fails the settlement and releases its amount", async () => {
      const { tenant, settlement } = await approved();
      const hashes = [aHash(), aHash()];
      for (const hash of hashes) await shop.settle.submit(tenant, settlement.id, hash);
      for (const hash of hashes) {
        const seen = { reason: "reverted" };
        await shop.judge("transfer.rejected", tenant, settlement, hash, seen);
      }
      expect(await shop.settle.get(tenant, settlement.id)).toMatchObject({
        status: "failed",
        failureReason: "reverted",
        version: 3,
      });
      expect((await shop.settle.getWallet(tenant)).settled).toBe(0n);
      expect((await listTypes(tenant)).slice(-2)).toEqual([
        "settlement.refuted 2",
        "settlement.failed 3",
      ]);
    });

    test("on money that moved without counting puts the settlement on hold", async () => {
      const { tenant, settlement } = await approved();
      const { txHash = "" } = await shop.settle.submit(tenant, settlement.id);
      const seen = { reason: "predates_payment" };
      await shop.judge("transfer.rejected", tenant, settlement, txHash, seen);
      expect(await shop.settle.get(tenant, settlement.id)).toMatchObject({
        status: "approved",
        heldReason: "predates_payment",
      });
      expect((await shop.settle.getWallet(tenant)).settled).toBe(4n * ONE);
    });

    test("that does not match the settlement changes nothing", async () => {
      const { tenant, settlement } = await approved();
      const { txHash = "" } = await shop.settle.submit(tenant, settlement.id);
      const wrong = [
        { recipientAddress: SHOPPER.toLowerCase() },
        { senderAddress: EXCHANGE.toLowerCase() },
        { currency: TREASURY.toLowerCase() },
        { receivedBaseAmount: "1" },
        { submittedTxHash: aHash() },
      ];
      for (const seen of wrong) {
        await shop.judge("transfer.confirmed", tenant, settlement, txHash, seen);
      }
      await shop.judge("transfer.confirmed", aTenant(), settlement, txHash);
      shop.proofs.expect({ refused: wrong.length + 1 });
      expect((await shop.settle.get(tenant, settlement.id)).status).toBe("approved");
    });

    test("of a reorganisation opens a completed settlement again, and a second proof completes it", async () => {
      const { tenant, settlement } = await approved();
      const { txHash = "" } = await shop.settle.submit(tenant, settlement.id);
      await shop.judge("transfer.confirmed", tenant, settlement, txHash);
      await shop.judge("transfer.unseen", tenant, settlement, aHash(), { submittedTxHash: txHash });
      expect((await shop.settle.get(tenant, settlement.id)).status).toBe("completed");
      await shop.judge("transfer.unseen", tenant, settlement, txHash);
      const open = await shop.settle.get(tenant, settlement.id);
      expect(open).toMatchObject({ status: "approved", txHash });
      expect([open.completedAt, open.blockNumber]).toEqual([undefined, undefined]);
      expect((await shop.settle.getWallet(tenant)).settled).toBe(4n * ONE);
      await shop.judge("transfer.confirmed", tenant, settlement, txHash);
      expect((await shop.settle.get(tenant, settlement.id)).status).toBe("completed");
      const types = (await shop.readEvents(tenant, "settlement")).map(({ type }) => type);
      expect(types.slice(-3)).toEqual([
        "settlement.completed",
        "settlement.reorged",
        "settlement.completed",
      ]);
    });

    test("that is delivered twice changes nothing", async () => {
      const { tenant, settlement } = await approved();
      const { txHash = "" } = await shop.settle.submit(tenant, settlement.id);
      await shop.judge("transfer.confirmed", tenant, settlement, txHash);
      const before = await shop.settle.get(tenant, settlement.id);
      await shop.judge("transfer.confirmed", tenant, settlement, txHash);
      await shop.repeatAll();
      expect(await shop.settle.get(tenant, settlement.id)).toEqual(before);
      expect(await shop.settle.getWallet(tenant)).toMatchObject({ settled: 4n * ONE });
    });
  });

  test("an approved settlement without a transaction fails after a week, but none with a hash", async () => {
    const tenant = await aMerchant();
    const [forgotten, paid] = [
      await shop.settle.request(tenant, { amount: "1" }),
      await shop.settle.request(tenant, { amount: "1" }),
    ];
    for (const { id } of [forgotten, paid]) await shop.settle.approve(tenant, id);
    await shop.settle.submit(tenant, paid.id);
    shop.clock.move(7.1 * DAY_MS);
    const failed = await until(
      async () => {
        const settlement = await shop.settle.get(tenant, forgotten.id);
        return settlement.status === "failed" ? settlement : undefined;
      },
      { what: "the time-out" },
    );
    expect(failed.failureReason).toBe("timeout");
    expect((await shop.settle.get(tenant, paid.id)).status).toBe("approved");
    expect((await shop.settle.getWallet(tenant)).settled).toBe(ONE);
  });

  test("a settlement to its own wallet, the token contract or the zero address is rejected", async () => {
    const tenant = await aMerchant();
    const { address } = shop.chain.token;
    for (const to of [RECIPIENT, address]) await shop.settle.openTreasury(tenant, to);
    for (const [to, currency] of [
      [RECIPIENT, "native"],
      [address, address],
      [`0x${"0".repeat(40)}`, "native"],
    ] as const) {
      await expect(
        shop.settle.request(tenant, { destinationAddress: to, currency }),
      ).rejects.toEqual(failure("field_invalid"));
    }
  });

  test("a list has settlements of one tenant and filters by status, chain, time and signature", async () => {
    const tenant = await aMerchant();
    const first = await shop.settle.request(tenant, { amount: "1" });
    shop.clock.move(1);
    const second = await shop.settle.request(tenant, { amount: "1" });
    await shop.settle.reject(tenant, first.id);
    async function ids(filter: object = {}, owner = tenant) {
      const { settlements } = await shop.settlements.listSettlements({ tenant: owner, ...filter });
      return settlements.map(({ id }) => id);
    }

    expect(await ids()).toEqual([second.id, first.id]);
    expect(await ids({ statuses: ["failed"] })).toEqual([first.id]);
    expect(await ids({ chainId: 1n })).toEqual([]);
    await shop.settle.approve(tenant, second.id);
    expect(await ids({ toSign: true, createdFrom: second.createdAt })).toEqual([second.id]);
    expect(await ids({}, aTenant())).toEqual([]);
    await expect(ids({ statuses: ["created"] })).rejects.toEqual(failure("field_invalid"));
  });

  test("what is proven of payments is credited once, in every status", async () => {
    const tenant = aTenant();
    const payment = await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 10n * ONE);
    await shop.pay.receive(tenant, payment, { unproven: 10n * ONE });
    await shop.settle.credited(tenant, 0n);
    await shop.pay.receive(tenant, payment, { final: 10n * ONE });
    await shop.settle.credited(tenant, 10n * ONE);
    // A surplus, an expired part and late money are in the wallet, too.
    await shop.pay.receive(tenant, payment, { final: 13n * ONE });
    await shop.settle.credited(tenant, 13n * ONE);
    const part = await shop.pay.create(tenant);
    await shop.pay.receive(tenant, part, { final: 4n * ONE });
    await shop.settle.credited(tenant, 17n * ONE);
    await shop.pay.expired(tenant, part);
    const late = await shop.pay.create(tenant);
    await shop.pay.expired(tenant, late);
    await shop.pay.receive(tenant, late, { late: 10n * ONE });
    await shop.settle.credited(tenant, 27n * ONE);
    await shop.payments.resolvePayment({ tenant, id: late.id, accept: true });
    await shop.repeatAll();
    await shop.readEvents(tenant, "payment");
    expect((await shop.settle.getWallet(tenant)).credited).toBe(27n * ONE);
    await shop.settle.openTreasury(tenant);
    await shop.refund(tenant, part.id);
    expect((await shop.settle.request(tenant)).amount).toBe("23");
  });

  test("an approval says whether refunds hold a part or a payment has left the chain", async () => {
    const tenant = aTenant();
    const payment = await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 10n * ONE);
    await shop.settle.openTreasury(tenant);
    const { id } = await shop.settle.request(tenant, { amount: "8" });
    await shop.pay.receive(tenant, payment, { unproven: 10n * ONE });
    await shop.settle.credited(tenant, 0n);
    await expect(shop.settle.approve(tenant, id)).rejects.toMatchObject(
      failure(
        "settlement_uncovered",
        "A payment that the amount counts on has left the chain; wait until it is proven again, or reject this settlement",
      ),
    );
    await shop.pay.receive(tenant, payment, { final: 10n * ONE });
    await shop.settle.credited(tenant, 10n * ONE);
    await shop.refund(tenant, payment.id, { amount: "3" });
    await expect(shop.settle.approve(tenant, id)).rejects.toMatchObject(
      failure(
        "settlement_uncovered",
        "Refunds have reserved a part of the amount; reject this settlement and request a smaller one",
      ),
    );
  });
});
