import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { aTenant, notFound, type Service, startService, WALLET } from "./service.ts";

describeWithPostgres("changing customers", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  describe("update", () => {
    test("replaces what is present, keeps what is absent, sends an event with the next number", async () => {
      const tenant = aTenant();
      const before = await service.create(tenant, {
        displayName: "Ada",
        metadataJson: '{"a":1,"b":2}',
      });
      service.clock.move(1_000);
      const { customer } = await service.client.updateCustomer({
        tenant,
        requestId: "req-update",
        id: before.id,
        metadataJson: '{"c":3}',
      });
      expect(customer).toMatchObject({ displayName: "Ada", metadataJson: '{"c":3}', version: 2 });
      expect(customer?.createdAt).toEqual(before.createdAt);
      expect(customer?.updatedAt).not.toEqual(before.updatedAt);
      const events = await service.readEvents(tenant);
      expect(events.at(-1)).toMatchObject({
        type: "customer.updated",
        sequence: 2,
        requestId: "req-update",
        resource: { value: { metadataJson: '{"c":3}' } },
      });
    });

    test("that changes no value is answered and sends no event", async () => {
      const tenant = aTenant();
      const before = await service.create(tenant, {
        displayName: "Ada",
        metadataJson: '{"a":1,"b":2}',
      });
      for (const change of [
        {},
        { displayName: "Ada" },
        { metadataJson: '{"b":2,"a":1}' },
        { displayName: "Ada", metadataJson: '{"a":1,"b":2}' },
      ]) {
        const { customer } = await service.client.updateCustomer({
          tenant,
          id: before.id,
          ...change,
        });
        expect(customer).toEqual(before);
      }
      expect(await service.readEvents(tenant)).toHaveLength(1);
    });

    test("racing updates all take effect, one event each, in the order of their numbers", async () => {
      const tenant = aTenant();
      const { id } = await service.create(tenant);
      // An attempt fails only when another one succeeds, so four at once need no more attempts than each has.
      await Promise.all(
        Array.from({ length: 4 }, (_, nth) =>
          service.client.updateCustomer({ tenant, id, displayName: `name ${nth}` }),
        ),
      );
      const { customer } = await service.client.getCustomer({ tenant, id });
      expect(customer?.version).toBe(5);
      const events = await service.readEvents(tenant);
      expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    });

    test("out of bounds is refused and changes nothing", async () => {
      const tenant = aTenant();
      const before = await service.create(tenant, { displayName: "Ada" });
      await expect(
        service.client.updateCustomer({ tenant, id: before.id, displayName: "a".repeat(101) }),
      ).rejects.toMatchObject({ errorCode: "field_invalid" });
      const { customer } = await service.client.getCustomer({ tenant, id: before.id });
      expect(customer).toEqual(before);
    });
  });

  describe("delete", () => {
    test("erases everything of the person but the id, and a second delete is not found", async () => {
      const tenant = aTenant();
      const { id } = await service.create(tenant, {
        email: "ada@example.com",
        displayName: "Lovelace",
        metadataJson: '{"note":"gold"}',
      });
      expect(await service.client.deleteCustomer({ tenant, id })).toMatchObject({ id });
      await expect(service.client.getCustomer({ tenant, id })).rejects.toMatchObject(notFound);
      await expect(service.client.updateCustomer({ tenant, id })).rejects.toMatchObject(notFound);
      await expect(service.client.deleteCustomer({ tenant, id })).rejects.toMatchObject(notFound);
      expect((await service.client.listCustomers({ tenant })).total).toBe(0n);

      const { rows } = await service.pool.query("select * from customers where id = $1", [id]);
      const kept = JSON.stringify(rows).toLowerCase();
      for (const trace of ["example", "lovelace", "gold", WALLET.toLowerCase()])
        expect(kept).not.toContain(trace);
      expect(rows[0].wallet_address).toMatch(/^sha256:[0-9a-f]{64}$/);
    });

    test("erases the person from every stored answer and leaves other answers alone", async () => {
      const tenant = aTenant();
      function under(key: string) {
        return {
          email: "ada@example.com",
          // What merchants write may name any customer.
          metadataJson: JSON.stringify({ friend: "cust_000000000000000000000000" }),
          idempotency: { route: "POST /v1/customers", key, fingerprint: Buffer.from("1") },
        };
      }

      const { id } = await service.create(tenant, under("hers"));
      const about = { ...under("his"), metadataJson: JSON.stringify({ friend: id }) };
      const other = await service.create(tenant, about);
      await service.client.deleteCustomer({ tenant, id });

      const { rows } = await service.pool.query<{ response: Buffer }>(
        "select response from idempotency_keys where scope like $1 and key = 'hers'",
        [`${tenant.projectId}:%`],
      );
      expect(rows).toHaveLength(1);
      expect(rows[0]?.response.toString()).not.toMatch(/example|5aAeb6|cust_/);
      const refused = { message: "Customer was erased", replayed: true };
      await expect(service.create(tenant, under("hers"))).rejects.toMatchObject(refused);
      expect(await service.create(tenant, about)).toEqual(other);
      expect((await service.client.listCustomers({ tenant })).total).toBe(1n);
    });

    test("sends one event without anything of the person, also while updates race it", async () => {
      const tenant = aTenant();
      const { id } = await service.create(tenant, {
        email: "ada@example.com",
        displayName: "Lovelace",
        metadataJson: '{"note":"gold"}',
      });
      const update = { tenant, id, metadataJson: '{"note":"silver"}' };
      await Promise.all([
        service.client.deleteCustomer({ tenant, requestId: "req-erase", id }),
        service.client
          .updateCustomer(update)
          .catch((error) => expect(error).toMatchObject(notFound)),
      ]);
      const events = await service.readEvents(tenant);
      const last = events.at(-1);
      expect(events.filter(({ type }) => type === "customer.erased")).toEqual([last]);
      expect(last).toMatchObject({
        resourceId: id,
        sequence: events.length,
        requestId: "req-erase",
        resource: { case: "customer", value: { id, walletAddress: "", version: events.length } },
      });
      expect(last?.resource.value).not.toHaveProperty("displayName");
      expect(last?.resource.value).not.toHaveProperty("metadataJson");
    });

    test("two erased records of one wallet cannot be linked to one person", async () => {
      const tenant = aTenant();
      for (const { id } of [await service.create(tenant), await service.create(tenant)]) {
        await service.client.deleteCustomer({ tenant, id });
      }
      const { rows } = await service.pool.query<{ wallets: string }>(
        "select count(distinct wallet_address) as wallets from customers where project_id = $1",
        [tenant.projectId],
      );
      expect(rows[0]?.wallets).toBe("2");
    });
  });
});
