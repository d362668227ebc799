// How the gateway reads an issuer's keys: rarely, with a guarded client, and without refusing tokens while it is away.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { describeWithPostgres, startReceiver } from "@pay/testing";
import { refusal, startTestGateway, type TestProject } from "./gateway.ts";
import { newSigningKey } from "./issuer.ts";
import { NO_TOKEN, type SignIn, startSignIn } from "./sso.ts";

const UNAVAILABLE = refusal(503, "Service Unavailable", "The SSO issuer's keys cannot be read");
const DISCOVERY = "/.well-known/openid-configuration";
const MINUTE_MS = 60_000;

describeWithPostgres("the keys of an issuer", () => {
  let signIn: SignIn;
  let shop: TestProject;
  beforeAll(async () => {
    signIn = await startSignIn();
  });
  beforeEach(async () => {
    await signIn.renewIssuer();
    shop = await signIn.addShop();
  });
  afterAll(() => signIn?.stop());

  function exchange(change = {}, secret = shop.secret) {
    return signIn.exchange(secret, signIn.issuer.token(change));
  }

  async function status(change = {}) {
    return (await exchange(change)).status;
  }

  function reads() {
    return signIn.issuer.asked("/keys");
  }

  async function expectUnavailable(change = {}) {
    const { body, headers } = await exchange(change);
    expect(body).toEqual(UNAVAILABLE);
    expect(headers["retry-after"]).toBeDefined();
  }

  test("are found by discovery, read once, and then remembered for every project", async () => {
    const other = await signIn.addShop();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => exchange({}, n % 2 ? shop.secret : other.secret)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(200));
    expect([signIn.issuer.asked(DISCOVERY), reads()]).toEqual([1, 1]);
  });

  test("are read where the project says, without discovery", async () => {
    const own = newSigningKey("EdDSA");
    signIn.issuer.say("/own", () => ({ keys: [] }));
    await signIn.configure(shop, { ...signIn.issuer.trust, jwksUrl: `${signIn.issuer.url}/own` });
    expect(await status({ key: own })).toBe(401);
    expect(await status()).toBe(401);
    expect([signIn.issuer.asked("/own"), signIn.issuer.asked(DISCOVERY)]).toEqual([1, 0]);
  });

  test("many tokens with unknown keys cost one reading a minute", async () => {
    expect(await status()).toBe(200);
    signIn.move(MINUTE_MS);
    function storm() {
      return Promise.all(
        Array.from({ length: 50 }, (_, n) => exchange({ header: { kid: `unknown-${n}` } })),
      );
    }

    for (const { body } of [...(await storm()), ...(await storm())]) expect(body).toEqual(NO_TOKEN);
    expect(reads()).toBe(2);
    signIn.move(MINUTE_MS - 1);
    await storm();
    expect(reads()).toBe(2);
    expect(await status()).toBe(200);
    signIn.move(1);
    await storm();
    expect(reads()).toBe(3);
  });

  test("a key that is new at the issuer works, at the latest after a minute", async () => {
    expect(await status()).toBe(200);
    const next = newSigningKey("RS256");
    signIn.issuer.publish(signIn.issuer.key, next);
    expect(await status({ key: next })).toBe(401);
    signIn.move(MINUTE_MS);
    expect(await status({ key: next })).toBe(200);
    expect(await status()).toBe(200);
  });

  test("a key the issuer withdrew stops working after ten minutes", async () => {
    expect(await status()).toBe(200);
    signIn.issuer.publish(newSigningKey("ES256"));
    signIn.move(10 * MINUTE_MS - 1);
    expect(await status()).toBe(200);
    signIn.move(1);
    expect(await status()).toBe(401);
  });

  test("while the issuer is away no token counts as wrong; after a pause the gateway asks again", async () => {
    signIn.issuer.receiver.respondWith(500);
    await expectUnavailable();
    const asked = signIn.issuer.receiver.all.length;
    signIn.issuer.recover();
    await expectUnavailable();
    expect(signIn.issuer.receiver.all.length).toBe(asked);
    signIn.move(5_000);
    expect(await status()).toBe(200);
  });

  test("known keys go on for an hour while the issuer is away; an unknown one is not refused meanwhile", async () => {
    expect(await status()).toBe(200);
    signIn.issuer.receiver.respondWith("reset");
    signIn.move(30 * MINUTE_MS);
    expect(await status()).toBe(200);
    await expectUnavailable({ key: newSigningKey("ES256") });
    signIn.move(30 * MINUTE_MS);
    await expectUnavailable();
    signIn.issuer.recover();
    signIn.move(5_000);
    expect(await status()).toBe(200);
  });

  test.each([
    ["names another issuer", { issuer: "https://login.example" }],
    ["names no issuer", { issuer: undefined }],
    ["names no address of keys", { jwks_uri: undefined }],
    ["names a private address", { jwks_uri: "http://10.0.0.1/keys" }],
    ["names a cloud's metadata", { jwks_uri: "http://169.254.169.254/latest/meta-data" }],
    ["names a file", { jwks_uri: "file:///etc/passwd" }],
    ["names plain http elsewhere", { jwks_uri: "http://login.example/keys" }],
  ])("a discovery document that %s is not followed", async (_, change) => {
    const { url } = signIn.issuer;
    signIn.issuer.say(DISCOVERY, () => ({ issuer: url, jwks_uri: `${url}/keys`, ...change }));
    await expectUnavailable();
    expect(reads()).toBe(0);
  });

  test.each([
    ["not JSON", { status: 200, body: "<html>" }],
    ["no object", { status: 200, body: '"keys"' }],
    ["no set of keys", { status: 200, body: '{"keys":"none"}' }],
    ["more than 64 kB", { status: 200, body: JSON.stringify({ keys: [], x: "x".repeat(70_000) }) }],
    ["a redirect", { status: 302, headers: { location: "/keys" } }],
    ["cut off", "reset" as const],
    ["not HTTP", "garbage" as const],
  ])("keys that come as %s are none", async (_, answer) => {
    await signIn.configure(shop, { ...signIn.issuer.trust, jwksUrl: `${signIn.issuer.url}/set` });
    signIn.issuer.receiver.respondWith(answer);
    await expectUnavailable();
    expect(reads()).toBe(0);
  });

  test.each(["hang", "drip"] as const)("an issuer that does %s is left in time", async (script) => {
    await signIn.configure(shop, { ...signIn.issuer.trust, jwksUrl: `${signIn.issuer.url}/set` });
    signIn.issuer.receiver.respondWith(script);
    const startedAt = performance.now();
    await expectUnavailable();
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  test("the gateway never connects to an issuer in its own network, whatever the settings say", async () => {
    const canary = await startReceiver({ plain: true });
    const guarded = await startTestGateway();
    try {
      const inside = await guarded.addProject();
      const sso = { issuer: canary.url, audience: "mug-shop", jwksUrl: null };
      await guarded.pool.query("update projects set sso = $2 where id = $1", [inside.id, sso]);
      const { body } = await guarded.ask("POST", "/v1/auth/sso", {
        headers: { "x-secret-key": inside.secret },
        body: { token: signIn.issuer.token() },
      });
      expect(body).toEqual(UNAVAILABLE);
      expect(canary.connections.opened).toBe(0);
    } finally {
      await guarded.stop();
      await canary.stop();
    }
  });
});
