// Settings that could give a restricted key or a test key more rights than it has: the trusted issuer, the pages that
// may call, the address of events, other keys. Each needs a right of its own.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { ROUTES } from "../src/index.ts";
import { SCOPES } from "../src/keys/caller.ts";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { startTestWebhooks, type TestWebhooks } from "./webhooks.ts";

const ME = "/v1/projects/me";
const KEYS = `${ME}/keys`;
const SSO = { issuer: "https://login.example", audience: "mug-shop" };

function forbidden(message: string) {
  return refusal(403, "Forbidden", message);
}

describeWithPostgres("the rights of keys", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let webhooks: TestWebhooks;
  beforeAll(async () => {
    webhooks = await startTestWebhooks();
    gateway = await startTestGateway({ env: { WEBHOOKS_ADDRESS: webhooks.address } });
    shop = await gateway.addProject();
  });
  afterAll(async () => {
    await gateway?.stop();
    await webhooks?.stop();
  });

  function as(key: string) {
    return (method: string, path: string, body?: object) =>
      gateway.ask(method, path, { headers: { "x-secret-key": key }, ...(body && { body }) });
  }

  async function restricted(...scopes: string[]) {
    return (await gateway.addKey(shop.id, { type: "secret", scopes })).text;
  }

  async function settings() {
    return (await as(shop.secret)("GET", `${ME}?expand=sso`)).body;
  }

  test.each([
    ["sso", SSO],
    ["sso", null],
    ["payoutWallets", []],
    ["payoutWallets", ["0x52908400098527886E0F7030069857D2E4169EE7"]],
    ["wallets", [{ chainId: 1, address: "0x52908400098527886E0F7030069857D2E4169EE7" }]],
    ["unnamedTransfers", "hold"],
    ["reference", false],
    ["depositAddresses", true],
    ["allowedOrigins", []],
    ["allowedOrigins", ["https://evil.example"]],
  ])("%s is not changed by a restricted key, whatever its scopes (%j)", async (field, value) => {
    const allowedOrigins = ["https://shop.example"];
    await as(shop.secret)("PUT", ME, { allowedOrigins });
    const before = await settings();
    const key = await restricted(...SCOPES);
    const answer = await as(key)("PUT", ME, { name: "Taken", [field]: value });
    expect(answer.body).toEqual(
      forbidden(`${field} can only be changed with an unrestricted live key`),
    );
    expect(await settings()).toEqual(before);
    expect((await as(shop.secret)("PUT", ME, { [field]: value })).status).toBe(200);
  });

  test("every field that needs an unrestricted key is named in one refusal", async () => {
    const key = await restricted(...SCOPES);
    const answer = await as(key)("PUT", ME, { sso: SSO, allowedOrigins: [] });
    expect(answer.body).toEqual(
      forbidden("allowedOrigins, sso can only be changed with an unrestricted live key"),
    );
  });

  test("callbackUrl is changed with the scope webhooks:write besides projects:write", async () => {
    const before = await settings();
    const callbackUrl = "https://evil.example/hooks";
    const narrow = await restricted("projects:write");
    expect((await as(narrow)("PUT", ME, { callbackUrl })).body).toEqual(
      forbidden("API key lacks the scope webhooks:write, which callbackUrl needs"),
    );
    expect((await as(narrow)("PUT", ME, { name: "Mugs" })).status).toBe(200);
    const hooks = await restricted("webhooks:write");
    expect((await as(hooks)("PUT", ME, { callbackUrl })).body).toEqual(
      forbidden("API key lacks the scope projects:write"),
    );
    expect(await settings()).toEqual({ ...before, name: "Mugs" });
    const both = await restricted("projects:write", "webhooks:write");
    expect((await as(both)("PUT", ME, { callbackUrl: null })).status).toBe(200);
  });

  test("keys are made, rolled and revoked with keys:write, within the rights of the caller", async () => {
    const { body: full } = await as(shop.secret)("POST", KEYS, { type: "secret", mode: "live" });
    const manager = as(await restricted("keys:write", "payments:read"));
    const wanted = { type: "secret", mode: "live", scopes: ["payments:read"] };
    const { status, body: made } = await manager("POST", KEYS, wanted);
    expect(status).toBe(201);
    const rolled = await manager("POST", `${KEYS}/${made.id}/roll`, {});
    expect([rolled.status, rolled.body.scopes]).toEqual([201, ["payments:read"]]);
    expect((await manager("DELETE", `${KEYS}/${rolled.body.id}`)).status).toBe(200);
    const beyond = forbidden("You lack the scope payments:write, which the key has");
    const others: [string, string, object?][] = [
      ["POST", KEYS, { type: "secret", mode: "live" }],
      ["POST", KEYS, { ...wanted, scopes: ["payments:write"] }],
      ["POST", `${KEYS}/${full.id}/roll`, {}],
      ["DELETE", `${KEYS}/${full.id}`],
    ];
    for (const [method, path, body] of others) {
      expect((await manager(method, path, body)).body).toEqual(beyond);
    }
    expect((await manager("GET", KEYS)).body).toEqual(
      forbidden("API key lacks the scope keys:read"),
    );
    const { body: kept } = await as(await restricted("keys:read"))("GET", `${KEYS}?limit=100`);
    const listed = kept.data.find(({ id }: { id: string }) => id === full.id);
    expect(listed).toMatchObject({ revokedAt: null, expiresAt: null });
  });

  test("a test key manages and sees test keys alone", async () => {
    const { body: live } = await as(shop.secret)("POST", KEYS, { type: "secret", mode: "live" });
    const tester = as(shop.testSecret);
    const made = await tester("POST", KEYS, { type: "secret", mode: "test" });
    expect(made.status).toBe(201);
    expect((await tester("POST", KEYS, { type: "publishable", mode: "live" })).body).toEqual(
      forbidden("A live key can only be made in live mode"),
    );
    expect((await tester("POST", `${KEYS}/${live.id}/roll`, {})).status).toBe(404);
    expect((await tester("DELETE", `${KEYS}/${live.id}`)).status).toBe(404);
    const { body } = await tester("GET", `${KEYS}?limit=100`);
    expect(body.data.map(({ mode }: { mode: string }) => mode)).toEqual(
      body.data.map(() => "test"),
    );
    expect(body.total).toBe(body.data.length);
    expect((await as(shop.secret)("DELETE", `${KEYS}/${live.id}`)).status).toBe(200);
  });

  test.each(["settlements:sign", "sso:write"])(
    "the scope %s opens nothing and is not offered",
    async (scope) => {
      const { status, body } = await as(shop.secret)("POST", KEYS, {
        type: "secret",
        mode: "live",
        scopes: [scope],
      });
      expect(status).toBe(400);
      expect(body.message).toMatch(/^scopes.0 must be an array with one or more of payments:read/);
      expect(body.message).not.toContain(scope);
    },
  );

  test("a key with a scope that is not offered any more keeps its other ones, and is restricted", async () => {
    const key = await restricted("settlements:write", "projects:read");
    expect((await as(key)("GET", ME)).status).toBe(200);
    expect((await as(key)("PUT", ME, { name: "x" })).status).toBe(403);
    const only = await restricted("settlements:read");
    expect((await as(only)("GET", ME)).status).toBe(403);
    const { body } = await as(shop.secret)("GET", `${KEYS}?limit=100`);
    const shown = body.data.map(({ scopes }: { scopes: string[] }) => scopes);
    expect(shown).toContainEqual(["settlements:write", "projects:read"]);
  });

  test("a restricted key without scopes is not stored", async () => {
    await expect(gateway.addKey(shop.id, { type: "secret", scopes: [] })).rejects.toMatchObject({
      constraint: "api_keys_scopes_present",
    });
    await expect(
      gateway.addKey(shop.id, { type: "secret", scopes: ["all", "payments:read"] }),
    ).rejects.toMatchObject({ constraint: "api_keys_scopes_all_alone" });
  });

  test("no route with a secret key takes an empty set of scopes", async () => {
    await gateway.pool.query("alter table api_keys drop constraint api_keys_scopes_present");
    const key = await restricted();
    const routes = ROUTES.filter(({ auth }) => auth === "secret");
    const answers = await Promise.all(
      routes.map(async ({ method, path, id }) => {
        const named = path
          .replace("{id}", `${id?.prefix}_${"A".repeat(24)}`)
          .replace(/\{\w+\}/g, "1");
        const body = method === "POST" || method === "PUT" ? {} : undefined;
        const { status, headers } = await as(key)(method, named, body);
        return [`${method} ${path}`, status, headers["x-error-code"]];
      }),
    );
    expect(answers).toEqual(
      routes.map(({ method, path }) => [`${method} ${path}`, 403, "scope_missing"]),
    );
  });
});
