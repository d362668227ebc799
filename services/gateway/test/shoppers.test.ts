// What a shopper sees with a session: own records, and nothing of any other.
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TOPICS, toRecordKey } from "@pay/events";
import { EventSchema, PaymentSnapshotSchema } from "@pay/proto";
import { until } from "@pay/testing";
import { checksumAddress } from "@pay/values";
import { ROUTES } from "../src/index.ts";
import { refusal, type TestProject } from "./gateway.ts";
import {
  CHAIN_ID,
  describeWithProduct,
  RECIPIENT,
  SUBMITTED,
  startProduct,
  type TestProduct,
} from "./product.ts";
import { type SignIn, startSignIn } from "./sso.ts";

const ORDER = { amount: "1.5", chainId: CHAIN_ID, currency: "native", recipientAddress: RECIPIENT };
const VALUE = 2_500_000_000_000_000_000n;
const UNKNOWN = "0".repeat(24);

let hashes = 0;
function aHash() {
  return `0x${(++hashes).toString(16).padStart(64, "0")}`;
}

describeWithProduct("a shopper", () => {
  let product: TestProduct;
  let signIn: SignIn;
  let shop: TestProject;
  let zoe: string;
  let adam: string;
  let guest: string;
  let wallets: { zoe: string; adam: string };
  /** Payments by what connects them to Zoë, and one of each other kind. */
  const ids: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const customers: Record<string, string> = {};
  let refundId: string;

  beforeAll(async () => {
    product = await startProduct();
    signIn = await startSignIn({ env: product.addresses });
    shop = await signIn.addShop();
    const [, , zoeWallet = "", adamWallet = ""] = product.chain.accounts;
    wallets = { zoe: zoeWallet, adam: adamWallet };
    zoe = await signIn.open(shop.secret, { wallet_address: zoeWallet });
    adam = await signIn.open(shop.secret, { walletAddress: adamWallet });
    guest = await signIn.open(shop.secret);

    for (const [name, walletAddress] of [
      ["zoe", zoeWallet],
      ["zoeAgain", zoeWallet],
      ["adam", adamWallet],
    ] as const) {
      const details = { walletAddress, email: `${name}@shop.example`, metadata: { risk: "low" } };
      customers[name] = (await merchant("POST", "/v1/customers", details)).body.id;
    }
    for (const [name, change] of [
      ["open", {}],
      ["declared", {}],
      ["named", { customerId: customers.zoe }],
      ["namedAgain", { customerId: customers.zoeAgain }],
      ["paid", { amount: "2.5" }],
      ["adams", { customerId: customers.adam }],
    ] as const) {
      const { body } = await merchant("POST", "/v1/payments", { ...ORDER, ...change });
      ids[name] = body.id;
      secrets[name] = body.clientSecret;
    }
    function submit(name: string, body: object) {
      return merchant("POST", `/v1/payments/${ids[name]}/transaction`, body);
    }

    await submit("declared", { txHash: aHash(), payerAddress: zoeWallet });
    const txHash = await product.chain.payNative({ from: zoeWallet, to: RECIPIENT, value: VALUE });
    await submit("paid", { txHash });
    await until(
      async () => (await merchant("GET", `/v1/payments/${ids.paid}`)).body.status === "confirmed",
      { what: "a confirmed payment" },
    );
    const refund = await merchant("POST", "/v1/refunds", { paymentId: ids.paid, amount: "0.5" });
    refundId = refund.body.id;
  });
  afterAll(async () => {
    await signIn?.stop();
    await product?.stop();
  });

  function merchant(method: string, path: string, body?: object) {
    return signIn.gateway.ask(method, path, {
      headers: { "x-secret-key": shop.secret },
      ...(body && { body }),
    });
  }

  function as(session: string, headers: Record<string, string> = {}) {
    return (method: string, path: string, body?: object) =>
      signIn.gateway.ask(method, path, {
        headers: {
          authorization: `Bearer ${session}`,
          "x-publishable-key": shop.publishable,
          ...headers,
        },
        ...(body && { body }),
      });
  }

  function listIds({ body }: { body: { data: { id: string }[] } }) {
    return body.data.map(({ id }) => id).sort();
  }

  function own() {
    return ["declared", "named", "namedAgain", "paid"].map((name) => ids[name]).sort();
  }

  describe("payments", () => {
    test("own ones are listed and counted, and no others", async () => {
      const list = await as(zoe)("GET", "/v1/payments");
      expect(listIds(list)).toEqual(own());
      expect(list.body).toMatchObject({ total: 4, page: 1, limit: 20 });
      expect(listIds(await as(adam)("GET", "/v1/payments"))).toEqual([ids.adams]);
      const none = { data: [], total: 0, page: 1, limit: 20 };
      expect((await as(guest)("GET", "/v1/payments")).body).toEqual(none);
    });

    test("own ones are read as the merchant reads them", async () => {
      for (const id of own()) {
        const { status, body } = await as(zoe)("GET", `/v1/payments/${id}`);
        expect(status).toBe(200);
        expect(body).toEqual((await merchant("GET", `/v1/payments/${id}`)).body);
      }
    });

    test.each(["open", "adams"])("%s is not there", async (name) => {
      const strange = await as(zoe)("GET", `/v1/payments/${ids[name]}`);
      const unknown = await as(zoe)("GET", `/v1/payments/pay_${UNKNOWN}`);
      expect([strange.status, strange.text]).toEqual([404, unknown.text]);
    });

    test("filters and pages never show payments of others", async () => {
      function list(query: string) {
        return as(zoe)("GET", `/v1/payments?${query}`);
      }

      expect((await list(`customerId=${customers.adam}`)).body).toMatchObject({ total: 0 });
      expect(listIds(await list(`customerId=${customers.zoe}`))).toEqual([ids.named]);
      expect(listIds(await list("status=confirmed"))).toEqual([ids.paid]);
      expect((await list("status=created")).body.total).toBe(2);
      expect((await list("page=2&limit=3")).body).toMatchObject({ total: 4, data: [{}] });
      const strange = await list(`after=${ids.adams}`);
      const unknown = await list(`after=pay_${UNKNOWN}`);
      expect([strange.status, strange.text]).toEqual([400, unknown.text]);
      const { headers, body } = await list("limit=3");
      const rest = await list(`limit=3&after=${headers["x-next-after"]}`);
      expect([...listIds({ body }), ...listIds(rest)].sort()).toEqual(own());
    });
  });

  describe("confirming", () => {
    function confirm(session: string, id: string | undefined, body: object = {}) {
      return as(session)("POST", `/v1/payments/${id}/confirm`, { txHash: aHash(), ...body });
    }

    test("an own payment needs no client secret", async () => {
      const { status, body } = await confirm(zoe, ids.named);
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: ids.named, status: "processing" });
    });

    test("another shopper's payment is found with its secret only", async () => {
      const strange = await confirm(zoe, ids.adams);
      const unknown = await confirm(zoe, `pay_${UNKNOWN}`);
      expect([strange.status, strange.text]).toEqual([404, unknown.text]);
      expect((await confirm(guest, ids.adams)).status).toBe(404);
      expect((await confirm(zoe, ids.adams, { clientSecret: secrets.open })).status).toBe(403);
      expect((await merchant("GET", `/v1/payments/${ids.adams}`)).body.status).toBe("created");
      const known = await confirm(guest, ids.open, { clientSecret: secrets.open });
      expect(known).toMatchObject({ status: 200, body: { status: "processing" } });
    });

    test("a wrong secret is refused, also for an own payment", async () => {
      const { status } = await confirm(zoe, ids.namedAgain, { clientSecret: "cs_live_wrong" });
      expect(status).toBe(403);
    });

    test("without a session the secret is still required", async () => {
      const { body } = await signIn.gateway.ask("POST", `/v1/payments/${ids.named}/confirm`, {
        headers: { "x-publishable-key": shop.publishable },
        body: { txHash: aHash() },
      });
      expect(body).toEqual(refusal(400, "Bad Request", "clientSecret is required"));
    });
  });

  describe("customer records", () => {
    test("of the own wallet are there, all of them", async () => {
      const { status, body } = await as(zoe)("GET", `/v1/customers/${customers.zoe}?expand=email`);
      expect({ status, email: body.email }).toEqual({ status: 200, email: "zoe@shop.example" });
      expect(listIds(await as(zoe)("GET", "/v1/customers"))).toEqual(
        [customers.zoe, customers.zoeAgain].sort(),
      );
    });

    test("of others are not", async () => {
      const strange = await as(zoe)("GET", `/v1/customers/${customers.adam}`);
      const unknown = await as(zoe)("GET", `/v1/customers/cust_${UNKNOWN}`);
      expect([strange.status, strange.text]).toEqual([404, unknown.text]);
      const asked = await as(zoe)("GET", `/v1/customers?walletAddress=${wallets.adam}`);
      expect(asked.body).toMatchObject({ data: [], total: 0 });
      const list = await as(guest)("GET", "/v1/customers");
      expect(list.body).toMatchObject({ data: [], total: 0 });
    });

    test("that were erased connect no payment to a shopper", async () => {
      const walletAddress = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
      const session = await signIn.open(shop.secret, { wallet_address: walletAddress });
      const { id } = (await merchant("POST", "/v1/customers", { walletAddress })).body;
      await merchant("POST", "/v1/payments", { ...ORDER, customerId: id });
      expect((await as(session)("GET", "/v1/payments")).body.total).toBe(1);
      await merchant("DELETE", `/v1/customers/${id}`);
      expect((await as(session)("GET", "/v1/payments")).body.total).toBe(0);
      expect((await as(session)("GET", `/v1/customers/${id}`)).status).toBe(404);
    });
  });

  describe("refunds", () => {
    test("of own payments are there", async () => {
      const { status, body } = await as(zoe)("GET", `/v1/refunds/${refundId}`);
      expect(status).toBe(200);
      expect(body).toEqual((await merchant("GET", `/v1/refunds/${refundId}`)).body);
      const list = await as(zoe)("GET", `/v1/refunds?paymentId=${ids.paid}`);
      expect(list.body).toMatchObject({ data: [{ id: refundId }], total: 1 });
    });

    test("of others are not", async () => {
      const strange = await as(adam)("GET", `/v1/refunds/${refundId}`);
      const unknown = await as(adam)("GET", `/v1/refunds/refund_${UNKNOWN}`);
      expect([strange.status, strange.text]).toEqual([404, unknown.text]);
      for (const paymentId of [ids.paid, `pay_${UNKNOWN}`, "nonsense"]) {
        const list = await as(adam)("GET", `/v1/refunds?paymentId=${paymentId}`);
        expect(list.body).toEqual({ data: [], total: 0, page: 1, limit: 20 });
      }
    });

    test("of own payments are listed all together, and no others", async () => {
      expect((await as(zoe)("GET", "/v1/refunds")).body).toEqual({
        data: [{ id: refundId, status: "created", amount: "0.5" }],
        total: 1,
        page: 1,
        limit: 20,
      });
      expect((await as(zoe)("GET", "/v1/refunds?status=failed")).body.total).toBe(0);
      for (const stranger of [adam, guest]) {
        const list = await as(stranger)("GET", "/v1/refunds");
        expect(list.body).toEqual({ data: [], total: 0, page: 1, limit: 20 });
      }
      const strange = await as(adam)("GET", `/v1/refunds?after=${refundId}`);
      const unknown = await as(adam)("GET", `/v1/refunds?after=refund_${UNKNOWN}`);
      expect([strange.status, strange.text]).toEqual([400, unknown.text]);
    });

    test("transfers and timeline are shown with an own payment, alone and in the list", async () => {
      const names = "expand=refunds,transfers,timeline";
      const one = await as(zoe)("GET", `/v1/payments/${ids.paid}?${names}`);
      expect(one.status).toBe(200);
      const { body } = await merchant("GET", `/v1/payments/${ids.paid}?${names}`);
      // Which key made it is the merchant's own business.
      const shown = body.timeline.map((step: object) => ({ ...step, madeBy: null }));
      expect(one.body).toEqual({ ...body, timeline: shown });
      expect(one.body).toMatchObject({
        refunds: [{ id: refundId }],
        transfers: [{ from: checksumAddress(wallets.zoe) }],
      });
      const { timeline } = one.body;
      expect(timeline.map(({ event }: { event: string }) => event)).toContain("confirmed");
      const list = await as(zoe)("GET", `/v1/payments?status=confirmed&${names}`);
      expect(list.body.data).toMatchObject([{ refunds: [{ id: refundId }], timeline }]);
    });
  });

  test.each([
    ["/v1/payments", "metadata"],
    ["/v1/payments/{pay}", "metadata"],
    ["/v1/payments/{pay}", "description,metadata"],
    ["/v1/payments", "customer"],
    ["/v1/payments/{pay}", "timeline,customer"],
    ["/v1/customers", "metadata"],
    ["/v1/customers/{cust}", "email,metadata"],
    ["/v1/refunds/{refund}", "reason"],
    ["/v1/refunds/{refund}", "transaction"],
  ])(
    "GET %s keeps %s, which the merchant writes for itself, to the merchant",
    async (path, names) => {
      const filled = path
        .replace("{pay}", ids.named ?? "")
        .replace("{cust}", customers.zoe ?? "")
        .replace("{refund}", refundId);
      const { body } = await as(zoe)("GET", `${filled}?expand=${names}`);
      const hidden = names.split(",").at(-1);
      const message = `expand=${hidden} is not available to a customer session`;
      expect(body).toEqual(refusal(403, "Forbidden", message));
    },
  );

  describe.each(
    ROUTES.filter(({ session, id }) => session !== undefined && id !== undefined).map((route) => ({
      name: `${route.method} ${route.path}`,
      route,
    })),
  )("$name", ({ route: { method, path, id, body } }) => {
    const prefix = id?.prefix ?? "";
    function ask(session: string, of: string | undefined, headers = {}) {
      return as(session, headers)(method, path.replace("{id}", of ?? ""), body && SUBMITTED);
    }

    function known() {
      const records = { pay: ids.paid, cust: customers.zoe, refund: refundId };
      return new Map<string, string | undefined>(Object.entries(records)).get(prefix);
    }

    test("answers for another shopper's record as for an unknown one, also in the other mode", async () => {
      const unknown = await ask(adam, `${prefix}_${UNKNOWN}`);
      expect(unknown.status).toBe(404);
      for (const session of [adam, guest]) {
        const strange = await ask(session, known());
        expect([strange.status, strange.text]).toEqual([404, unknown.text]);
      }
      const trial = await signIn.open(shop.testSecret, { wallet_address: wallets.zoe });
      const strange = await ask(trial, known(), { "x-publishable-key": shop.testPublishable });
      expect([strange.status, strange.text]).toEqual([404, unknown.text]);
    });
  });

  test("that is revoked ends its streams before the next change is sent", async () => {
    const session = await signIn.open(shop.secret, { sub: "yara", wallet_address: wallets.zoe });
    const credentials = {
      authorization: `Bearer ${session}`,
      "x-publishable-key": shop.publishable,
    };
    const stream = await fetch(`http://${signIn.gateway.address}/v1/payments/${ids.paid}/status`, {
      headers: { ...credentials, accept: "text/event-stream" },
    });
    const parts = stream.body?.values() as AsyncIterator<Uint8Array>;
    let text = "";
    while (!text.includes("event: status")) text += Buffer.from((await parts.next()).value ?? "");
    await merchant("POST", "/v1/auth/sessions/revoke", { subject: "yara" });
    const paid = { id: ids.paid ?? "", projectId: shop.id, version: 99, status: "refunded" };
    const resource = { case: "payment" as const, value: create(PaymentSnapshotSchema, paid) };
    const event = { id: "evt_1", type: "payment.refunded", resource };
    const payload = toBinary(EventSchema, create(EventSchema, event));
    const key = toRecordKey(shop.id, paid.id);
    const record = { key, eventId: event.id, type: event.type, requestId: "1", payload };
    await signIn.gateway.bus.publish([{ ...record, topic: TOPICS.payments }]);
    for (let part = await parts.next(); !part.done; part = await parts.next()) {
      text += Buffer.from(part.value);
    }
    expect(text).not.toContain("refunded");
  });

  test("has nothing in another project that trusts the same issuer", async () => {
    const neighbour = await signIn.addShop();
    const session = await signIn.open(neighbour.secret, { wallet_address: wallets.zoe });
    const there = as(session, { "x-publishable-key": neighbour.publishable });
    for (const path of ["/v1/payments", "/v1/customers"]) {
      expect((await there("GET", path)).body).toMatchObject({ data: [], total: 0 });
    }
    expect((await there("GET", `/v1/payments/${ids.paid}`)).status).toBe(404);
  });

  test("asks from pages of the project's origins", async () => {
    const headers = { "x-secret-key": shop.secret };
    const body = { allowedOrigins: ["https://shop.example"] };
    await signIn.gateway.ask("PUT", "/v1/projects/me", { headers, body });
    const preflight = await signIn.gateway.ask("OPTIONS", "/v1/payments", {
      headers: { origin: "https://shop.example", "access-control-request-method": "GET" },
    });
    expect(preflight.headers).toMatchObject({
      "access-control-allow-origin": "https://shop.example",
      "access-control-allow-methods": "GET",
      "access-control-allow-headers": expect.stringContaining("Authorization"),
    });
    function from(origin: string) {
      return as(zoe, { origin })("GET", "/v1/payments");
    }

    const allowed = await from("https://shop.example");
    expect(allowed.status).toBe(200);
    expect(allowed.headers["access-control-allow-origin"]).toBe("https://shop.example");
    expect(allowed.headers["access-control-expose-headers"]).toContain("X-Next-After");
    const refused = await from("https://evil.example");
    expect(refused.body).toEqual(refusal(403, "Forbidden", "Origin is not allowed"));
    expect(refused.headers["access-control-allow-origin"]).toBeUndefined();
  });
});
