import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { describeWithPostgres } from "@pay/testing";
import {
  aTenant,
  notFound,
  OTHER_WALLET,
  type Service,
  startService,
  type Tenant,
  WALLET,
} from "./service.ts";

describeWithPostgres("reading customers", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  describe("get", () => {
    test("by wallet answers the oldest living record, in any spelling of the address", async () => {
      const tenant = aTenant();
      const oldest = await service.create(tenant);
      service.clock.move(1);
      const younger = await service.create(tenant);
      await service.create(tenant, { walletAddress: OTHER_WALLET });
      function byWallet() {
        return service.client.getCustomer({ tenant, walletAddress: WALLET.toLowerCase() });
      }

      expect((await byWallet()).customer?.id).toBe(oldest.id);
      await service.client.deleteCustomer({ tenant, id: oldest.id });
      expect((await byWallet()).customer?.id).toBe(younger.id);
      await service.client.deleteCustomer({ tenant, id: younger.id });
      await expect(byWallet()).rejects.toMatchObject(notFound);
    });

    test("an unknown id and a request without any are not found", async () => {
      const tenant = aTenant();
      const id = "cust_000000000000000000000000";
      await expect(service.client.getCustomer({ tenant, id })).rejects.toMatchObject(notFound);
      await expect(service.client.getCustomer({ tenant })).rejects.toMatchObject(notFound);
    });
  });

  test("of many ids the answer has those that exist in the project", async () => {
    const tenant = aTenant();
    const [one, other, erased] = [
      await service.create(tenant),
      await service.create(tenant),
      await service.create(tenant),
    ];
    const strange = await service.create(aTenant());
    await service.client.deleteCustomer({ tenant, id: erased.id });
    const ids = [one.id, strange.id, erased.id, "cust_none", other.id];
    const { customers } = await service.client.batchGetCustomers({ tenant, ids });
    expect(customers).toHaveLength(2);
    expect(customers).toEqual(expect.arrayContaining([one, other]));
    await expect(service.client.batchGetCustomers({ ids })).rejects.toMatchObject({
      errorCode: "call_malformed",
    });
  });

  test("of many wallets each has its oldest living record", async () => {
    const tenant = aTenant();
    const erased = await service.create(tenant);
    service.clock.move(1);
    const oldest = await service.create(tenant);
    service.clock.move(1);
    await service.create(tenant);
    const other = await service.create(tenant, { walletAddress: OTHER_WALLET });
    await service.client.deleteCustomer({ tenant, id: erased.id });
    const walletAddresses = [WALLET.toLowerCase(), OTHER_WALLET, "0x1", `0x${"a1".repeat(20)}`];
    const { customers, ofWallets } = await service.client.batchGetCustomers({
      tenant,
      walletAddresses,
    });
    expect(customers).toEqual([]);
    expect(ofWallets).toHaveLength(2);
    expect(ofWallets).toEqual(expect.arrayContaining([oldest, other]));
    const theirs = await service.client.batchGetCustomers({ tenant: aTenant(), walletAddresses });
    expect(theirs.ofWallets).toEqual([]);
  });

  describe("list", () => {
    function ids({ customers }: { customers: { id: string }[] }) {
      return customers.map(({ id }) => id);
    }

    test("is newest first, with the id to break ties, and pages cover it exactly", async () => {
      const tenant = aTenant();
      const created: { id: string; at: number }[] = [];
      for (let nth = 0; nth < 7; nth++) {
        created.push({ id: (await service.create(tenant)).id, at: Math.floor(nth / 3) });
        if (nth % 3 === 2) service.clock.move(1);
      }
      const expected = created
        .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
        .map(({ id }) => id);
      async function page(number: number) {
        return service.client.listCustomers({
          tenant,
          page: { page: number, limit: 3, after: "" },
        });
      }

      const pages = [await page(1), await page(2), await page(3), await page(4)];
      expect(pages.flatMap(ids)).toEqual(expected);
      expect(pages.map(({ total }) => total)).toEqual([7n, 7n, 7n, 7n]);
      expect(pages.map(({ nextAfter }) => nextAfter !== "")).toEqual([true, true, false, false]);
    });

    test("is narrowed by the beginning of a name in any case, and by time", async () => {
      const tenant = aTenant();
      const names = ["Ane Kristiansen", "ANETTE", "100% Zoë", "100x", undefined];
      const made: string[] = [];
      for (const displayName of names) {
        made.unshift((await service.create(tenant, { displayName })).id);
        service.clock.move(1);
      }
      await service.create(aTenant(), { displayName: "Ane" });
      const [, , zoe, anette, ane] = made;
      async function find(filter: object) {
        const answer = await service.client.listCustomers({ tenant, ...filter });
        expect(answer.total).toBe(BigInt(answer.customers.length));
        return ids(answer);
      }

      expect(await find({ name: "aNe" })).toEqual([anette, ane]);
      expect(await find({ name: "100%" })).toEqual([zoe]);
      expect(await find({ name: "kris" })).toEqual([]);
      const { createdAt } =
        (await service.client.getCustomer({ tenant, id: anette ?? "" })).customer ?? {};
      expect(await find({ createdTo: createdAt })).toEqual([anette, ane]);
      expect(await find({ createdFrom: createdAt, name: "a" })).toEqual([anette]);
    });

    test("reading page by page by the last id neither repeats nor skips while records come and go", async () => {
      const tenant = aTenant();
      const first: string[] = [];
      for (let nth = 0; nth < 5; nth++) {
        first.unshift((await service.create(tenant)).id);
        service.clock.move(1);
      }
      const seen: string[] = [];
      let after = "";
      do {
        const page = await service.client.listCustomers({
          tenant,
          page: { page: 1, limit: 2, after },
        });
        seen.push(...ids(page));
        after = page.nextAfter;
        await service.create(tenant);
        service.clock.move(1);
        // The record at which the list continues is erased; its position stays.
        if (after === first[1]) await service.client.deleteCustomer({ tenant, id: after });
      } while (after !== "");
      expect(seen).toEqual(first);
    });

    test("narrows to a wallet, and total counts what is narrowed", async () => {
      const tenant = aTenant();
      await service.create(tenant);
      const other = await service.create(tenant, { walletAddress: OTHER_WALLET });
      function list(walletAddress: string) {
        return service.client.listCustomers({ tenant, walletAddress });
      }

      const found = await list(OTHER_WALLET.toLowerCase());
      expect([ids(found), found.total]).toEqual([[other.id], 1n]);
      expect((await list("0x1")).total).toBe(0n);
    });

    test("an unknown position and a limit out of bounds are refused", async () => {
      const tenant = aTenant();
      const stranger = await service.create(aTenant());
      function list(page: { page: number; limit: number; after: string }) {
        return service.client.listCustomers({ tenant, page });
      }

      for (const page of [
        { page: 1, limit: 10, after: stranger.id },
        { page: 1, limit: 101, after: "" },
        { page: -1, limit: 10, after: "" },
      ]) {
        await expect(list(page)).rejects.toMatchObject({
          errorCode: page.after === "" ? "page_invalid" : "cursor_unknown",
        });
      }
    });
  });

  const strangers = {
    "another project": () => aTenant(),
    "the other mode": (own: Tenant) => ({ ...own, mode: Mode.TEST }),
  };
  for (const [name, strangerTo] of Object.entries(strangers)) {
    test(`${name} neither reads nor changes nor deletes a customer`, async () => {
      const own = aTenant(Mode.LIVE);
      const tenant = strangerTo(own);
      const before = await service.create(own, { displayName: "Ada" });
      const { id } = before;
      await expect(service.client.getCustomer({ tenant, id })).rejects.toMatchObject(notFound);
      await expect(
        service.client.getCustomer({ tenant, walletAddress: WALLET }),
      ).rejects.toMatchObject(notFound);
      await expect(
        service.client.updateCustomer({ tenant, id, displayName: "Eve" }),
      ).rejects.toMatchObject(notFound);
      await expect(service.client.deleteCustomer({ tenant, id })).rejects.toMatchObject(notFound);
      const list = await service.client.listCustomers({ tenant });
      expect([list.customers, list.total]).toEqual([[], 0n]);
      expect((await service.client.getCustomer({ tenant: own, id })).customer).toEqual(before);
      expect(await service.readEvents(own)).toHaveLength(1);
    });
  }
});
