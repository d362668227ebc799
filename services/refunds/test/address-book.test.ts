// Where settlements may go.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  aTenant,
  DELAY_HOURS,
  describeWithShop,
  failure,
  type Shop,
  startShop,
  TREASURY,
} from "./shop.ts";

describeWithShop("the address book", () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.stop());

  test("rejects a settlement to an address until its delay is over", async () => {
    const tenant = aTenant();
    await shop.pay.confirmed(tenant);
    await until(async () => (await shop.settle.getWallet(tenant)).credited > 0n, {
      what: "the credit of the wallet",
    });
    await expect(shop.settle.request(tenant)).rejects.toEqual(
      failure("settlement_destination_unknown", "destinationAddress is not in the address book"),
    );
    const address = TREASURY.toLowerCase();
    const entry = { tenant, chainId: 31_337n, address, label: "Treasury", createdBy: "key_a" };
    const { destination } = await shop.settlements.createDestination(entry);
    expect(destination).toMatchObject({ address: TREASURY, label: "Treasury" });
    await expect(shop.settle.request(tenant)).rejects.toEqual(
      failure("settlement_destination_pending"),
    );
    shop.clock.move((DELAY_HOURS - 1) * 3_600_000);
    await expect(shop.settle.request(tenant)).rejects.toEqual(
      failure("settlement_destination_pending"),
    );
    shop.clock.move(3_600_000);
    expect((await shop.settle.request(tenant)).status).toBe("requested");
  });

  test("rejects an approval by the key that added the destination", async () => {
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    await shop.pay.confirmed(tenant);
    await shop.settle.credited(tenant, 10n ** 19n);
    const { id } = await shop.settle.request(tenant, { requestedBy: "key_c" });
    await expect(shop.settle.approve(tenant, id, "key_a")).rejects.toEqual(
      failure("settlement_own_destination"),
    );
    const read = await shop.settlements.getSettlement({ tenant, id, forApproval: true });
    expect(read.destinationCreatedBy).toBe("key_a");
    expect((await shop.settle.approve(tenant, id, "key_b")).status).toBe("approved");
  });

  test("replays the first response of a key, and creates nothing where only a replay is requested", async () => {
    const tenant = aTenant();
    const idempotency = { route: "POST /a", key: "one", fingerprint: Buffer.alloc(32) };
    const entry = { tenant, chainId: 31_337n, address: TREASURY, createdBy: "key_a" };
    function create(terms: object) {
      return shop.settlements.createDestination({ ...entry, idempotency, ...terms });
    }

    const asked = create({ replayOnly: true });
    await expect(asked).rejects.toEqual(failure("settlement_destination_not_found"));
    expect((await shop.settlements.listDestinations({ tenant })).total).toBe(0n);
    const first = await create({});
    for (const replayOnly of [true, false]) {
      expect(await create({ replayOnly })).toEqual({ ...first, replayed: true });
    }
    const other = create({ replayOnly: true, idempotency: { ...idempotency, key: "other" } });
    await expect(other).rejects.toEqual(failure("settlement_destination_not_found"));
  });

  test("stores an address once and does not restart its delay", async () => {
    const tenant = aTenant();
    await shop.settle.openTreasury(tenant);
    const entry = { tenant, chainId: 31_337n, createdBy: "key_b" };
    for (const address of [TREASURY, TREASURY.toLowerCase()]) {
      await expect(shop.settlements.createDestination({ ...entry, address })).rejects.toEqual(
        failure("settlement_destination_exists"),
      );
    }
    expect((await shop.settlements.listDestinations({ tenant })).total).toBe(1n);
  });
});
