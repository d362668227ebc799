// Which endpoint receives which events: the live and the test mode of one project, each with a receiver and a secret of
// its own.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Received, type Receiver, startReceiver, until } from "@pay/testing";
import { verifyWebhook } from "@pay/webhooks";
import { openWallet, type Wallet } from "../harness/wallet.ts";
import {
  askWith,
  COIN_UNIT,
  describeWithProduct,
  orderOn,
  type Product,
  RECIPIENT,
  startProduct,
} from "./product.ts";

type As = ReturnType<typeof askWith>;

interface Shop {
  live: As;
  trial: As;
  liveSecret: string;
}

const PROJECT = "/v1/projects/me";

describeWithProduct("webhooks of two modes", () => {
  let product: Product;
  let wallet: Wallet;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    product = await startProduct();
    wallet = await openWallet(product.credentials);
  });
  afterAll(async () => {
    for (const receiver of receivers) await receiver.stop();
    await product?.stop();
  });

  async function aReceiver() {
    const receiver = await startReceiver({ plain: true });
    receivers.push(receiver);
    return Object.assign(receiver, { address: `${receiver.url}/` });
  }

  async function openShop(): Promise<Shop> {
    const credentials = await product.createProject("Shop");
    const live = askWith(product.ask, credentials.secretKey);
    const { body } = await live("POST", `${PROJECT}/keys`, { type: "secret", mode: "test" });
    const trial = askWith(product.ask, body.key);
    return { live, trial, liveSecret: credentials.webhookSecret };
  }

  async function setAddress(as: As, callbackUrl: string | null) {
    const { status, body } = await as("PUT", PROJECT, { callbackUrl });
    expect([status, body.callbackUrl]).toEqual([200, callbackUrl]);
    return body;
  }

  async function order(as: As, more: object = {}): Promise<string> {
    const { status, body } = await as("POST", "/v1/payments", {
      ...orderOn(product.credentials.chainId),
      ...more,
    });
    expect(status).toBe(201);
    return body.id;
  }

  /** The payments that the first events are about. */
  async function readEvents(as: As): Promise<string[]> {
    const { body } = await as("GET", "/v1/events");
    return body.data.map(({ resourceId }: { resourceId: string }) => resourceId);
  }

  function idIn({ body }: Received): string {
    return JSON.parse(body.toString()).id;
  }

  function deliveredTo(receiver: Receiver) {
    return new Set(receiver.all.map(idIn));
  }

  function heard(receiver: Receiver, type: string, id: string) {
    return receiver.next((one) => one.headers["x-service-event"] === type && idIn(one) === id);
  }

  test("a test payment never reaches the live endpoint", async () => {
    const { live, trial } = await openShop();
    const [real, mock] = [await aReceiver(), await aReceiver()];
    await setAddress(live, real.address);
    // The second order's transfer is not enough for this one: it cannot be seen as its payment before the second is
    // known.
    const unheard = await order(trial, { amount: "0.62", orderId: "LIVE-ORDER-77" });
    await until(async () => (await readEvents(trial)).includes(unheard), {
      what: "the event before there is an address for it",
    });
    await setAddress(trial, mock.address);
    const paid = await order(trial, { amount: "0.61", orderId: "LIVE-ORDER-77" });
    const txHash = await wallet.payNative(RECIPIENT, (61n * COIN_UNIT) / 100n);
    await trial("POST", `/v1/payments/${paid}/transaction`, { txHash });
    await heard(mock, "payment.confirmed", paid);
    // Events of one project are handled in order: all test events have been handled when this one arrives.
    const sold = await order(live);
    await heard(real, "payment.created", sold);
    expect([...deliveredTo(real)]).toEqual([sold]);
    expect([...deliveredTo(mock)]).toEqual([paid]);
    expect([unheard, paid]).not.toContain(sold);
  });

  test("test and live deliveries are signed with different secrets, and say their mode", async () => {
    const { live, trial, liveSecret } = await openShop();
    const [real, mock] = [await aReceiver(), await aReceiver()];
    await setAddress(live, real.address);
    const { webhookSecret } = await setAddress(trial, mock.address);
    expect(webhookSecret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    const sold = await heard(real, "payment.created", await order(live));
    const tried = await heard(mock, "payment.created", await order(trial));
    function signedBy({ headers, body }: Received) {
      return {
        live: verifyWebhook(liveSecret, headers, body),
        test: verifyWebhook(webhookSecret, headers, body),
        mode: headers["x-service-mode"],
      };
    }

    expect(signedBy(sold)).toEqual({ live: true, test: false, mode: "live" });
    expect(signedBy(tried)).toEqual({ live: false, test: true, mode: "test" });
  });

  test("changes of keys and settings reach the endpoint that lists them, and no other", async () => {
    const { live } = await openShop();
    const [named, unnamed] = [await aReceiver(), await aReceiver()];
    await setAddress(live, unnamed.address);
    const events = ["project.updated", "api_key.created", "api_key.revoked"];
    const endpoint = await live("POST", "/v1/webhook-endpoints", { url: named.address, events });
    expect(endpoint.status).toBe(201);
    const wanted = { type: "secret", mode: "test", scopes: ["payments:read"], name: "Reports" };
    const { body: made } = await live("POST", `${PROJECT}/keys`, wanted);
    const created = await heard(named, "api_key.created", made.id);
    const { key, lastUsedAt: _, ...shown } = made;
    expect(JSON.parse(created.body.toString())).toEqual(shown);
    expect(created.headers["x-service-mode"]).toBe("live");
    await live("DELETE", `${PROJECT}/keys/${made.id}`);
    const revoked = await heard(named, "api_key.revoked", made.id);
    expect(JSON.parse(revoked.body.toString())).toMatchObject({ revokedAt: expect.any(String) });
    const { body: project } = await live("PUT", PROJECT, { name: "Mugs", variant: "primary" });
    // That of the address above may have come, too.
    const updated = await named.next(
      ({ headers, body }) =>
        headers["x-service-event"] === "project.updated" && body.includes('"variant"'),
    );
    expect(JSON.parse(updated.body.toString())).toEqual({
      id: project.id,
      name: "Mugs",
      changedFields: ["name", "variant"],
      changedBy: made.createdBy,
    });
    expect(named.all.map(({ body }) => body.toString()).join()).not.toContain(key);
    const sold = await order(live);
    await heard(unnamed, "payment.created", sold);
    expect([...deliveredTo(unnamed)]).toEqual([sold]);
  });

  test("money of a wallet that the project's server names waits, and its endpoint is told once", async () => {
    const { live } = await openShop();
    const [screener, told] = [await aReceiver(), await aReceiver()];
    screener.respondWith({ status: 200, body: '{"flagged":true}' });
    const screening = { url: `${screener.address}k3y`, onFail: "review" };
    expect((await live("PUT", PROJECT, { screening })).status).toBe(200);
    expect((await live("GET", `${PROJECT}?expand=screening`)).body).toMatchObject({ screening });
    const endpoint = { url: told.address, events: ["payment.screened", "payment.confirmed"] };
    expect((await live("POST", "/v1/webhook-endpoints", endpoint)).status).toBe(201);
    const id = await order(live, { amount: "0.63" });
    const txHash = await wallet.payNative(RECIPIENT, (63n * COIN_UNIT) / 100n);
    await live("POST", `/v1/payments/${id}/transaction`, { txHash });
    const { body } = await heard(told, "payment.screened", id);
    expect(JSON.parse(body.toString())).toMatchObject({ id, status: "processing" });
    const asked = screener.all.map((one) => [one.path, JSON.parse(one.body.toString())]);
    const { chainId } = product.credentials;
    const address = expect.stringMatching(new RegExp(`^${wallet.address}$`, "i"));
    expect(asked).toEqual([["/k3y", { address, chainId, paymentId: id }]]);
    const { body: read } = await live("GET", `/v1/payments/${id}?expand=needs,screened`);
    expect(read).toMatchObject({ needs: "review", screened: [{ cause: "url" }] });
    const path = `/v1/payments/${id}/resolve`;
    expect((await live("POST", path, { action: "accept" })).status).toBe(200);
    await heard(told, "payment.confirmed", id);
    expect(told.all.map((one) => one.headers["x-service-event"])).toEqual([
      "payment.screened",
      "payment.confirmed",
    ]);
  });

  test("the test secret is shown once, when a test key first sets callbackUrl", async () => {
    const { live, trial } = await openShop();
    const url = "https://shop.example/trials";
    expect(await setAddress(live, "https://shop.example/orders")).not.toHaveProperty(
      "webhookSecret",
    );
    expect(await setAddress(trial, null)).not.toHaveProperty("webhookSecret");
    expect(await setAddress(trial, url)).toHaveProperty("webhookSecret");
    expect(await setAddress(trial, url)).not.toHaveProperty("webhookSecret");
    expect(await setAddress(trial, `${url}/2`)).not.toHaveProperty("webhookSecret");
    expect((await trial("GET", PROJECT)).body).not.toHaveProperty("webhookSecret");
  });

  test("the answer with the test secret is given again under its Idempotency-Key", async () => {
    const { trial } = await openShop();
    function set(callbackUrl: string) {
      return trial("PUT", PROJECT, { callbackUrl }, { "idempotency-key": "first-address" });
    }

    const first = await set("https://shop.example/trials");
    const again = await set("https://shop.example/trials");
    expect(first.body.webhookSecret).toMatch(/^whsec_/);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect((await set("https://shop.example/other")).status).toBe(422);
  });

  test("a test key cannot change name, branding or the live callbackUrl", async () => {
    const { live, trial } = await openShop();
    await live("PUT", PROJECT, {
      branding: { theme: "dark" },
      callbackUrl: "https://shop.example/",
    });
    const before = (await live("GET", PROJECT)).body;
    for (const change of [
      { name: "Phish" },
      { branding: { supportUrl: "https://evil.example/" } },
      { branding: null },
      { name: "Phish", callbackUrl: "https://evil.example/" },
    ]) {
      const { status, body } = await trial("PUT", PROJECT, change);
      const named = Object.keys(change).filter((field) => field !== "callbackUrl");
      expect([status, body.message]).toEqual([
        403,
        `${named.join(", ")} can only be changed with a live key`,
      ]);
    }
    expect((await trial("GET", PROJECT)).body.callbackUrl).toBeNull();
    await setAddress(trial, "https://trials.example/");
    expect((await live("GET", PROJECT)).body).toEqual(before);
    expect((await trial("GET", PROJECT)).body).toEqual({
      ...before,
      callbackUrl: "https://trials.example/",
    });
  });

  describe.each(["live", "trial"] as const)("with a %s key", (key) => {
    test("the endpoint is in force when PUT has answered", async () => {
      const as = (await openShop())[key];
      const places = [await aReceiver(), await aReceiver()] as const;
      const expected: [string[], string[]] = [[], []];
      for (let move = 0; move < 12; move++) {
        const at = move % 2 === 0 ? 0 : 1;
        await setAddress(as, places[at].address);
        const id = await order(as);
        expected[at].push(id);
        await until(() => places.some((place) => deliveredTo(place).has(id)), {
          what: id,
        });
      }
      for (const at of [0, 1] as const)
        expect(deliveredTo(places[at])).toEqual(new Set(expected[at]));
    });
  });
});
