// Webhook endpoints as a merchant manages them, with a receiver of the merchant's own.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Receiver, startReceiver, until } from "@pay/testing";
import { verifyWebhook } from "@pay/webhooks";
import { expectFields, FIELDS } from "./documented.ts";
import { type askWith, PAYER } from "./product.ts";

type Ask = ReturnType<typeof askWith>;

/** The product runs by the time a test asks for it. */
export function describeWebhooks(asks: () => Ask): void {
  const secret: Ask = (...asked) => asks()(...asked);
  let receiver: Receiver;
  async function create(path: string, change: object = {}) {
    const url = `${receiver.url}/${path}`;
    const made = await secret("POST", "/v1/webhook-endpoints", { url, ...change });
    expect(made.status).toBe(201);
    return made.body;
  }

  function arrival(path: string, type: string) {
    return receiver.next(
      (request) => request.path === `/${path}` && request.headers["x-service-event"] === type,
    );
  }

  function makeCustomer() {
    return secret("POST", "/v1/customers", { walletAddress: PAYER });
  }

  describe("webhook endpoints", () => {
    beforeAll(async () => {
      receiver = await startReceiver({ plain: true });
    });
    afterAll(() => receiver?.stop());

    test("POST answers 201 with the secret that signs, and GET never shows it", async () => {
      const made = await create("made", { events: ["customer.created"] });
      expectFields(made, FIELDS.createdEndpoint);
      expect(made).toMatchObject({ signatureScheme: "v1", enabled: true, isDefault: false });
      const { body: read } = await secret("GET", `/v1/webhook-endpoints/${made.id}`);
      expectFields(read, FIELDS.endpointWithLoad);
      expect(read).toMatchObject({ concurrency: 4, concurrencyMax: 8, backlog: 0 });
      await makeCustomer();
      const { headers, body } = await arrival("made", "customer.created");
      expect(verifyWebhook(made.secret, headers, body)).toBe(true);
      expect((await secret("DELETE", `/v1/webhook-endpoints/${made.id}`)).body).toEqual({
        deleted: true,
        id: made.id,
      });
    });

    test("PUT to the scheme standard answers once with a new secret, which signs from then on", async () => {
      const { id, secret: first } = await create("standard", { events: ["payment.failed"] });
      const path = `/v1/webhook-endpoints/${id}`;
      const change = { signatureScheme: "standard", concurrencyMax: 64 };
      const key = { "idempotency-key": `change-${id}` };
      const changed = await secret("PUT", path, change, key);
      expectFields(changed.body, FIELDS.createdEndpoint);
      expect(changed.body.secret).not.toBe(first);
      expect((await secret("PUT", path, change, key)).body).toEqual(changed.body);
      expectFields((await secret("PUT", path, change)).body, FIELDS.endpoint);
      await secret("POST", `${path}/ping`, {});
      const { headers, body } = await arrival("standard", "ping");
      const scheme = { scheme: "standard" } as const;
      expect(verifyWebhook(changed.body.secret, headers, body, scheme)).toBe(true);
      await secret("DELETE", path);
    });

    test("PUT disables and enables, and what was parked meanwhile is recovered", async () => {
      const { id } = await create("parked", { events: ["customer.created"] });
      const path = `/v1/webhook-endpoints/${id}`;
      const since = new Date(Date.now() - 60_000).toISOString();
      expect((await secret("PUT", path, { enabled: false })).body.enabled).toBe(false);
      const { body: customer } = await makeCustomer();
      await until(
        async () => (await secret("GET", `${path}/deliveries?state=parked`)).body.total === 1,
        { what: "the parked delivery" },
      );
      const refused = await secret("POST", `${path}/recover`, { since });
      expect([refused.status, refused.headers["x-error-code"]]).toEqual([409, "endpoint_disabled"]);
      await secret("PUT", path, { enabled: true });
      expect((await secret("POST", `${path}/recover`, { since })).body).toEqual({ count: 1 });
      const { body } = await arrival("parked", "customer.created");
      expect(JSON.parse(body.toString()).id).toBe(customer.id);
      await secret("DELETE", path);
    });

    test("a ping is delivered, listed, read and sent again", async () => {
      const { id } = await create("ping", { events: ["payment.failed"] });
      const path = `/v1/webhook-endpoints/${id}`;
      const { body: sent } = await secret("POST", `${path}/ping`, {});
      expectFields(sent, ["eventId", "deliveryId"]);
      const first = await arrival("ping", "ping");
      const delivered = await until(
        async () => {
          const { body } = await secret("GET", `${path}/deliveries/${sent.deliveryId}`);
          return body.state === "delivered" ? body : undefined;
        },
        { what: "the end of the ping" },
      );
      expectFields(delivered, FIELDS.delivery);
      expectFields(delivered.attempts[0], FIELDS.attempt);
      expect(delivered.body).toBe(first.body.toString());
      const { body: listed } = await secret("GET", `${path}/deliveries`);
      expectFields(listed.data[0], FIELDS.deliveryItem);
      expectFields(listed.data[0].attempts[0], FIELDS.attemptItem);
      const { body: all } = await secret("GET", `/v1/deliveries?endpointId=${id}`);
      expect(all).toEqual(listed);
      const { body: ofEvent } = await secret("GET", `/v1/deliveries?eventId=${sent.eventId}`);
      expect(ofEvent).toEqual(listed);
      const again = await secret("POST", `${path}/deliveries/${sent.deliveryId}/redeliver`, {});
      expect(again.body).toMatchObject({ state: "pending", redeliveries: 1 });
      const second = await arrival("ping", "ping");
      expect(second.headers["x-service-event-id"]).toBe(sent.eventId);
      await secret("DELETE", path);
    });

    test("GET /v1/events walks all events in their order, and shows nothing of an erased customer", async () => {
      const { body: customer } = await makeCustomer();
      async function findEvent() {
        for (let after = ""; ; ) {
          const { body } = await secret("GET", `/v1/events?limit=100${after && `&after=${after}`}`);
          expectFields(body, ["data", "hasMore"]);
          const found = body.data.find(
            ({ resourceId }: { resourceId: string }) => resourceId === customer.id,
          );
          if (found !== undefined || !body.hasMore) return found;
          after = body.data.at(-1).id;
        }
      }
      const event = await until(findEvent, { what: "the customer's event" });
      expectFields(event, FIELDS.event);
      expect(event).toMatchObject({ type: "customer.created", sequence: 1 });
      expect(JSON.parse(event.body)).toMatchObject({
        id: customer.id,
        walletAddress: customer.walletAddress,
      });
      await secret("DELETE", `/v1/customers/${customer.id}`);
      await until(async () => JSON.parse((await findEvent()).body).walletAddress === "", {
        what: "the body of an erased customer",
      });
    });
  });
}
