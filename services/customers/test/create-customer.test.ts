import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { describeWithPostgres } from "@pay/testing";
import { aTenant, type Service, startService, type Tenant, WALLET } from "./service.ts";

describeWithPostgres("creating customers", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const tenantless = {
    errorCode: "call_malformed",
    message: "A request needs its project and mode",
  };

  test("answers the stored customer and sends one event", async () => {
    const tenant = aTenant();
    const customer = await service.create(tenant, {
      walletAddress: WALLET.toLowerCase(),
      email: "ada@example.com",
      displayName: "Zoe\u0308",
      metadataJson: '{"tier":"gold"}',
    });
    expect(customer).toMatchObject({
      id: expect.stringMatching(/^cust_[0-9A-Za-z]{24}$/),
      ...tenant,
      walletAddress: WALLET,
      email: "ada@example.com",
      displayName: "Zo\u00eb",
      metadataJson: '{"tier":"gold"}',
      version: 1,
    });
    const { customer: stored } = await service.client.getCustomer({ tenant, id: customer.id });
    expect(stored).toEqual(customer);
    const events = await service.readEvents(tenant);
    expect(events).toMatchObject([
      {
        type: "customer.created",
        ...tenant,
        resourceId: customer.id,
        sequence: 1,
        requestId: "req-create",
        resource: { case: "customer", value: { id: customer.id, displayName: "Zo\u00eb" } },
      },
    ]);
  });

  test("keeps the email off the bus, where an erasure could not reach it", async () => {
    const tenant = aTenant();
    await service.create(tenant, { email: "ada@example.com" });
    const [event] = await service.readEvents(tenant);
    expect(event?.resource.value).toMatchObject({ walletAddress: WALLET });
    expect(event?.resource.value).not.toHaveProperty("email");
  });

  test("a wallet may have several customers", async () => {
    const tenant = aTenant();
    const [one, other] = [await service.create(tenant), await service.create(tenant)];
    expect(one.id).not.toBe(other.id);
  });

  test("what is out of bounds is refused in the merchant's words and leaves nothing", async () => {
    const tenant = aTenant();
    function refused(message: string) {
      return { errorCode: "field_invalid", message };
    }

    await expect(service.create(tenant, { walletAddress: "0x1" })).rejects.toMatchObject(
      refused("walletAddress must be a valid address"),
    );
    await expect(service.create(tenant, { displayName: "x".repeat(101) })).rejects.toMatchObject(
      refused("displayName must be 1 to 100 characters"),
    );
    await expect(service.create(tenant, { email: "x".repeat(255) })).rejects.toMatchObject(
      refused("email must be 3 to 254 characters"),
    );
    await expect(service.create(tenant, { metadataJson: "[]" })).rejects.toMatchObject(
      refused("metadata must be an object"),
    );
    const { total } = await service.client.listCustomers({ tenant });
    expect(total).toBe(0n);
    expect(await service.readEvents(tenant)).toEqual([]);
  });

  test("without a project and mode nothing is done", async () => {
    await expect(service.client.createCustomer({ walletAddress: WALLET })).rejects.toMatchObject(
      tenantless,
    );
  });

  describe("idempotent creation", () => {
    function idempotency(key: string, body = "1") {
      return {
        route: "POST /v1/customers",
        key,
        fingerprint: Buffer.from(body),
      };
    }

    function request(tenant: Tenant, key: string, body?: string) {
      return {
        tenant,
        requestId: "req",
        walletAddress: WALLET,
        displayName: "Ada",
        idempotency: idempotency(key, body),
      };
    }

    test("the same request again gets the first answer, also after a change", async () => {
      const tenant = aTenant();
      const first = await service.client.createCustomer(request(tenant, "k"));
      await service.client.updateCustomer({
        tenant,
        requestId: "req",
        id: first.customer?.id ?? "",
        displayName: "Grace",
      });
      const second = await service.client.createCustomer(request(tenant, "k"));
      expect([first.replayed, second.replayed]).toEqual([false, true]);
      expect(second.customer).toEqual(first.customer);
      const types = (await service.readEvents(tenant)).map(({ type }) => type);
      expect(types).toEqual(["customer.created", "customer.updated"]);
    });

    test("the same key with another body is refused", async () => {
      const tenant = aTenant();
      await service.client.createCustomer(request(tenant, "k"));
      await expect(service.client.createCustomer(request(tenant, "k", "2"))).rejects.toMatchObject({
        errorCode: "idempotency_key_reused",
        message: "Idempotency-Key was already used with another request body",
      });
    });

    test("many at once make one customer", async () => {
      const tenant = aTenant();
      const settled = await Promise.allSettled(
        Array.from({ length: 50 }, () => service.client.createCustomer(request(tenant, "k"))),
      );
      const ids = settled.flatMap((one) =>
        one.status === "fulfilled" ? [one.value.customer?.id] : [],
      );
      expect(new Set(ids).size).toBe(1);
      for (const one of settled) {
        if (one.status === "rejected")
          expect(one.reason).toMatchObject({ errorCode: "idempotency_in_progress" });
      }
      const { total } = await service.client.listCustomers({ tenant });
      expect(total).toBe(1n);
      expect(await service.readEvents(tenant)).toHaveLength(1);
    });

    test("another project, mode or route may use the same key", async () => {
      const live = aTenant(Mode.LIVE);
      const answers = await Promise.all([
        service.client.createCustomer(request(live, "k")),
        service.client.createCustomer(request({ ...live, mode: Mode.TEST }, "k")),
        service.client.createCustomer(request(aTenant(), "k")),
      ]);
      expect(answers.map(({ replayed }) => replayed)).toEqual([false, false, false]);
    });
  });
});
