// Passkeys of members of the dashboard.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { createOwnerLink } from "../src/operator/members.ts";
import { type Circumstances, createAuthenticator } from "./authenticator.ts";
import { type Answer, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { code, createMembers, getCookie, ME, SAME, type Signed } from "./members.ts";

const ACCOUNT = "/dashboard/account";

describeWithPostgres("passkeys of members", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  beforeAll(async () => {
    gateway = await startTestGateway({ clock, bounds: { keyCacheMs: 100 } });
    shop = await gateway.addProject();
  });
  afterAll(() => gateway?.stop());
  const { surroundings, readSession, signIn, as } = createMembers(
    () => gateway,
    () => shop,
  );

  describe("a passkey", () => {
    /** What the server offers, with the cookie that belongs to it. */
    async function ask(path: string, { cookie, session }: Pick<Signed, "cookie" | "session">) {
      const answer = await as({ cookie, session })("POST", path, {});
      return { challenge: answer.body.challenge as string, options: answer.body, answer };
    }

    function collectCookies(answer: Answer, besides = "") {
      return [besides, getCookie(answer)].filter((part) => part !== "").join("; ");
    }

    async function add(owner: Signed, device = createAuthenticator(), seen: Circumstances = {}) {
      const offered = await ask("/dashboard/passkeys/options", owner);
      const cookie = collectCookies(offered.answer, owner.cookie);
      const send = as({ ...owner, cookie });
      const body = { ...device.add(offered.challenge, seen), name: "Laptop" };
      const answer = await send("POST", "/dashboard/passkeys", body);
      return { device, offered, answer, again: () => send("POST", "/dashboard/passkeys", body) };
    }

    const nobody = { cookie: "", session: { csrfToken: "" } };

    async function enter(
      device: ReturnType<typeof createAuthenticator>,
      seen: Circumstances = {},
      passMs = 0,
    ) {
      const { challenge, answer } = await ask("/dashboard/sign-in/options", nobody);
      const headers = { ...SAME, cookie: collectCookies(answer) };
      const body = device.answer(challenge, seen);
      aheadMs += passMs;
      const send = (more: Record<string, string> = {}) =>
        gateway.ask("POST", "/dashboard/sign-in", { headers: { ...headers, ...more }, body });
      return { entered: await send(), send };
    }

    test("is added once, for the host of the dashboard, and signs its member in", async () => {
      const owner = await signIn();
      const { device, offered, answer, again } = await add(owner);
      expect(offered.options).toMatchObject({
        rp: { id: "localhost" },
        user: { name: owner.email, displayName: "Ane" },
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      });
      expect(answer.status).toBe(204);
      expect(code(await again())).toEqual([403, "passkey_invalid"]);
      const { entered, send } = await enter(device);
      expect(entered.status).toBe(204);
      expect(code(await send())).toEqual([403, "passkey_invalid"]);
      const cookie = getCookie(entered);
      const session = await readSession(cookie);
      expect(session.body.member.id).toBe(owner.memberId);
      const keys = await as({ cookie, session: session.body })("GET", `${ME}/keys`);
      expect(keys.status).toBe(200);
      const next = await ask("/dashboard/passkeys/options", owner);
      expect(next.options.excludeCredentials).toMatchObject([
        { id: device.id.toString("base64url") },
      ]);
    });

    test("opens nothing from elsewhere, without its holder, late, or with a counter that goes back", async () => {
      const owner = await signIn();
      const { device } = await add(owner);
      const refused: Circumstances[] = [
        { origin: "https://evil.example" },
        { host: "evil.example" },
        { isVerified: false },
      ];
      for (const seen of refused) {
        expect(code((await enter(device, seen)).entered)).toEqual([403, "passkey_invalid"]);
        const other = await add(await signIn(), createAuthenticator(), seen);
        expect(code(other.answer)).toEqual([403, "passkey_invalid"]);
      }
      expect(code((await enter(createAuthenticator())).entered)).toEqual([403, "passkey_invalid"]);
      try {
        const late = await enter(device, {}, 5 * 60_000);
        expect(code(late.entered)).toEqual([403, "passkey_invalid"]);
      } finally {
        aheadMs = 0;
      }
      expect((await enter(device, { counter: 7 })).entered.status).toBe(204);
      for (const counter of [0, 6, 7]) {
        const { entered } = await enter(device, { counter });
        expect(code(entered)).toEqual([403, "passkey_invalid"]);
      }
      const { send } = await enter(device, { counter: 8 });
      const elsewhere = await send({ "sec-fetch-site": "cross-site" });
      expect(code(elsewhere)).toEqual([401, "sign_in_invalid"]);
      const disable = "update members set disabled_at = now() where id = $1";
      await gateway.pool.query(disable, [owner.memberId]);
      expect((await enter(device, { counter: 9 })).entered.status).toBe(403);
    });

    test("answers a challenge of its own browser only, and of two answers at once one counts", async () => {
      const { device } = await add(await signIn());
      const mine = await ask("/dashboard/sign-in/options", nobody);
      const other = await ask("/dashboard/sign-in/options", nobody);
      const body = device.answer(mine.challenge);
      const send = (cookie: string) =>
        gateway.ask("POST", "/dashboard/sign-in", { headers: { ...SAME, cookie }, body });
      for (const cookie of ["", collectCookies(other.answer), "pay_8080_passkey=x"]) {
        expect(code(await send(cookie))).toEqual([403, "passkey_invalid"]);
      }
      const cookie = collectCookies(mine.answer);
      const answers = await Promise.all([send(cookie), send(cookie), send(cookie)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 403, 403]);
      const wrong = { headers: { ...SAME, cookie }, body: { id: 1 } };
      const malformed = await gateway.ask("POST", "/dashboard/sign-in", wrong);
      expect(code(malformed)).toEqual([400, "field_invalid"]);
    });

    test("stays one of at most twenty, also when several are added at once", async () => {
      const owner = await signIn();
      await gateway.pool.query(
        `insert into passkeys (credential_id, member_id, public_key, counter, transports, name, backed_up, created_at)
         select convert_to($1 || n, 'UTF8'), $1, 'x', 0, '{}', 'Old', false, now() from generate_series(1, 18) n`,
        [owner.memberId],
      );
      const added = await Promise.all([1, 2, 3, 4].map(() => add(owner)));
      const statuses = added.map(({ answer }) => answer.status).sort();
      expect(statuses).toEqual([204, 204, 403, 403]);
      const { body } = await as(owner)("GET", `${ACCOUNT}/details`);
      expect(body.passkeys).toHaveLength(20);
    });

    test("is listed, renamed and removed by its member alone, after a confirmation", async () => {
      const owner = await signIn();
      const { device } = await add(owner);
      const rival = await signIn();
      const path = `${ACCOUNT}/passkeys/${device.id.toString("base64url")}`;
      expect((await as(owner)("PUT", path, { name: " Work laptop " })).status).toBe(204);
      expect(code(await as(owner)("PUT", path, { name: "" }))).toEqual([400, "field_invalid"]);
      for (const [method, body] of [
        ["PUT", { name: "Taken" }],
        ["DELETE", undefined],
      ] as const) {
        expect(code(await as(rival)(method, path, body))).toEqual([404, "not_found"]);
        const forged = await as(owner, { "x-csrf-token": "x" })(method, path, body);
        expect(code(forged)).toEqual([403, "csrf_token_invalid"]);
      }
      const listed = await as(owner)("GET", `${ACCOUNT}/details`);
      expect(listed.body.passkeys).toEqual([
        {
          id: device.id.toString("base64url"),
          name: "Work laptop",
          isBackedUp: false,
          createdAt: expect.any(String),
          lastUsedAt: null,
        },
      ]);
      aheadMs = 10 * 60_000;
      try {
        expect(code(await as(owner)("DELETE", path))).toEqual([401, "confirmation_required"]);
      } finally {
        aheadMs = 0;
      }
      expect((await as(owner)("DELETE", path)).status).toBe(204);
      expect(code((await enter(device)).entered)).toEqual([403, "passkey_invalid"]);
    });

    test("that is lost is replaced by a recovery code, which opens nothing else and only once", async () => {
      const owner = await signIn();
      await add(owner);
      const made = await as(owner)("POST", `${ACCOUNT}/recovery-codes`);
      const codes: string[] = made.body.codes;
      expect(new Set(codes).size).toBe(10);
      expect(made.headers["cache-control"]).toBe("no-store");
      const { rows } = await gateway.pool.query("select c::text as row from recovery_codes c");
      expect(rows.map(({ row }) => row).join()).not.toContain(codes[0]);
      function recover(email: string, given = "") {
        const body = { email, code: given };
        return gateway.ask("POST", "/dashboard/recovery", { headers: SAME, body });
      }

      const [first = "", second = "", third = ""] = codes;
      const other = await signIn();
      for (const answer of [
        await recover(other.email, first),
        await recover(owner.email, "0000-0000-0000-0000"),
      ]) {
        expect(code(answer)).toEqual([403, "recovery_code_invalid"]);
      }
      const spelled = ` ${first.toUpperCase().replaceAll("-", " ")}`;
      const opened = await recover(owner.email.toUpperCase(), spelled);
      expect(opened.status).toBe(204);
      expect(code(await recover(owner.email, first))).toEqual([403, "recovery_code_invalid"]);
      const cookie = getCookie(opened);
      const { body: session } = await readSession(cookie);
      expect(session).toMatchObject({ needsPasskey: true, hasPasskey: true, memberships: [] });
      const recovered = { ...owner, cookie, session };
      for (const [method, path] of [
        ["GET", ME],
        ["GET", `${ACCOUNT}/details`],
        ["POST", `${ACCOUNT}/recovery-codes`],
        ["DELETE", `${ACCOUNT}/sign-ins`],
      ] as const) {
        expect(code(await as(recovered)(method, path))).toEqual([403, "passkey_required"]);
      }
      expect((await add(recovered)).answer.status).toBe(204);
      expect((await as(recovered)("GET", ME)).status).toBe(200);
      const left = await as(recovered)("GET", `${ACCOUNT}/details`);
      expect(left.body.recoveryCodes).toEqual({ left: 9 });

      const raced = await Promise.all([1, 2, 3].map(() => recover(owner.email, second)));
      expect(raced.map(({ status }) => status).sort()).toEqual([204, 403, 403]);
      expect((await as(recovered)("POST", `${ACCOUNT}/recovery-codes`)).status).toBe(200);
      expect(code(await recover(owner.email, third))).toEqual([403, "recovery_code_invalid"]);
    });

    test("confirms its member for ten minutes, and nobody else", async () => {
      const owner = await signIn();
      const { device } = await add(owner);
      const rival = await signIn();
      async function confirm(who: Signed, counter: number) {
        const { challenge, answer } = await ask("/dashboard/confirm/options", who);
        const both = { ...who, cookie: collectCookies(answer, who.cookie) };
        return as(both)("POST", "/dashboard/confirm", device.answer(challenge, { counter }));
      }

      expect(code(await confirm(rival, 1))).toEqual([403, "passkey_invalid"]);
      const key = { type: "secret", mode: "live" };
      expect(code(await as(rival)("POST", `${ME}/keys`, key))).toEqual([
        401,
        "confirmation_required",
      ]);
      expect((await confirm(owner, 2)).status).toBe(204);
      expect((await as(owner)("POST", `${ME}/keys`, key)).status).toBe(201);
      aheadMs = 10 * 60_000;
      try {
        expect(code(await as(owner)("POST", `${ME}/keys`, key))).toEqual([
          401,
          "confirmation_required",
        ]);
        const { answer } = await ask("/dashboard/passkeys/options", owner);
        expect(code(answer)).toEqual([401, "confirmation_required"]);
        expect((await ask("/dashboard/passkeys/options", rival)).answer.status).toBe(200);
      } finally {
        aheadMs = 0;
      }
      const forged = as(owner, { "x-csrf-token": "x" });
      for (const path of ["passkeys/options", "passkeys", "confirm/options", "confirm"]) {
        const answer = await forged("POST", `/dashboard/${path}`, {});
        expect(code(answer)).toEqual([403, "csrf_token_invalid"]);
      }
    });
  });

  test("in an installation with https a link opens nothing but the way to a passkey", async () => {
    const secure = await startTestGateway({
      env: { PUBLIC_URL: "https://pay.example", REQUIRE_HTTPS: "0" },
    });
    try {
      const project = await secure.addProject();
      const from = {
        ...surroundings("https://pay.example"),
        gatewayDatabaseUrl: secure.databaseUrl,
      };
      const owner = { email: "ane@shop.example", name: "Ane", projectId: project.id };
      const { dashboard } = await createOwnerLink(from, owner);
      const opened = await secure.ask("POST", new URL(dashboard).pathname, { headers: SAME });
      const [set = ""] = opened.headers["set-cookie"] ?? [];
      expect(set).toMatch(/^__Host-pay=dash_\w{43}; Path=\/; .*; Secure$/);
      const headers = {
        ...SAME,
        cookie: set.split(";")[0] ?? "",
        "x-project": project.id,
        "x-service-mode": "live",
      };
      const { body: session } = await secure.ask("GET", "/dashboard/session", { headers });
      expect(session).toMatchObject({ needsPasskey: true, memberships: [] });
      expect(code(await secure.ask("GET", ME, { headers }))).toEqual([403, "passkey_required"]);
      const closed = await secure.ask("GET", `${ACCOUNT}/details`, { headers });
      expect(code(closed)).toEqual([403, "passkey_required"]);

      const device = createAuthenticator();
      const seen = { origin: "https://pay.example", host: "pay.example" };
      async function send(path: string, cookie: string, body: object) {
        const by = { ...headers, cookie, "x-csrf-token": session.csrfToken };
        return secure.ask("POST", `/dashboard/${path}`, { headers: by, body });
      }

      const offered = await send("passkeys/options", headers.cookie, {});
      const both = `${headers.cookie}; ${getCookie(offered)}`;
      const added = await send("passkeys", both, device.add(offered.body.challenge, seen));
      expect(added.status).toBe(204);
      expect((await secure.ask("GET", ME, { headers })).status).toBe(200);
      const { body: account } = await secure.ask("GET", `${ACCOUNT}/details`, { headers });
      const by = { ...headers, "x-csrf-token": session.csrfToken };
      const only = `${ACCOUNT}/passkeys/${account.passkeys[0].id}`;
      expect(code(await secure.ask("DELETE", only, { headers: by }))).toEqual([
        409,
        "passkey_last",
      ]);
      const asked = await send("sign-in/options", "", {});
      expect(asked.headers["set-cookie"]?.[0]).toMatch(
        /^__Host-pay_passkey=.*; HttpOnly; .*Secure$/,
      );
      const answer = device.answer(asked.body.challenge, seen);
      const cookie = getCookie(await send("sign-in", getCookie(asked), answer));
      const shown = await secure.ask("GET", ME, { headers: { ...headers, cookie } });
      expect(shown.status).toBe(200);
    } finally {
      await secure.stop();
    }
  });
});
