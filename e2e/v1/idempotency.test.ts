// Idempotency-Key on every POST route, and on the PUT that can show a secret. A repeat gets the first answer, byte for
// byte, even after later changes. Another body is refused. Of many concurrent requests one does the work.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ROUTES, type Route } from "@pay/gateway";
import type { Answer, Headers } from "./ask.ts";
import { type Issuer, startIssuer } from "./issuer.ts";
import {
  describeWithProduct,
  keyHeader,
  orderOn,
  PAYER,
  type Product,
  startProduct,
} from "./product.ts";
import { REQUESTS, type Sample } from "./requests.ts";
import { openTenant, type Tenant } from "./tenants.ts";

const TOGETHER = 20;
const REPEATABLE = ROUTES.filter(
  ({ method, repeatable }) => method === "POST" || repeatable === true,
).map((route) => ({
  name: `${route.method} ${route.path}`,
  route,
}));

/** Another body that is as good as the first. */
const OTHER_BODIES: Record<string, object> = {
  "POST /v1/payments": { amount: "2.5" },
  "POST /v1/payments/{id}/confirm": { txHash: `0x${"e".repeat(64)}` },
  "POST /v1/payments/{id}/payer": { payerAddress: `0x${"e".repeat(40)}` },
  "POST /v1/payments/{id}/authorize": { signature: `0x${"e".repeat(130)}` },
  "POST /v1/payments/{id}/x402": {},
  "POST /v1/payments/{id}/extend": {},
  "POST /v1/payments/{id}/handoff": {},
  "POST /v1/payments/{id}/open": { code: "another" },
  "POST /v1/payments/{id}/cancel": {},
  "POST /v1/payments/{id}/resolve": { action: "reject" },
  "POST /v1/payments/{id}/transaction": { txHash: `0x${"e".repeat(64)}` },
  "POST /v1/payments/{id}/recheck": {},
  "POST /v1/payments/{id}/refund": {},
  "POST /v1/customers": { displayName: "Zoë" },
  "POST /v1/refunds": { reason: "Another" },
  "POST /v1/refunds/{id}/transaction": { txHash: `0x${"e".repeat(64)}` },
  "POST /v1/refunds/{id}/destination": { destinationAddress: `0x${"e".repeat(40)}` },
  "POST /v1/refunds/{id}/cancel": {},
  "POST /v1/settlements": { metadata: { batch: "2" } },
  "POST /v1/settlements/{id}/approve": {},
  "POST /v1/settlements/{id}/reject": {},
  "POST /v1/settlements/{id}/transaction": { txHash: `0x${"e".repeat(64)}` },
  "POST /v1/settlement-destinations": { label: "Another" },
  "POST /v1/transfers/{id}/assign": { paymentId: `pay_${"e".repeat(24)}` },
  "POST /v1/needs/{id}": { note: "Another" },
  "PUT /v1/projects/me": { paymentLifetimeMinutes: 45 },
  "POST /v1/projects/me/keys": { name: "Another" },
  "POST /v1/projects/me/keys/{id}/roll": { graceSeconds: 61 },
  "POST /v1/members": { testRole: "viewer" },
  "POST /v1/webhook-endpoints": { enabled: false },
  "PUT /v1/webhook-endpoints/{id}": { concurrencyMax: 2 },
  "POST /v1/webhook-endpoints/{id}/rotate-secret": { overlapSeconds: 61 },
  "POST /v1/webhook-endpoints/{id}/activate-secret": {},
  "POST /v1/webhook-endpoints/{id}/ping": {},
  "POST /v1/webhook-endpoints/{id}/recover": { dryRun: true },
  "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver": {},
  "POST /v1/x402/verify": {},
  "POST /v1/x402/settle": {},
  "POST /v1/auth/sso": { token: "another" },
  "POST /v1/auth/sessions/revoke": { subject: "another" },
};

test("every route that takes a key has a second body for this test", () => {
  expect(Object.keys(OTHER_BODIES).sort()).toEqual(REPEATABLE.map(({ name }) => name).sort());
});

describeWithProduct("an idempotency key", () => {
  let issuer: Issuer;
  let product: Product;
  let mine: Tenant;
  let theirs: Tenant;

  beforeAll(async () => {
    issuer = await startIssuer();
    product = await startProduct();
    [mine, theirs] = await Promise.all([
      openTenant(product, issuer, { name: "Mine", hundredths: 30n }),
      openTenant(product, issuer, { name: "Theirs", hundredths: 40n }),
    ]);
  });
  afterAll(async () => {
    await product?.stop();
    await issuer?.stop();
  });

  function send(
    { auth, method, path: name }: Route,
    { path, body }: Sample,
    key: string,
    tenant = mine,
  ) {
    const { secret, publishable, session } = tenant.live;
    const needsSession = REQUESTS[`${method} ${name}`]?.keyAlone !== undefined;
    const headers = {
      ...keyHeader(auth === "secret" ? secret : publishable),
      ...(needsSession && { authorization: `Bearer ${session}` }),
      "idempotency-key": key,
    };
    return product.ask(method, path, { headers, body });
  }

  function isReplay({ headers }: Answer) {
    return headers["idempotent-replayed"] === "true";
  }

  describe.each(REPEATABLE)("on $name", ({ name, route }) => {
    const row = REQUESTS[name];
    if (row === undefined) throw new Error("no row");
    const { answers = route.success } = row;

    test("gets the first answer again, byte for byte", async () => {
      const sample = await row.sample(mine.live);
      const key = `again ${name}`;
      const first = await send(route, sample, key);
      expect([first.status, isReplay(first)]).toEqual([answers, false]);
      const again = await send(route, sample, key);
      expect([again.status, again.text, isReplay(again)]).toEqual([answers, first.text, true]);
    });

    test("is refused with another body", async () => {
      const sample = await row.sample(mine.live);
      const key = `other ${name}`;
      await send(route, sample, key);
      const body = { ...sample.body, ...OTHER_BODIES[name], besides: 1 };
      const { status, body: refusal } = await send(route, { ...sample, body }, key);
      expect([status, refusal]).toEqual([
        422,
        {
          statusCode: 422,
          error: "Unprocessable Entity",
          message: "Idempotency-Key was already used with another request body",
        },
      ]);
    });

    test("lets one of many concurrent requests do the work", async () => {
      const sample = await row.sample(mine.live);
      const all = await Promise.all(
        Array.from({ length: TOGETHER }, () => send(route, sample, `together ${name}`)),
      );
      const running = all.filter(({ text }) => text.includes("is still running"));
      for (const { status } of running) expect(status).toBe(409);
      const answered = all.filter((answer) => !running.includes(answer));
      expect(answered.filter((answer) => !isReplay(answer))).toHaveLength(1);
      expect(new Set(answered.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answered[0]?.status).toBe(answers);
    });

    test("is separate per merchant, mode and resource", async () => {
      const key = `apart ${name}`;
      const first = await send(route, await row.sample(mine.live), key);
      expect(isReplay(first)).toBe(false);
      const strange = await send(route, await row.sample(theirs.live), key, theirs);
      expect([strange.status, isReplay(strange)]).toEqual([answers, false]);
      const trial = { ...mine, live: mine.test };
      const other = await send(route, await row.sample(mine.test), key, trial);
      expect([other.status, isReplay(other)]).toEqual([answers, false]);
      if (!route.path.includes("{id}")) return;
      const elsewhere = await send(route, await row.sample(mine.live), key);
      // Merchants number their own keys; shoppers choose theirs without knowing of each other.
      const expected = route.auth === "secret" ? [422, false] : [answers, false];
      expect([elsewhere.status, isReplay(elsewhere)]).toEqual(expected);
    });
  });

  function as(method: string, path: string, body?: object, headers: Headers = {}) {
    return mine.live.as(method, path, body, headers);
  }

  test("keeps a creation's answer as it was, though the payment moved on", async () => {
    const key = { "idempotency-key": "moved" };
    const order = orderOn(mine.live.chainId);
    const first = await as("POST", "/v1/payments", order, key);
    const txHash = `0x${"9".repeat(64)}`;
    await as("POST", `/v1/payments/${first.body.id}/transaction`, { txHash });
    const again = await as("POST", "/v1/payments", order, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  test("keeps a customer's creation as it was, though the customer was changed and erased", async () => {
    const key = { "idempotency-key": "erased" };
    const details = { walletAddress: PAYER, displayName: "Zoë" };
    const first = await as("POST", "/v1/customers", details, key);
    await as("PUT", `/v1/customers/${first.body.id}`, { displayName: "Other" });
    const again = await as("POST", "/v1/customers", details, key);
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  test("shows no data of an erased customer, and does not create the customer again", async () => {
    const key = { "idempotency-key": "gone" };
    const details = { walletAddress: PAYER, email: "zoe@example.com" };
    const first = await as("POST", "/v1/customers", details, key);
    expect(first.body.email).toBe(details.email);
    await as("DELETE", `/v1/customers/${first.body.id}`);
    const again = await as("POST", "/v1/customers", details, key);
    expect([again.status, again.body.message, isReplay(again)]).toEqual([
      409,
      "Customer was erased",
      true,
    ]);
  });

  test("stores a refusal by the operation, and no refusal before the operation", async () => {
    const key = { "idempotency-key": "refused" };
    const { body: open } = await as("POST", "/v1/payments", orderOn(mine.live.chainId));
    const first = await as("POST", "/v1/refunds", { paymentId: open.id, amount: "99" }, key);
    expect(first.status).toBe(409);
    const again = await as("POST", "/v1/refunds", { paymentId: open.id, amount: "99" }, key);
    expect([again.status, again.text]).toEqual([409, first.text]);
    expect([isReplay(first), isReplay(again)]).toEqual([false, true]);

    const path = `/v1/payments/${open.id}/refund`;
    const [declared, repeated] = [
      await as("POST", path, undefined, key),
      await as("POST", path, undefined, key),
    ];
    expect([declared.status, declared.body.message, isReplay(declared)]).toEqual([
      409,
      "Only confirmed payments can be refunded",
      false,
    ]);
    expect([repeated.status, repeated.text, isReplay(repeated)]).toEqual([
      409,
      declared.text,
      true,
    ]);

    const early = { "idempotency-key": "invalid" };
    expect((await as("POST", "/v1/payments", {}, early)).status).toBe(400);
    const good = await as("POST", "/v1/payments", orderOn(mine.live.chainId), early);
    expect(good.status).toBe(201);
  });

  test("requires the same shape too", async () => {
    function key(shape: string) {
      return { "idempotency-key": "shape", "x-service-variant": shape };
    }

    const order = orderOn(mine.live.chainId);
    expect((await as("POST", "/v1/payments", order, key("primary"))).status).toBe(201);
    expect((await as("POST", "/v1/payments", order, key("b"))).status).toBe(422);
  });

  test("is one for equal bytes only where the merchant wrote equal bytes", async () => {
    const headers = { ...keyHeader(mine.live.secret), "idempotency-key": "spaces" };
    const type = { "content-type": "application/json" };
    const body = JSON.stringify(orderOn(mine.live.chainId));
    function send(text: string) {
      return product.ask("POST", "/v1/payments", { headers: { ...headers, ...type }, body: text });
    }

    expect((await send(body)).status).toBe(201);
    expect((await send(` ${body}`)).status).toBe(422);
    expect(isReplay(await send(body))).toBe(true);
  });
});
