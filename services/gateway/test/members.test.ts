// Members of the dashboard: link, cookie, session, and the API as they may use it.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { describeWithPostgres, until } from "@pay/testing";
import { newId, newSecret } from "@pay/values";
import { ROUTES } from "../src/index.ts";
import { runBootstrap, runDashboardLink } from "../src/operator/members.ts";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { code, createMembers, getCookie, ME, PEPPER, SAME } from "./members.ts";

const HOUR_MS = 60 * 60_000;

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

  const { link, press, readSession, signIn, as } = createMembers(
    () => gateway,
    () => shop,
  );

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
            refundLimits: [],
            owners: expect.arrayContaining(["Ane"]),
          },
        ],
        methods: { passkey: true, oidc: null },
        needsPasskey: false,
        hasPasskey: false,
        confirmedAt: null,
      });
    });

    test("shows its sign-in page the ways to sign in, with or without a sign-in", async () => {
      const methods = { passkey: true, oidc: null };
      const { cookie } = await signIn();
      for (const [headers, signedIn] of [
        [{ ...SAME, cookie }, true],
        [SAME, false],
        [{ ...SAME, cookie: `pay_8080=dash_${"A".repeat(43)}` }, false],
      ] as const) {
        const answer = await gateway.ask("GET", "/dashboard/sign-in/methods", { headers });
        expect([answer.status, answer.body]).toEqual([200, { signedIn, methods }]);
      }
    });

    test("opens the dashboard in test mode where its address says so", async () => {
      const { path } = await link();
      const opened = await press(`${path}?mode=test`);
      expect(opened.headers.location).toBe("/dashboard?mode=test");
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
      // Two of them, because a member has a limit of requests.
      const viewers = [viewer, await signIn({ live: "viewer", test: null })];
      const answers = await Promise.all(
        routes.map(async ({ method, path, id }, at) => {
          const named = path
            .replace("{id}", `${id?.prefix}_${"A".repeat(24)}`)
            .replace(/\{\w+\}/g, "1");
          const body = method === "POST" || method === "PUT" ? {} : undefined;
          const place = { "x-service-mode": "test" };
          const { status } = await as(viewers[at % 2] ?? viewer, place)(method, named, body);
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
        ["POST", `${ME}/keys/${newId("key")}/roll`, {}],
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
      const guarded = () => as(owner)("PUT", ME, { payoutWallets: [] });
      await until(async () => (await guarded()).status === 200, { what: "a confirmed sign-in" });
      const made = await as(owner)("POST", `${ME}/keys`, { type: "secret", mode: "live" });
      expect(made.body.createdBy).toBe(owner.memberId);
      aheadMs = 10 * 60_000;
      try {
        expect(code(await guarded())).toEqual([401, "confirmation_required"]);
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

    test("is listed for its member with its browser, and ends alone or with all others", async () => {
      const owner = await signIn();
      async function again() {
        const { path } = await link(owner.email);
        const cookie = getCookie(await press(path, { ...SAME, "user-agent": "Firefox" }));
        return { ...owner, cookie, session: (await readSession(cookie)).body };
      }

      async function list(who = owner) {
        return (await as(who)("GET", "/dashboard/account/details")).body.signIns;
      }

      const second = await again();
      const third = await again();
      const [newest] = await list(third);
      expect(newest).toEqual({
        id: expect.stringMatching(/^[\w-]{43}$/),
        method: "link",
        agent: "Firefox",
        createdAt: expect.any(String),
        seenAt: expect.any(String),
        isCurrent: true,
      });
      expect(await list()).toHaveLength(3);
      const stranger = await signIn();
      const path = `/dashboard/account/sign-ins/${newest.id}`;
      expect((await as(stranger)("DELETE", path)).status).toBe(204);
      expect((await as(third)("GET", ME)).status).toBe(200);
      expect((await as(owner)("DELETE", path)).status).toBe(204);
      expect(code(await as(third)("GET", ME))).toEqual([401, "sign_in_invalid"]);
      expect((await as(owner)("DELETE", "/dashboard/account/sign-ins")).status).toBe(204);
      expect((await as(second)("GET", ME)).status).toBe(401);
      expect((await as(owner)("GET", ME)).status).toBe(200);
      expect((await as(stranger)("GET", ME)).status).toBe(200);
    });

    test("shows the new name of its member", async () => {
      const owner = await signIn();
      const named = await as(owner)("PUT", "/dashboard/account/name", { name: "Ane Berg" });
      expect(named.status).toBe(204);
      expect((await readSession(owner.cookie)).body.member.name).toBe("Ane Berg");
      const hidden = await as(owner)("PUT", "/dashboard/account/name", { name: "A\u202e" });
      expect(code(hidden)).toEqual([400, "field_invalid"]);
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
    const { memberId } = made.result;
    const { rows } = await gateway.pool.query(
      "select actor, action, status_code from audit_entries where target_id = $1 order by created_at",
      [memberId],
    );
    expect(rows).toEqual([
      { actor: "operator", action: "members.bootstrap", status_code: 201 },
      { actor: "operator", action: "members.link", status_code: 201 },
    ]);
    expect((await run(runDashboardLink)).err).toContain("several members");
    expect((await run(runDashboardLink, "--email", "no@shop.example")).code).toBe(1);
    expect((await run(runBootstrap, "--email", "a@b.example")).err).toContain("--project");
    expect((await run(runBootstrap, "--email", "nobody")).code).toBe(1);
  });
});
