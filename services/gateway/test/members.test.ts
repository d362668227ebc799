// Members of the dashboard: link, cookie, session, and the API as they may use it.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres, until } from "@pay/testing";
import { newId, newSecret } from "@pay/values";
import { ROUTES } from "../src/index.ts";
import { createOwnerLink, runBootstrap, runDashboardLink } from "../src/operator/members.ts";
import { type Circumstances, createAuthenticator } from "./authenticator.ts";
import { type Answer, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

const PEPPER = "pepper-of-the-tests-0123456789-abcdef";
const HOUR_MS = 60 * 60_000;
const SAME = { "sec-fetch-site": "same-origin" };
const ME = "/v1/projects/me";

describeWithPostgres("members", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let rival: TestProject;
  let aheadMs = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  beforeAll(async () => {
    gateway = await startTestGateway({ clock, bounds: { keyCacheMs: 100 } });
    shop = await gateway.addProject();
    rival = await gateway.addProject();
  });
  afterAll(() => gateway?.stop());

  function surroundings(baseUrl = "http://127.0.0.1:8080") {
    return { baseUrl, gatewayDatabaseUrl: gateway.databaseUrl, gatewayKeyPepper: PEPPER };
  }

  async function link(email = `${newId("mem")}@shop.example`.toLowerCase()) {
    const owner = { email, name: "Ane", projectId: shop.id };
    const { dashboard, memberId } = await createOwnerLink(surroundings(), owner);
    return { email, memberId, path: new URL(dashboard).pathname, dashboard };
  }

  function press(path: string, headers: Record<string, string> = SAME) {
    return gateway.ask("POST", path, { headers });
  }

  function readSession(cookie: string) {
    return gateway.ask("GET", "/dashboard/session", { headers: { ...SAME, cookie } });
  }

  function getCookie({ headers }: Answer): string {
    const [set = ""] = headers["set-cookie"] ?? [];
    return set.split(";")[0] ?? "";
  }

  /** A member who is signed in, with the roles of the shop. */
  async function signIn(roles: { live?: string | null; test?: string | null } = {}) {
    const made = await link();
    const { live = "owner", test: inTest = "owner" } = roles;
    await gateway.pool.query(
      "update memberships set live_role = $2, test_role = $3 where member_id = $1",
      [made.memberId, live, inTest],
    );
    const cookie = getCookie(await press(made.path));
    const { body } = await readSession(cookie);
    return { ...made, cookie, session: body };
  }

  type Signed = Awaited<ReturnType<typeof signIn>>;

  function as(
    { cookie, session }: Pick<Signed, "cookie" | "session">,
    more: Record<string, string> = {},
  ) {
    const headers = {
      ...SAME,
      cookie,
      "x-project": shop.id,
      "x-service-mode": "live",
      "x-csrf-token": session.csrfToken,
      ...more,
    };
    return (method: string, path: string, body?: object) =>
      gateway.ask(method, path, { headers, ...(body && { body }) });
  }

  function code({ status, headers }: Answer) {
    return [status, headers["x-error-code"]];
  }

  describe("a link", () => {
    test("opens with a press, once, and its session says who is signed in", async () => {
      const { path, email, memberId } = await link();
      const page = await gateway.ask("GET", path);
      expect([page.status, page.headers["set-cookie"]]).toEqual([200, undefined]);
      expect(page.text).not.toContain(path);
      const opened = await press(path);
      expect([opened.status, opened.headers.location]).toEqual([303, "/dashboard"]);
      const [set] = opened.headers["set-cookie"] as string[];
      expect(set).toMatch(/^pay_8080=dash_\w{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=43200$/);
      expect(code(await press(path))).toEqual([403, "link_invalid"]);
      const cookie = getCookie(opened);
      const answer = await readSession(cookie);
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
      expect(answer.body).toEqual({
        member: { id: memberId, name: "Ane", email },
        csrfToken: expect.stringMatching(/^[\w-]{43}$/),
        memberships: [
          {
            projectId: shop.id,
            projectName: "Shop",
            liveScopes: "all",
            testScopes: "all",
            liveRole: "owner",
            testRole: "owner",
          },
        ],
        methods: { passkey: true, oidc: null },
        needsPasskey: false,
        confirmedAt: null,
      });
    });

    test("opens one sign-in only, also for two presses at once", async () => {
      const { path } = await link();
      const answers = await Promise.all([press(path), press(path), press(path)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403]);
    });

    test("opens nothing from another page, after its time, unknown, or of a disabled member", async () => {
      const { path, memberId } = await link();
      for (const headers of [
        {},
        { "sec-fetch-site": "cross-site" },
        { origin: "https://x.example" },
      ]) {
        expect(code(await press(path, headers))).toEqual([403, "link_invalid"]);
      }
      await gateway.pool.query("update members set disabled_at = now() where id = $1", [memberId]);
      expect(code(await press(path))).toEqual([403, "link_invalid"]);
      const late = await link();
      aheadMs = 15 * 60_000;
      try {
        expect(code(await press(late.path))).toEqual([403, "link_invalid"]);
      } finally {
        aheadMs = 0;
      }
      expect((await press(late.path)).status).toBe(303);
      for (const token of ["x", newSecret("link_"), "%00"]) {
        expect((await press(`/dashboard/link/${token}`)).status).toBe(403);
      }
    });

    test("is one digest in its table, and so is a sign-in", async () => {
      const { path, cookie } = await signIn();
      const { rows } = await gateway.pool.query(
        "select l::text as row from one_time_links l union all select s::text from member_sessions s",
      );
      const stored = rows.map(({ row }) => row).join("\n");
      expect(stored).not.toContain(path.split("/").at(-1));
      expect(stored).not.toContain(cookie.split("=")[1]);
    });

    test("of 127.0.0.1 leads to localhost", async () => {
      const { path, dashboard } = await link();
      expect(dashboard).toBe(`http://localhost:8080${path}`);
      const headers = { host: "127.0.0.1:8080" };
      const answer = await gateway.ask("GET", path, { headers });
      expect([answer.status, answer.headers.location]).toEqual([307, dashboard]);
    });
  });

  describe("the API", () => {
    test("serves a member with the project and mode that the headers name", async () => {
      const owner = await signIn();
      expect((await as(owner)("GET", ME)).body).toMatchObject({ id: shop.id, name: "Shop" });
      const inTest = as(owner, { "x-service-mode": "test" });
      expect(code(await inTest("PUT", ME, { name: "Mugs" }))).toEqual([403, "live_key_required"]);
      expect((await as(owner)("PUT", ME, { name: "Mugs" })).body.name).toBe("Mugs");
      expect(code(await as(owner, { "x-service-mode": "both" })("GET", ME))).toEqual([
        400,
        "field_invalid",
      ]);
      const { body } = await as(owner)("PUT", ME, { name: "Shop" });
      expect(body.name).toBe("Shop");
    });

    test("answers a project of others as one that does not exist", async () => {
      const owner = await signIn();
      const answers = await Promise.all(
        [rival.id, newId("proj"), "nonsense"].map((id) =>
          as(owner, { "x-project": id })("GET", ME),
        ),
      );
      for (const answer of answers) {
        expect(answer.body).toEqual(answers[0]?.body);
        expect(code(answer)).toEqual([404, "project_not_found"]);
      }
    });

    test("does without the cookie from another page, and without the token no write", async () => {
      const owner = await signIn();
      for (const site of ["cross-site", "same-site", "none"]) {
        const answer = await as(owner, { "sec-fetch-site": site })("GET", ME);
        expect(code(answer)).toEqual([401, "api_key_invalid"]);
        const session = await gateway.ask("GET", "/dashboard/session", {
          headers: { cookie: owner.cookie, "sec-fetch-site": site },
        });
        expect(code(session)).toEqual([401, "sign_in_invalid"]);
      }
      const other = await signIn();
      for (const token of ["", "x", other.session.csrfToken]) {
        const answer = await as(owner, { "x-csrf-token": token })("PUT", ME, { name: "Taken" });
        expect(code(answer)).toEqual([403, "csrf_token_invalid"]);
        const out = await as(owner, { "x-csrf-token": token })("POST", "/dashboard/sign-out");
        expect(code(out)).toEqual([403, "csrf_token_invalid"]);
      }
      expect((await as(owner)("GET", ME)).body.name).toBe("Shop");
      const { "sec-fetch-site": _, ...headers } = { ...SAME, cookie: owner.cookie };
      const own = { ...headers, origin: "http://localhost:8080" };
      expect((await gateway.ask("GET", "/dashboard/session", { headers: own })).status).toBe(200);
    });

    test("refuses a cookie beside a key, and a cookie that comes twice", async () => {
      const owner = await signIn();
      for (const header of ["x-secret-key", "x-publishable-key", "authorization"]) {
        const answer = await as(owner, { [header]: shop.secret })("GET", ME);
        expect(code(answer)).toEqual([400, "credentials_ambiguous"]);
      }
      const twice = { ...owner, cookie: `${owner.cookie}; ${owner.cookie}` };
      expect((await as(twice)("GET", ME)).status).toBe(401);
      const guess = { ...owner, cookie: `pay_8080=${newSecret("dash_")}` };
      expect(code(await as(guess)("GET", ME))).toEqual([401, "sign_in_invalid"]);
    });

    test("names the scope that a role lacks, and opens no route to a member without a role", async () => {
      const viewer = await signIn({ live: "viewer", test: null });
      const answer = await as(viewer)("PUT", ME, { name: "Taken" });
      expect(code(answer)).toEqual([403, "scope_missing"]);
      expect(answer.body.message).toBe("Your role lacks the scope projects:write");
      const routes = ROUTES.filter(({ auth }) => auth === "secret");
      const answers = await Promise.all(
        routes.map(async ({ method, path, id }) => {
          const named = path
            .replace("{id}", `${id?.prefix}_${"A".repeat(24)}`)
            .replace(/\{\w+\}/g, "1");
          const body = method === "POST" || method === "PUT" ? {} : undefined;
          const { status } = await as(viewer, { "x-service-mode": "test" })(method, named, body);
          return [`${method} ${path}`, status];
        }),
      );
      expect(answers).toEqual(routes.map(({ method, path }) => [`${method} ${path}`, 403]));
      const chains = await as(viewer, { "x-service-mode": "test" })("GET", "/v1/chains");
      expect(code(chains)).toEqual([403, "scope_missing"]);
      const unknown = await signIn({ live: "emperor" });
      expect((await as(unknown)("GET", ME)).status).toBe(403);
    });

    test("asks an owner for a confirmation before keys, origins and wallets", async () => {
      const owner = await signIn();
      const calls: [string, string, object?][] = [
        ["POST", `${ME}/keys`, { type: "secret", mode: "live" }],
        ["GET", `${ME}/keys`],
        ["PUT", ME, { allowedOrigins: ["https://evil.example"] }],
        ["PUT", ME, { payoutWallets: [] }],
        ["POST", `/v1/settlements/${newId("stl")}/approve`],
        ["DELETE", `/v1/customers/${newId("cust")}`],
      ];
      for (const [method, path, body] of calls) {
        expect(code(await as(owner)(method, path, body))).toEqual([401, "confirmation_required"]);
      }
      await gateway.pool.query(
        "update member_sessions set confirmed_at = now() where member_id = $1",
        [owner.memberId],
      );
      await until(async () => (await as(owner)("GET", `${ME}/keys`)).status === 200, {
        what: "a confirmed sign-in",
      });
      const made = await as(owner)("POST", `${ME}/keys`, { type: "secret", mode: "live" });
      expect(made.body.createdBy).toBe(owner.memberId);
      aheadMs = 10 * 60_000;
      try {
        expect(code(await as(owner)("GET", `${ME}/keys`))).toEqual([401, "confirmation_required"]);
      } finally {
        aheadMs = 0;
      }
    });
  });

  describe("a sign-in", () => {
    test("ends by itself when it is not used, and at last however much it is used", async () => {
      const owner = await signIn();
      async function statusAfter(ms: number) {
        aheadMs = ms;
        return (await as(owner)("GET", ME)).status;
      }

      try {
        for (let minutes = 0; minutes < 12 * 60; minutes += 29) {
          expect([minutes, await statusAfter(minutes * 60_000)]).toEqual([minutes, 200]);
        }
        expect(await statusAfter(12 * HOUR_MS)).toBe(401);
        aheadMs = 0;
        const idle = await signIn();
        aheadMs = 30 * 60_000;
        expect(code(await as(idle)("GET", ME))).toEqual([401, "sign_in_invalid"]);
      } finally {
        aheadMs = 0;
      }
    });

    test("ends at once where the member signs out", async () => {
      const owner = await signIn();
      const out = await as(owner)("POST", "/dashboard/sign-out");
      expect(out.status).toBe(204);
      expect(getCookie(out)).toBe("pay_8080=");
      expect(code(await as(owner)("GET", ME))).toEqual([401, "sign_in_invalid"]);
    });

    test.each([
      [
        "the sign-in is ended",
        "update member_sessions set ended_at = now() where member_id = $1",
        401,
      ],
      ["the member is disabled", "update members set disabled_at = now() where id = $1", 401],
      ["the member is deleted", "delete from members where id = $1", 401],
      ["the membership is removed", "delete from memberships where member_id = $1", 404],
      ["the role is taken", "update memberships set live_role = null where member_id = $1", 403],
    ])(
      "works no longer than the cache after %s on another replica",
      async (_, statement, status) => {
        const owner = await signIn();
        expect((await as(owner)("GET", ME)).status).toBe(200);
        await gateway.pool.query(statement, [owner.memberId]);
        await until(async () => (await as(owner)("GET", ME)).status === status, {
          what: "the end",
        });
      },
    );
  });

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
      expect(code(await as(rival)("GET", `${ME}/keys`))).toEqual([401, "confirmation_required"]);
      expect((await confirm(owner, 2)).status).toBe(204);
      expect((await as(owner)("GET", `${ME}/keys`)).status).toBe(200);
      aheadMs = 10 * 60_000;
      try {
        expect(code(await as(owner)("GET", `${ME}/keys`))).toEqual([401, "confirmation_required"]);
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
      expect(code(await secure.ask("GET", ME, { headers }))).toEqual([403, "passkey_required"]);
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

  test("the operator makes an owner and further links", async () => {
    const env = {
      GATEWAY_DATABASE_URL: gateway.databaseUrl,
      GATEWAY_KEY_PEPPER: PEPPER,
      PUBLIC_URL: "http://127.0.0.1:8080",
    };
    async function run(command: typeof runBootstrap, ...args: string[]) {
      let out = "";
      let err = "";
      const code = await command([...args, "--json"], env, {
        out: (text) => {
          out += text;
        },
        err: (text) => {
          err += text;
        },
      });
      return { code, err, result: out === "" ? undefined : JSON.parse(out) };
    }

    const made = await run(runBootstrap, "--email", "Jonas@Shop.example", "--project", shop.id);
    expect(made).toMatchObject({ code: 0, result: { projectId: shop.id } });
    const again = await run(runDashboardLink, "--email", "jonas@shop.example");
    for (const { result } of [made, again]) {
      expect((await press(new URL(result.dashboard).pathname)).status).toBe(303);
    }
    expect((await run(runDashboardLink)).err).toContain("several members");
    expect((await run(runDashboardLink, "--email", "no@shop.example")).code).toBe(1);
    expect((await run(runBootstrap, "--email", "a@b.example")).err).toContain("--project");
    expect((await run(runBootstrap, "--email", "nobody")).code).toBe(1);
  });
});
