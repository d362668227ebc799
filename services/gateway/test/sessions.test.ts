// How long a session lasts, which key it needs, and that it opens no route of the merchant's.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { newSecret } from "@pay/values";
import { ROUTES } from "../src/index.ts";
import { purgeExpired } from "../src/sessions/storage.ts";
import type { TestProject } from "./gateway.ts";
import { NO_KEY, NO_SESSION, type SignIn, startSignIn } from "./sso.ts";

const HOUR_MS = 3_600_000;

describeWithPostgres("a session", () => {
  let signIn: SignIn;
  let shop: TestProject;
  beforeAll(async () => {
    signIn = await startSignIn({ bounds: { keyCacheMs: 1 } });
  });
  beforeEach(async () => {
    shop = await signIn.addShop();
  });
  afterAll(() => signIn?.stop());

  async function works(session: string, key = shop.publishable) {
    const { status, body } = await signIn.use(session, key);
    if (status !== 200) expect(body).toEqual(NO_SESSION);
    return status === 200;
  }

  async function openMany(count: number, sub: string, secret = shop.secret) {
    const sessions: string[] = [];
    for (let n = 0; n < count; n++) {
      sessions.push(await signIn.open(secret, { sub }));
      signIn.move(1_000);
    }
    return sessions;
  }

  async function working(sessions: string[], key = shop.publishable) {
    return Promise.all(sessions.map((session) => works(session, key)));
  }

  test("lasts an hour, and its use does not prolong it", async () => {
    const session = await signIn.open(shop.secret);
    signIn.move(HOUR_MS / 2);
    expect(await works(session)).toBe(true);
    signIn.move(HOUR_MS / 2 - 1);
    expect(await works(session)).toBe(true);
    signIn.move(1);
    expect(await works(session)).toBe(false);
  });

  test("the sixth of a subject ends the subject's oldest one and no other", async () => {
    const other = await signIn.open(shop.secret, { sub: "other" });
    const sessions = await openMany(5, "zoe");
    expect(await working(sessions)).toEqual([true, true, true, true, true]);
    sessions.push(...(await openMany(1, "zoe")));
    expect(await working(sessions)).toEqual([false, true, true, true, true, true]);
    sessions.push(...(await openMany(1, "zoe")));
    expect(await working(sessions)).toEqual([false, false, true, true, true, true, true]);
    expect(await works(other)).toBe(true);
  });

  test("a new one takes the place of an ended one before it ends an active one", async () => {
    const old = await openMany(3, "zoe");
    signIn.move(HOUR_MS / 2);
    const recent = await openMany(2, "zoe");
    signIn.move(HOUR_MS / 2);
    recent.push(...(await openMany(3, "zoe")));
    expect(await working(old)).toEqual([false, false, false]);
    expect(await working(recent)).toEqual([true, true, true, true, true]);
  });

  test("of many at once, five stay active", async () => {
    const sessions = await Promise.all(
      Array.from({ length: 12 }, () => signIn.open(shop.secret, { sub: "zoe" })),
    );
    expect(new Set(sessions).size).toBe(12);
    expect((await working(sessions)).filter(Boolean).length).toBe(5);
  });

  test("a subject has five in each mode and in each project", async () => {
    const neighbour = await signIn.addShop();
    const live = await openMany(5, "zoe");
    const trial = await openMany(5, "zoe", shop.testSecret);
    const elsewhere = await openMany(5, "zoe", neighbour.secret);
    const all = Array(5).fill(true);
    expect(await working(live)).toEqual(all);
    expect(await working(trial, shop.testPublishable)).toEqual(all);
    expect(await working(elsewhere, neighbour.publishable)).toEqual(all);
  });

  test("works beside a publishable key of its own project and mode only", async () => {
    const session = await signIn.open(shop.secret);
    const neighbour = await signIn.addShop();
    expect(await works(session)).toBe(true);
    expect(await works(session, shop.testPublishable)).toBe(false);
    expect(await works(session, neighbour.publishable)).toBe(false);
    const trial = await signIn.open(shop.testSecret);
    expect(await works(trial, shop.testPublishable)).toBe(true);
    expect(await works(trial)).toBe(false);
  });

  test("needs the key beside it, and not a secret one", async () => {
    const authorization = `Bearer ${await signIn.open(shop.secret)}`;
    for (const headers of [
      {},
      { "x-publishable-key": shop.secret },
      { "x-publishable-key": "pk_live_nonsense" },
      { "x-secret-key": shop.secret },
      { "x-secret-key": shop.secret, "x-publishable-key": shop.publishable },
      { "x-secret-key": "sk_live_nonsense", "x-publishable-key": shop.publishable },
    ]) {
      const asked = { headers: { authorization, ...headers } as Record<string, string> };
      expect((await signIn.gateway.ask("GET", "/v1/payments", asked)).body).toEqual(NO_KEY);
    }
  });

  test("is known by its exact spelling, in its header alone", async () => {
    const session = await signIn.open(shop.secret);
    function ask(authorization: string, query = "") {
      return signIn.gateway.ask("GET", `/v1/payments${query}`, {
        headers: { authorization, "x-publishable-key": shop.publishable },
      });
    }

    expect((await ask(`bearer  ${session}`)).status).toBe(200);
    for (const wrong of [
      newSecret("sess_"),
      session.slice(0, -1),
      `${session}0`,
      `${session} `.concat("x"),
      `sess_${session}`,
      session.toUpperCase().replace("SESS_", "sess_"),
    ]) {
      expect((await ask(`Bearer ${wrong}`)).body).toEqual(NO_SESSION);
    }
    for (const no of [session, `Basic ${session}`, "Bearer x", ""]) {
      expect((await ask(no)).body).toEqual(NO_KEY);
    }
    expect((await ask(`Bearer ${session}`, `?session=${session}`)).body).toEqual(NO_KEY);
    expect((await ask("", `?after=${session}`)).body).toEqual(NO_KEY);
  });

  test("does not end with the secret key that made it, but needs a valid publishable one", async () => {
    const own = await signIn.gateway.addKey(shop.id, { type: "secret" });
    const shown = await signIn.gateway.addKey(shop.id, { type: "publishable" });
    const session = await signIn.open(own.text);
    function revoke(id: string) {
      return signIn.gateway.ask("DELETE", `/v1/projects/me/keys/${id}`, {
        headers: { "x-secret-key": shop.secret },
      });
    }

    expect((await revoke(own.id)).status).toBe(200);
    expect(await works(session, shown.text)).toBe(true);
    expect((await revoke(shown.id)).status).toBe(200);
    expect((await signIn.use(session, shown.text)).body).toEqual(NO_KEY);
    expect(await works(session)).toBe(true);
  });

  test("those of a deleted project are deleted with it", async () => {
    const session = await signIn.open(shop.secret);
    await signIn.gateway.pool.query("delete from projects where id = $1", [shop.id]);
    const { rows } = await signIn.gateway.pool.query(
      "select from sessions where project_id = $1 union all select from sso_tokens where project_id = $1",
      [shop.id],
    );
    expect(rows).toEqual([]);
    expect((await signIn.use(session, shop.publishable)).body).toEqual(NO_KEY);
    const neighbour = await signIn.addShop();
    expect((await signIn.use(session, neighbour.publishable)).body).toEqual(NO_SESSION);
  });

  test("and the digests of their tokens are deleted when they are no longer needed", async () => {
    await openMany(3, "zoe");
    const { pool } = signIn.gateway;
    async function count(table: string) {
      const { rows } = await pool.query(`select count(*)::int as n from ${table}`);
      return rows[0].n;
    }

    const before = await Promise.all([count("sessions"), count("sso_tokens")]);
    await purgeExpired(pool, new Date(0));
    expect(await Promise.all([count("sessions"), count("sso_tokens")])).toEqual(before);
    signIn.move(2 * HOUR_MS);
    while (await purgeExpired(pool, signIn.now()));
    expect(await Promise.all([count("sessions"), count("sso_tokens")])).toEqual([0, 0]);
  });

  const merchants = ROUTES.filter(({ auth, session }) => auth === "secret" && !session).map(
    ({ method, path, id }) => ({
      method,
      path: path.replace("{id}", `${id?.prefix}_${"A".repeat(24)}`).replace(/\{\w+\}/, "x"),
    }),
  );
  describe.each(merchants)("$method $path", ({ method, path }) => {
    test("stays closed to it", async () => {
      const session = await signIn.open(shop.secret);
      for (const key of [shop.publishable, undefined]) {
        const { body } = await signIn.gateway.ask(method, path, {
          headers: {
            authorization: `Bearer ${session}`,
            ...(key === undefined ? {} : { "x-publishable-key": key }),
          },
          ...(["POST", "PUT"].includes(method) ? { body: {} } : {}),
        });
        expect(body).toEqual(NO_KEY);
      }
    });
  });
});
