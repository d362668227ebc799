// Which tokens a session can be exchanged for, once each, and which are refused.
import { constants, createHmac, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { refusal, type TestProject } from "./gateway.ts";
import { base64url, newSigningKey, publicJwk, type TokenChange } from "./issuer.ts";
import { EXCHANGE, NO_KEY, NO_TOKEN, type SignIn, startSignIn } from "./sso.ts";

// The order of the P-256 group: (r, n - s) is as good a signature as (r, s).
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

describeWithPostgres("the exchange of tokens", () => {
  let signIn: SignIn;
  let shop: TestProject;
  const rsa = newSigningKey("RS256");
  const edwards = newSigningKey("EdDSA");
  const curve = newSigningKey("ES256");
  beforeAll(async () => {
    signIn = await startSignIn();
    signIn.issuer.publish(rsa, edwards, curve, signIn.issuer.key);
    shop = await signIn.addShop();
  });
  afterAll(() => signIn?.stop());

  function getToken(change: TokenChange = {}) {
    return signIn.issuer.token(change);
  }

  function seconds(offset: number) {
    return Math.floor(signIn.now().getTime() / 1_000) + offset;
  }

  async function expectRefused(token: string) {
    const { status, body, headers } = await signIn.exchange(shop.secret, token);
    expect(body).toEqual(NO_TOKEN);
    expect(status).toBe(401);
    expect(headers["x-error-code"]).toBe("sso_token_invalid");
  }

  test.each([
    ["RS256", rsa],
    ["EdDSA", edwards],
    ["ES256", curve],
  ])("a token signed with %s opens a session of an hour", async (_, key) => {
    const { status, body } = await signIn.exchange(shop.secret, getToken({ key }));
    expect(status).toBe(200);
    expect(body).toEqual({
      sessionToken: expect.stringMatching(/^sess_[0-9A-Za-z]{43}$/),
      expiresAt: new Date(signIn.now().getTime() + 3_600_000).toISOString(),
    });
  });

  test.each([
    [
      "an audience among others and us as its party",
      () => ({ aud: ["other", "mug-shop"], azp: "mug-shop" }),
    ],
    ["one audience in a list", () => ({ aud: ["mug-shop"] })],
    ["one audience and us as its party", () => ({ aud: "mug-shop", azp: "mug-shop" })],
    ["an end 59 seconds ago", () => ({ exp: seconds(-59) })],
    ["a beginning in 59 seconds", () => ({ nbf: seconds(59) })],
    ["an issue in 59 seconds", () => ({ iat: seconds(59) })],
    ["an issue 659 seconds ago", () => ({ iat: seconds(-659) })],
    ["an end in a year", () => ({ exp: seconds(31_536_000) })],
    ["a wallet", () => ({ wallet_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" })],
  ])("a token with %s is good", async (_, claims) => {
    const { status } = await signIn.exchange(shop.secret, getToken({ claims: claims() }));
    expect(status).toBe(200);
  });

  test.each([
    ["another issuer", () => ({ iss: "https://login.example" })],
    ["the issuer spelled otherwise", () => ({ iss: `${signIn.issuer.url}/` })],
    ["no issuer", () => ({ iss: undefined })],
    ["another audience", () => ({ aud: "other-shop" })],
    ["an audience that only begins alike", () => ({ aud: ["mug-shop-2", "mug"] })],
    ["no audience", () => ({ aud: undefined })],
    ["several audiences and no party", () => ({ aud: ["other", "mug-shop"] })],
    ["several audiences and another party", () => ({ aud: ["other", "mug-shop"], azp: "other" })],
    ["our audience twice and no party", () => ({ aud: ["mug-shop", "mug-shop"] })],
    ["one audience and another party", () => ({ aud: "mug-shop", azp: "other" })],
    ["a list as its party", () => ({ aud: "mug-shop", azp: ["mug-shop"] })],
    [
      "the event of a logout",
      () => ({ events: { "http://schemas.openid.net/event/backchannel-logout": {} } }),
    ],
    ["an empty list of events", () => ({ events: [] })],
    ["an end 61 seconds ago", () => ({ exp: seconds(-61) })],
    ["no end", () => ({ exp: undefined })],
    ["an end in words", () => ({ exp: "tomorrow" })],
    ["a beginning in 61 seconds", () => ({ nbf: seconds(61) })],
    ["an issue in 61 seconds", () => ({ iat: seconds(61) })],
    ["an issue 661 seconds ago", () => ({ iat: seconds(-661) })],
    ["no issue", () => ({ iat: undefined })],
    ["no subject", () => ({ sub: undefined })],
    ["an empty subject", () => ({ sub: "" })],
    ["a number as its subject", () => ({ sub: 7 })],
    ["a subject of 256 characters", () => ({ sub: "s".repeat(256) })],
    ["a wallet that is none", () => ({ wallet_address: "zoe.eth" })],
    ["the zero address as its wallet", () => ({ walletAddress: `0x${"0".repeat(40)}` })],
    ["a list as its wallet", () => ({ wallet_address: [] })],
  ])("a token with %s is refused", async (_, claims) => {
    await expectRefused(getToken({ claims: claims() }));
  });

  test.each([
    ["without a signature", { alg: "none" }],
    ["with an unknown algorithm", { alg: "XX256" }],
    ["of another type", { typ: "logout+jwt" }],
    ["with a type that is no text", { typ: 7 }],
    ["with demands we do not know", { crit: ["exp2"], exp2: 1 }],
    ["with a key's name that leads elsewhere", { kid: "../../../../etc/passwd" }],
    ["with a key's name that is an address", { kid: "https://evil.example/keys" }],
    ["with a key's name that is no text", { kid: { $ne: null } }],
    ["with the name of an unknown key", { kid: "unknown" }],
  ])("a token %s is refused", async (_, header) => {
    await expectRefused(getToken({ key: rsa, header }));
  });

  test("a good signature by any other algorithm is refused", async () => {
    const { kid: _, alg: __, use: ___, ...plain } = publicJwk(rsa) as Record<string, unknown>;
    signIn.issuer.say("/plain", () => ({ keys: [plain] }));
    const other = await signIn.gateway.addProject();
    await signIn.configure(other, {
      ...signIn.issuer.trust,
      jwksUrl: `${signIn.issuer.url}/plain`,
    });
    function by(alg: string, hash: string, padding: number) {
      const [, claims = ""] = getToken({ key: rsa }).split(".");
      const content = `${base64url({ alg, typ: "JWT" })}.${claims}`;
      const options = {
        key: rsa.privateKey,
        padding,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      };
      return `${content}.${sign(hash, Buffer.from(content), options).toString("base64url")}`;
    }

    const { RSA_PKCS1_PADDING: pkcs1, RSA_PKCS1_PSS_PADDING: pss } = constants;
    async function status(token: string) {
      return (await signIn.exchange(other.secret, token)).status;
    }

    expect(await status(by("RS256", "sha256", pkcs1))).toBe(200);
    expect(await status(by("RS384", "sha384", pkcs1))).toBe(401);
    expect(await status(by("RS512", "sha512", pkcs1))).toBe(401);
    expect(await status(by("PS256", "sha256", pss))).toBe(401);
  });

  test("a token that is signed without a key, or with the public key as a secret, is refused", async () => {
    const [, claims = ""] = getToken({ key: rsa }).split(".");
    const unsigned = `${base64url({ alg: "none", typ: "JWT" })}.${claims}.`;
    await expectRefused(unsigned);
    const secrets = [
      rsa.publicKey.export({ type: "spki", format: "pem" }),
      rsa.publicKey.export({ type: "spki", format: "der" }),
      JSON.stringify(publicJwk(rsa)),
      "",
    ];
    for (const secret of secrets) {
      for (const alg of ["HS256", "HS384", "HS512"]) {
        const content = `${base64url({ alg, kid: rsa.kid, typ: "JWT" })}.${claims}`;
        const mac = createHmac(`sha${alg.slice(2)}`, secret)
          .update(content)
          .digest("base64url");
        await expectRefused(`${content}.${mac}`);
      }
    }
  });

  test("a key in the token itself is not used, and no address in it is called", async () => {
    const forger = newSigningKey("ES256", curve.kid);
    const before = signIn.issuer.receiver.all.length;
    await expectRefused(getToken({ key: forger }));
    await expectRefused(getToken({ key: forger, header: { jwk: publicJwk(forger) } }));
    await expectRefused(getToken({ key: forger, header: { jku: `${signIn.issuer.url}/forged` } }));
    await expectRefused(getToken({ key: forger, header: { x5u: `${signIn.issuer.url}/forged` } }));
    expect(signIn.issuer.asked("/forged")).toBe(0);
    expect(signIn.issuer.receiver.all.length).toBe(before);
  });

  test("a changed claim breaks the signature", async () => {
    const [header, claims = "", signature] = getToken({ key: curve }).split(".");
    const changed = { ...JSON.parse(Buffer.from(claims, "base64url").toString()), sub: "admin" };
    await expectRefused(`${header}.${base64url(changed)}.${signature}`);
  });

  test.each([
    ["one character", "x"],
    ["three characters", "a.b.c"],
    ["dots", ".."],
    ["more dots", "...."],
    ["five parts, as encrypted ones have", "a.b.c.d.e"],
    ["null", "null"],
    ["lists where objects belong", `${base64url("[]")}.${base64url("[]")}.x`],
    ["half an object", `${base64url({ alg: "ES256" })}.${base64url("{")}.x`],
    ["characters that no token has", "ü.ü.ü"],
    ["one character more than the longest", "x".repeat(16_385)],
    ["a body full of it", "x".repeat(90_000)],
    ["three long parts", `${"a".repeat(30_000)}.${"b".repeat(30_000)}.${"c".repeat(30_000)}`],
  ])("no token: %s", async (_, token) => {
    await expectRefused(token);
  });

  test.each([
    [{}, "token is required"],
    [{ token: "" }, "token must be a non-empty string"],
    [{ token: null }, "token is required"],
    [{ token: ["x"] }, "token must be a non-empty string"],
  ])("%j is a bad request", async (body, message) => {
    const headers = { "x-secret-key": shop.secret };
    const answer = await signIn.gateway.ask("POST", EXCHANGE, { headers, body });
    expect(answer.body).toEqual(refusal(400, "Bad Request", message));
  });

  describe("works once", () => {
    test("one after the other", async () => {
      const token = getToken();
      expect((await signIn.exchange(shop.secret, token)).status).toBe(200);
      await expectRefused(token);
      await expectRefused(token);
    });

    test("twenty times at once", async () => {
      const token = getToken();
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => signIn.exchange(shop.secret, token)),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(19).fill(401)]);
      const { rows } = await signIn.gateway.pool.query("select count(*)::int as n from sso_tokens");
      const sessions = await signIn.gateway.pool.query("select count(*)::int as n from sessions");
      expect(sessions.rows[0].n).toBe(rows[0].n);
    });

    test("also with its signature written another way", async () => {
      const token = getToken({ key: curve });
      const [header, claims, signature = ""] = token.split(".");
      const bytes = Buffer.from(signature, "base64url");
      const s = P256_ORDER - BigInt(`0x${bytes.subarray(32).toString("hex")}`);
      const twin = Buffer.concat([
        bytes.subarray(0, 32),
        Buffer.from(s.toString(16).padStart(64, "0"), "hex"),
      ]);
      expect((await signIn.exchange(shop.secret, token)).status).toBe(200);
      await expectRefused(`${header}.${claims}.${twin.toString("base64url")}`);
      await expectRefused(`${token}=`);
    });

    test("in one mode of a project, and not in the other after that", async () => {
      const token = getToken();
      expect((await signIn.exchange(shop.testSecret, token)).status).toBe(200);
      await expectRefused(token);
    });

    test("until it would be refused for its age, and is forgotten only then", async () => {
      const { rows } = await signIn.gateway.pool.query(
        "select min(expires_at) as first, max(expires_at) as last from sso_tokens",
      );
      expect(rows[0].first.getTime()).toBeGreaterThan(signIn.now().getTime());
      expect(rows[0].last.getTime()).toBeLessThanOrEqual(signIn.now().getTime() + 720_000);
    });

    test("in each project that trusts its issuer: one cannot use up another's", async () => {
      const token = getToken();
      const other = await signIn.addShop();
      expect((await signIn.exchange(other.secret, token)).status).toBe(200);
      expect((await signIn.exchange(shop.secret, token)).status).toBe(200);
    });
  });

  test("the same request under the same Idempotency-Key gets the same session again", async () => {
    const token = getToken();
    const repeat = { "idempotency-key": "sign-in-1" };
    const first = await signIn.exchange(shop.secret, token, repeat);
    const again = await signIn.exchange(shop.secret, token, repeat);
    expect(first).toMatchObject({ status: 200, body: { sessionToken: expect.any(String) } });
    expect(again.text).toBe(first.text);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect((await signIn.exchange(shop.secret, getToken(), repeat)).status).toBe(422);
    const { rows } = await signIn.gateway.pool.query("select response from idempotency_keys");
    const stored = rows.map(({ response }) => response.toString("latin1")).join();
    expect(stored).not.toContain("sess_");
  });

  test("only a secret key exchanges: no page, no session, no key restricted to something else", async () => {
    const session = await signIn.open(shop.secret);
    for (const headers of [
      { "x-publishable-key": shop.publishable },
      { "x-publishable-key": shop.publishable, authorization: `Bearer ${session}` },
      { authorization: `Bearer ${session}` },
      { "x-secret-key": session },
    ]) {
      const { body } = await signIn.gateway.ask("POST", EXCHANGE, {
        headers: headers as Record<string, string>,
        body: { token: getToken() },
      });
      expect(body).toEqual(NO_KEY);
    }
    const narrow = await signIn.gateway.addKey(shop.id, {
      type: "secret",
      scopes: ["payments:write"],
    });
    expect((await signIn.exchange(narrow.text, getToken())).body).toEqual(
      refusal(403, "Forbidden", "API key lacks the scope sessions:write"),
    );
    const wide = await signIn.gateway.addKey(shop.id, {
      type: "secret",
      scopes: ["sessions:write"],
    });
    expect((await signIn.exchange(wide.text, getToken())).status).toBe(200);
  });

  test("without settings no issuer is trusted", async () => {
    const bare = await signIn.gateway.addProject();
    expect((await signIn.exchange(bare.secret, getToken())).body).toEqual(
      refusal(409, "Conflict", "SSO is not configured"),
    );
  });
});
