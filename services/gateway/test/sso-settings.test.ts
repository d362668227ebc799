// Which issuer a project trusts: who may set it, which values are valid, and what a change does to sessions.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { refusal, startTestGateway, type TestProject } from "./gateway.ts";
import { NO_SESSION, type SignIn, startSignIn } from "./sso.ts";

describeWithPostgres("the issuer of a project", () => {
  let signIn: SignIn;
  let shop: TestProject;
  beforeAll(async () => {
    signIn = await startSignIn();
  });
  beforeEach(async () => {
    shop = await signIn.gateway.addProject();
  });
  afterAll(() => signIn?.stop());

  function headers() {
    return { "x-secret-key": shop.secret };
  }

  function get(query = "") {
    return signIn.gateway.ask("GET", `/v1/projects/me${query}`, { headers: headers() });
  }

  function put(sso: unknown) {
    return signIn.configure(shop, sso);
  }

  test("is shown on request only, and removed by null", async () => {
    expect((await get("?expand=sso")).body.sso).toBeNull();
    const saved = await put(signIn.issuer.trust);
    expect(saved.body).toEqual({ id: shop.id, name: "Shop", callbackUrl: null });
    expect(Object.keys((await get()).body)).not.toContain("sso");
    expect((await get("?expand=sso")).body).toEqual({
      ...(await get()).body,
      sso: { ...signIn.issuer.trust, jwksUrl: null },
    });
    await put(null);
    expect((await get("?expand=sso")).body.sso).toBeNull();
    expect((await signIn.exchange(shop.secret, signIn.issuer.token())).status).toBe(409);
  });

  test("stays as it is when a change does not name it", async () => {
    const sso = { ...signIn.issuer.trust, jwksUrl: `${signIn.issuer.url}/keys` };
    await put(sso);
    const body = { name: "Mugs" };
    await signIn.gateway.ask("PUT", "/v1/projects/me", { headers: headers(), body });
    expect((await get("?expand=sso")).body).toMatchObject({ name: "Mugs", sso });
  });

  test("is trusted at once after the change", async () => {
    expect((await put(signIn.issuer.trust)).status).toBe(200);
    expect((await signIn.exchange(shop.secret, signIn.issuer.token())).status).toBe(200);
    await put({ ...signIn.issuer.trust, audience: "another" });
    expect((await signIn.exchange(shop.secret, signIn.issuer.token())).status).toBe(401);
  });

  test("ends all sessions when it changes or goes, and none when it stays", async () => {
    async function used(session: string) {
      return (await signIn.use(session, shop.publishable)).status === 200;
    }

    await put(signIn.issuer.trust);
    const first = await signIn.open(shop.secret);
    await put(signIn.issuer.trust);
    expect(await used(first)).toBe(true);
    await put({ ...signIn.issuer.trust, jwksUrl: `${signIn.issuer.url}/keys` });
    expect((await signIn.use(first, shop.publishable)).body).toEqual(NO_SESSION);
    const second = await signIn.open(shop.secret);
    expect(await used(second)).toBe(true);
    await put(null);
    expect(await used(second)).toBe(false);
    await put({ ...signIn.issuer.trust, jwksUrl: `${signIn.issuer.url}/keys` });
    expect([await used(first), await used(second)]).toEqual([false, false]);
  });

  test("cannot be changed with a test key", async () => {
    const asked = { headers: { "x-secret-key": shop.testSecret } };
    for (const sso of [signIn.issuer.trust, null]) {
      const answer = await signIn.gateway.ask("PUT", "/v1/projects/me", {
        ...asked,
        body: { sso },
      });
      expect(answer.body).toEqual(
        refusal(403, "Forbidden", "sso can only be changed with an unrestricted live key"),
      );
    }
    const body = {};
    expect((await signIn.gateway.ask("PUT", "/v1/projects/me", { ...asked, body })).status).toBe(
      200,
    );
  });

  test.each([
    ["x", /^sso must be an object with issuer, audience/],
    [[], /^sso must be an object with issuer, audience/],
    [{}, /^sso.issuer is required; sso.audience is required$/],
    [{ audience: "a", issuer: 7 }, /^sso.issuer must be an https URL$/],
    [{ audience: "a", issuer: "login.example" }, /^sso.issuer must be an absolute https URL$/],
    [{ audience: "a", issuer: "ftp://login.example" }, /^sso.issuer must use https$/],
    [{ audience: "a", issuer: "http://login.example" }, /^sso.issuer must use https$/],
    [{ audience: "a", issuer: "https://login" }, /^sso.issuer must name a public host$/],
    [{ audience: "a", issuer: "https://10.0.0.1" }, /^sso.issuer must name a public host$/],
    [{ audience: "a", issuer: "https://[fd00::1]" }, /^sso.issuer must name a public host$/],
    [{ audience: "a", issuer: "https://login.internal" }, /^sso.issuer must name a public host$/],
    [{ audience: "a", issuer: "https://u:p@login.example" }, /^sso.issuer must not contain a user/],
    [{ audience: "a", issuer: "https://login.example/#a" }, /^sso.issuer must not contain a frag/],
    [{ audience: "a", issuer: "https://login.example/?a" }, /^sso.issuer must not contain a query/],
    [
      { audience: "a", issuer: `https://login.example/${"x".repeat(2_050)}` },
      /^sso.issuer must be/,
    ],
    [
      { audience: "", issuer: "https://login.example" },
      /^sso.audience must be a string of 1 to 255/,
    ],
    [{ audience: "a".repeat(256), issuer: "https://login.example" }, /^sso.audience must be/],
    [{ audience: ["a"], issuer: "https://login.example" }, /^sso.audience must be/],
    [
      { audience: "a", issuer: "https://login.example", jwksUrl: "http://login.example/keys" },
      /^sso.jwksUrl must use https$/,
    ],
    [
      { audience: "a", issuer: "https://login.example", jwksUrl: "https://169.254.169.254/" },
      /^sso.jwksUrl must name a public host$/,
    ],
    [
      { audience: "a", issuer: "https://login.example", jwksUrl: 1 },
      /^sso.jwksUrl must be an https URL or null$/,
    ],
    [
      { audience: "a", issuer: "https://login.example", jwks_uri: "https://login.example/keys" },
      /^sso must be an object with issuer, audience/,
    ],
  ])("%j is refused", async (sso, message) => {
    const { body } = await put(sso);
    expect(body).toEqual(refusal(400, "Bad Request", expect.stringMatching(message)));
    expect((await get("?expand=sso")).body.sso).toBeNull();
  });

  test("is on this machine only where the operator allows that", async () => {
    const strict = await startTestGateway();
    try {
      const { secret } = await strict.addProject();
      const sso = { audience: "a", issuer: signIn.issuer.url };
      const asked = { headers: { "x-secret-key": secret }, body: { sso } };
      const { body } = await strict.ask("PUT", "/v1/projects/me", asked);
      expect(body).toEqual(refusal(400, "Bad Request", "sso.issuer must use https"));
    } finally {
      await strict.stop();
    }
  });

  test("is read with the scope of projects, and no event contains it", async () => {
    await put(signIn.issuer.trust);
    const narrow = await signIn.gateway.addKey(shop.id, {
      type: "secret",
      scopes: ["payments:read"],
    });
    const refused = await signIn.gateway.ask("GET", "/v1/projects/me?expand=sso", {
      headers: { "x-secret-key": narrow.text },
    });
    expect(refused.status).toBe(403);
    const { rows } = await signIn.gateway.pool.query<{ payload: Buffer }>(
      "select payload from outbox",
    );
    const exposed = [
      ...rows.map(({ payload }) => payload.toString("latin1")),
      ...signIn.gateway.events.map((event) => String(event.resource.case)),
    ];
    expect(exposed.join()).not.toContain(signIn.issuer.url);
  });
});
