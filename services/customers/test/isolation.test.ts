import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { describeWithPostgres } from "@pay/testing";
import { aTenant, notFound, type Service, startService, type Tenant, WALLET } from "./service.ts";

describeWithPostgres("isolation of customers", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

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
