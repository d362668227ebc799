// A merchant ends the sessions of one shopper, for example after a lost phone or a changed wallet.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { refusal, type TestProject } from "./gateway.ts";
import { NO_SESSION, type SignIn, startSignIn } from "./sso.ts";

const REVOKE = "/v1/auth/sessions/revoke";

describeWithPostgres("ending a subject's sessions", () => {
  let signIn: SignIn;
  let replica: SignIn;
  let shop: TestProject;
  beforeAll(async () => {
    signIn = await startSignIn();
    replica = await startSignIn({ databaseUrl: signIn.gateway.databaseUrl });
  });
  beforeEach(async () => {
    shop = await signIn.addShop();
  });
  afterAll(async () => {
    await replica?.stop();
    await signIn?.stop();
  });

  function revoke(body: object, secret = shop.secret, headers = {}) {
    return signIn.gateway.ask("POST", REVOKE, {
      headers: { "x-secret-key": secret, ...headers },
      body,
    });
  }

  function open(sub: string, secret = shop.secret) {
    return signIn.open(secret, { sub });
  }

  async function works(session: string, key = shop.publishable, at = signIn) {
    const { status, body } = await at.use(session, key);
    if (status !== 200) expect(body).toEqual(NO_SESSION);
    return status === 200;
  }

  test("ends all of them at once on every replica, and no other subject's", async () => {
    const sessions = [await open("zoe"), await open("zoe")];
    const other = await open("yan");
    expect(await works(sessions[0] ?? "", shop.publishable, replica)).toBe(true);
    const { status, body } = await revoke({ subject: "zoe" });
    expect([status, body]).toEqual([200, { revoked: 2 }]);
    for (const session of sessions) {
      expect(await works(session)).toBe(false);
      expect(await works(session, shop.publishable, replica)).toBe(false);
    }
    expect(await works(other)).toBe(true);
    expect((await revoke({ subject: "zoe" })).body).toEqual({ revoked: 0 });
    expect(await works(await open("zoe"))).toBe(true);
  });

  test("counts active ones only", async () => {
    await open("zoe");
    signIn.move(2 * 3_600_000);
    await open("zoe");
    expect((await revoke({ subject: "zoe" })).body).toEqual({ revoked: 1 });
    await open("zoe");
    await signIn.configure(shop, null);
    expect((await revoke({ subject: "zoe" })).body).toEqual({ revoked: 0 });
  });

  test("reaches neither another project nor the other mode", async () => {
    const neighbour = await signIn.addShop();
    const theirs = await open("zoe", neighbour.secret);
    const trial = await open("zoe", shop.testSecret);
    const own = await open("zoe");
    expect((await revoke({ subject: "zoe" })).body).toEqual({ revoked: 1 });
    expect(await works(theirs, neighbour.publishable)).toBe(true);
    expect(await works(trial, shop.testPublishable)).toBe(true);
    expect(await works(own)).toBe(false);
    expect((await revoke({ subject: "zoe" }, shop.testSecret)).body).toEqual({ revoked: 1 });
    expect(await works(trial, shop.testPublishable)).toBe(false);
  });

  test("needs a secret key that may make sessions", async () => {
    const session = await open("zoe");
    const narrow = await signIn.gateway.addKey(shop.id, {
      type: "secret",
      scopes: ["customers:write"],
    });
    expect((await revoke({ subject: "zoe" }, narrow.text)).body).toEqual(
      refusal(403, "Forbidden", "API key lacks the scope sessions:write"),
    );
    const wide = await signIn.gateway.addKey(shop.id, {
      type: "secret",
      scopes: ["sessions:write"],
    });
    expect(await works(session)).toBe(true);
    expect((await revoke({ subject: "zoe" }, wide.text)).body).toEqual({ revoked: 1 });
  });

  test("under an Idempotency-Key gives its first answer again", async () => {
    await open("zoe");
    const repeat = { "idempotency-key": "end-1" };
    const first = await revoke({ subject: "zoe" }, shop.secret, repeat);
    const session = await open("zoe");
    const again = await revoke({ subject: "zoe" }, shop.secret, repeat);
    expect([again.headers["idempotent-replayed"], again.text]).toEqual(["true", first.text]);
    expect(await works(session)).toBe(true);
  });

  test("is answered to more callers at once than the pool has connections", async () => {
    const narrow = await startSignIn({
      databaseUrl: signIn.gateway.databaseUrl,
      env: { GATEWAY_DATABASE_POOL_MAX: "2" },
    });
    const session = await open("zoe");
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        narrow.gateway.ask("POST", REVOKE, {
          headers: { "x-secret-key": shop.secret },
          body: { subject: "zoe" },
        }),
      ),
    ).finally(narrow.stop);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.reduce((sum, { body }) => sum + body.revoked, 0)).toBe(1);
    expect(await works(session)).toBe(false);
  });

  test.each([
    [{}, "subject is required"],
    [{ subject: "" }, "subject must be a string of 1 to 255 characters"],
    [{ subject: 7 }, "subject must be a string of 1 to 255 characters"],
    [{ subject: "s".repeat(256) }, "subject must be a string of 1 to 255 characters"],
  ])("%j is a bad request", async (body, message) => {
    expect((await revoke(body)).body).toEqual(refusal(400, "Bad Request", message));
  });
});
