import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { describeWithPostgres, until } from "@pay/testing";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { startTestWebhooks, type TestWebhooks } from "./webhooks.ts";

const WALLET = "0x52908400098527886E0F7030069857D2E4169EE7";
const DAY_MS = 86_400_000;
const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describeWithPostgres("the project", () => {
  let gateway: TestGateway;
  let webhooks: TestWebhooks;
  let shop: TestProject;
  beforeAll(async () => {
    webhooks = await startTestWebhooks();
    gateway = await startTestGateway({ env: { WEBHOOKS_ADDRESS: webhooks.address } });
  });
  beforeEach(async () => {
    shop = await gateway.addProject();
  });
  afterAll(async () => {
    await gateway?.stop();
    await webhooks?.stop();
  });

  function headers() {
    return { "x-secret-key": shop.secret };
  }

  function get() {
    return gateway.ask("GET", "/v1/projects/me", { headers: headers() });
  }

  function put(body: unknown) {
    return gateway.ask("PUT", "/v1/projects/me", { headers: headers(), body });
  }

  async function readEvents(count: number) {
    return until(
      () => {
        const own = gateway.events.filter(({ projectId }) => projectId === shop.id);
        return own.length >= count && own;
      },
      { what: `${count} events` },
    );
  }

  test("shows every documented field, null where nothing was set", async () => {
    expect((await get()).body).toEqual({
      id: shop.id,
      name: "Shop",
      callbackUrl: null,
      allowedOrigins: [],
      brandingConfig: null,
    });
  });

  test("stores a change and publishes one event with the whole project", async () => {
    const branding = {
      primaryColor: "#A1b2C3",
      logoUrl: "https://cdn.example/l.png",
      theme: "dark",
    };
    const saved = await put({
      name: "Cafe\u0301 Zoe\u0308",
      branding,
      allowedOrigins: ["https://Shop.example/", "http://localhost:3000"],
      callbackUrl: "https://hooks.shop.example/pay?a=1",
      paymentLifetimeMinutes: 45,
      id: "proj_other",
      unknown: true,
    });
    expect(saved).toMatchObject({ status: 200 });
    expect(saved.body).toEqual({
      id: shop.id,
      name: "Caf\u00e9 Zo\u00eb",
      callbackUrl: "https://hooks.shop.example/pay?a=1",
    });
    expect((await get()).body).toMatchObject({
      brandingConfig: branding,
      allowedOrigins: ["https://shop.example", "http://localhost:3000"],
    });
    const path = "/v1/projects/me?expand=paymentLifetimeMinutes";
    const { body } = await gateway.ask("GET", path, { headers: headers() });
    expect(body.paymentLifetimeMinutes).toBe(45);
    const [created, updated] = await readEvents(2);
    expect(created).toMatchObject({ type: "project.created", sequence: 1 });
    expect(updated).toMatchObject({ type: "project.updated", sequence: 2, resourceId: shop.id });
    expect(updated?.resource.value).toMatchObject({
      callbackUrl: "https://hooks.shop.example/pay?a=1",
      paymentLifetimeMinutes: 45,
      version: 2,
    });
  });

  test("keeps further wallets that pay refunds, each once, and shows them when it is asked to", async () => {
    await put({ payoutWallets: [WALLET, WALLET.toLowerCase(), RECIPIENT] });
    await put({ name: "New" });
    const { body } = await gateway.ask("GET", "/v1/projects/me?expand=payoutWallets", {
      headers: headers(),
    });
    expect(body.payoutWallets).toEqual([WALLET, RECIPIENT]);
    await put({ payoutWallets: [] });
    expect((await get()).body).not.toHaveProperty("payoutWallets");
  });

  test("a change of default wallets waits, shows its time, and is in its event and audit entry", async () => {
    const wallets = [{ chainId: 1, address: WALLET }];
    const before = Date.now();
    const saved = await put({ wallets });
    expect(saved.body).toMatchObject({ wallets: [], pendingWallets: { wallets } });
    const waitMs = Date.parse(saved.body.pendingWallets.usableAt) - before;
    expect(waitMs).toBeGreaterThanOrEqual(DAY_MS);
    expect(waitMs).toBeLessThan(DAY_MS + 60_000);
    expect((await put({ name: "New" })).body).not.toHaveProperty("wallets");
    const read = await gateway.ask("GET", "/v1/projects/me?expand=wallets,pendingWallets", {
      headers: headers(),
    });
    expect(read.body).toMatchObject({
      wallets: [],
      pendingWallets: saved.body.pendingWallets,
    });
    const [, updated] = await readEvents(3);
    expect(updated?.resource.value).toMatchObject({ changedFields: ["wallets"] });
    const audit = await gateway.ask("GET", "/v1/audit?limit=2", { headers: headers() });
    expect(audit.body.data[1].changes).toEqual([
      {
        field: "wallets",
        before: null,
        after: { current: [], pending: saved.body.pendingWallets },
      },
    ]);
    expect((await put({ wallets: null })).body).toMatchObject({
      wallets: [],
      pendingWallets: null,
    });
  });

  test("matches unnamed transfers, unless its owner lets them wait", async () => {
    async function setting() {
      const path = "/v1/projects/me?expand=unnamedTransfers";
      return (await gateway.ask("GET", path, { headers: headers() })).body.unnamedTransfers;
    }

    expect(await setting()).toBe("match");
    await put({ unnamedTransfers: "hold" });
    await put({ name: "New" });
    expect(await setting()).toBe("hold");
    await put({ unnamedTransfers: "match" });
    expect(await setting()).toBe("match");
  });

  test("gives payments no deposit address until its owner says so", async () => {
    const path = "/v1/projects/me?expand=depositAddresses";
    const read = async () => (await gateway.ask("GET", path, { headers: headers() })).body;
    expect(await read()).toMatchObject({ depositAddresses: false });
    await put({ depositAddresses: true });
    expect(await read()).toMatchObject({ depositAddresses: true });
  });

  test("an absent field stays, null takes a value away", async () => {
    await put({ callbackUrl: "https://hooks.shop.example/", branding: { theme: "light" } });
    await put({ name: "New" });
    expect((await get()).body).toMatchObject({
      name: "New",
      callbackUrl: "https://hooks.shop.example/",
    });
    await put({ callbackUrl: null, branding: null });
    expect((await get()).body).toMatchObject({ callbackUrl: null, brandingConfig: null });
    await put({
      allowedOrigins: ["https://shop.example"],
      branding: { theme: "dark", logoUrl: null },
    });
    await put({ allowedOrigins: null, payoutWallets: null, unsignedClaims: null });
    const cleared = { allowedOrigins: [], brandingConfig: { theme: "dark" } };
    expect((await get()).body).toMatchObject(cleared);
    for (const name of ["name", "paymentLifetimeMinutes"]) {
      expect((await put({ [name]: null })).status).toBe(400);
    }
  });

  test("branding is taken by its name in responses too, but not by both at once", async () => {
    await put({ brandingConfig: { primaryColor: "#1A73E8" } });
    const { brandingConfig } = (await get()).body;
    expect(brandingConfig).toEqual({ primaryColor: "#1A73E8" });
    expect((await put({ brandingConfig, branding: brandingConfig })).body.message).toBe(
      "branding and brandingConfig are one field; send one of them",
    );
  });

  test("a change that changes nothing makes no event", async () => {
    await put({ name: "Changed" });
    for (const body of [{}, { name: "Changed" }, { unknown: 1 }]) {
      expect((await put(body)).status).toBe(200);
    }
    await put({ name: "Again" });
    const events = await readEvents(3);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  test("a test key changes nothing that live traffic depends on", async () => {
    const headers = { "x-secret-key": shop.testSecret };
    function putTest(body: object) {
      return gateway.ask("PUT", "/v1/projects/me", { headers, body });
    }

    const before = (await get()).body;
    const [live, full] = ["a live key", "an unrestricted live key"];
    const changes: [object, string, string][] = [
      [{ name: "New" }, "name", live],
      [{ branding: { logoUrl: "https://evil.example/l.png" } }, "branding", live],
      [{ branding: null }, "branding", live],
      [{ allowedOrigins: ["https://evil.example"] }, "allowedOrigins", full],
      [{ allowedOrigins: [] }, "allowedOrigins", full],
      [{ paymentLifetimeMinutes: 5 }, "paymentLifetimeMinutes", live],
      [{ name: "New", callbackUrl: null, allowedOrigins: [] }, "allowedOrigins", full],
    ];
    for (const [body, names, key] of changes) {
      const message = `${names} can only be changed with ${key}`;
      expect((await putTest(body)).body).toEqual(refusal(403, "Forbidden", message));
    }
    expect((await get()).body).toEqual(before);
    await putTest({ callbackUrl: "https://trials.example/" });
    expect((await get()).body).toEqual(before);
  });

  async function endpoints() {
    const { rows } = await webhooks.pool.query(
      "select mode, url from endpoints where project_id = $1 order by mode",
      [shop.id],
    );
    return rows;
  }

  test("callbackUrl is that of the key's mode, and at the endpoint when it is answered", async () => {
    const headers = { "x-secret-key": shop.testSecret };
    function ofTest(method: string, body?: object) {
      return gateway.ask(method, "/v1/projects/me", { headers, ...(body && { body }) });
    }

    await put({ callbackUrl: "https://live.example/" });
    expect(await endpoints()).toEqual([{ mode: 1, url: "https://live.example/" }]);
    expect((await ofTest("GET")).body.callbackUrl).toBeNull();
    const saved = await ofTest("PUT", { callbackUrl: "https://test.example/" });
    expect(saved.body).toEqual({
      id: shop.id,
      name: "Shop",
      callbackUrl: "https://test.example/",
      webhookSecret: expect.stringMatching(/^whsec_/),
    });
    expect(await endpoints()).toEqual([
      { mode: 1, url: "https://live.example/" },
      { mode: 2, url: "https://test.example/" },
    ]);
    expect((await get()).body.callbackUrl).toBe("https://live.example/");
    const events = await readEvents(3);
    expect(events.map(({ resource }) => resource.value)).toMatchObject([
      { testCallbackUrl: "" },
      { callbackUrl: "https://live.example/", testCallbackUrl: "" },
      { callbackUrl: "https://live.example/", testCallbackUrl: "https://test.example/" },
    ]);
    await ofTest("PUT", { callbackUrl: null });
    expect((await endpoints())[1]).toEqual({ mode: 2, url: null });
  });

  test("the same request again corrects an endpoint that missed the change", async () => {
    await put({ callbackUrl: "https://a.example/" });
    await put({ callbackUrl: "https://b.example/" });
    await webhooks.pool.query(
      "update endpoints set url = 'https://a.example/', project_version = 2 where project_id = $1",
      [shop.id],
    );
    expect((await put({ callbackUrl: "https://b.example/" })).status).toBe(200);
    expect(await endpoints()).toEqual([{ mode: 1, url: "https://b.example/" }]);
    expect((await readEvents(3)).at(-1)?.sequence).toBe(3);
  });

  test("an answer with a secret is kept sealed for its repetition", async () => {
    const asked = {
      headers: { "x-secret-key": shop.testSecret, "idempotency-key": "first-address" },
      body: { callbackUrl: "https://test.example/" },
    };
    const { body } = await gateway.ask("PUT", "/v1/projects/me", asked);
    const again = await gateway.ask("PUT", "/v1/projects/me", asked);
    expect([again.body, again.headers["idempotent-replayed"]]).toEqual([body, "true"]);
    const { rows } = await gateway.pool.query<{ response: Buffer }>(
      "select response from idempotency_keys where key = 'first-address'",
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.response.toString("latin1")).not.toContain(body.webhookSecret);
    expect(rows[0]?.response.toString("latin1")).not.toContain("whsec_");
  });

  test("parallel changes all take effect, one after the other", async () => {
    const changes = [
      { name: "A" },
      { callbackUrl: "https://b.example/" },
      { branding: { theme: "dark" } },
    ];
    for (const { status } of await Promise.all(changes.map(put))) expect(status).toBe(200);
    expect((await get()).body).toMatchObject({
      name: "A",
      callbackUrl: "https://b.example/",
      brandingConfig: { theme: "dark" },
    });
    const events = await readEvents(4);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  test.each([
    [{ name: "" }, /^name must be/],
    [{ name: "x".repeat(101) }, /^name must be/],
    [{ name: "a\u0007b" }, /^name must be/],
    [{ name: 7 }, /^name must be/],
    [{ branding: { primaryColor: "red;}" } }, /^branding.primaryColor must be a color/],
    [{ branding: { primaryColor: "#GGGGGG" } }, /^branding.primaryColor must be a color/],
    [{ branding: { css: "x" } }, /^branding must be an object with no keys but/],
    [{ branding: { logoUrl: "http://a.example" } }, /^branding.logoUrl must use https/],
    [{ branding: { logoUrl: "javascript:alert(1)" } }, /^branding.logoUrl must be an https URL/],
    [{ branding: "x" }, /^branding must be/],
    [{ allowedOrigins: ["*"] }, /^allowedOrigins.0 must be an origin/],
    [{ allowedOrigins: ["null"] }, /^allowedOrigins.0 must be an origin/],
    [{ allowedOrigins: ["https://a.example/path"] }, /^allowedOrigins.0 must be an origin/],
    [{ allowedOrigins: "https://a.example" }, /^allowedOrigins must be an array/],
    [{ allowedOrigins: Array(51).fill("https://a.example") }, /^allowedOrigins must be an array/],
    [{ payoutWallets: ["0x12"] }, /^payoutWallets.0 must be an EVM address/],
    [{ payoutWallets: [`0x${"0".repeat(40)}`] }, /^payoutWallets.0 must not be the zero address$/],
    [{ payoutWallets: Array(21).fill(WALLET) }, /^payoutWallets must be an array of at most 20/],
    [{ wallets: [{ chainId: 1 }] }, /^wallets.0.address is required/],
    [{ wallets: [{ chainId: 1, address: WALLET, label: "x" }] }, /^wallets.0 must be an object/],
    [{ wallets: Array(2).fill({ chainId: 1, address: WALLET }) }, /^wallets must be an array of/],
    [{ unnamedTransfers: "last" }, /^unnamedTransfers must be/],
    [{ callbackUrl: "http://a.example" }, /^callbackUrl must use https$/],
    [{ callbackUrl: "https://u:p@a.example" }, /^callbackUrl must not contain a user name/],
    [{ callbackUrl: "https://127.1" }, /^callbackUrl must name a public host$/],
    [{ callbackUrl: "https://[::ffff:10.0.0.1]" }, /^callbackUrl must name a public host$/],
    [{ callbackUrl: "https://2130706433" }, /^callbackUrl must name a public host$/],
    [{ callbackUrl: "https://a.example:22" }, /^callbackUrl must use port 443/],
    [{ callbackUrl: "https://a.example/#x" }, /^callbackUrl must not contain a fragment$/],
    [{ callbackUrl: `https://a.example/${"x".repeat(5_000)}` }, /^callbackUrl must be at most/],
    [{ callbackUrl: 1 }, /^callbackUrl must be an https URL or null$/],
    [{ paymentLifetimeMinutes: 4 }, /^paymentLifetimeMinutes must be an integer from 5 to 1440$/],
  ])("%j is refused", async (body, message) => {
    const answer = await put(body);
    expect(answer.body).toEqual(refusal(400, "Bad Request", expect.stringMatching(message)));
    expect((await get()).body.name).toBe("Shop");
  });

  test("one refusal names all faults", async () => {
    const { body } = await put({ name: "", allowedOrigins: 1, paymentLifetimeMinutes: "5" });
    expect(body.message.split("; ").map((fault: string) => fault.split(" ")[0])).toEqual([
      "name",
      "allowedOrigins",
      "paymentLifetimeMinutes",
    ]);
  });
});
