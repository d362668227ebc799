// What each role may do, by every route of the table in both modes; who counts as one person; and a member's
// own limit.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { describeWithPostgres, limitRates } from "@pay/testing";
import { ROUTES } from "../src/index.ts";
import type { KeyMode } from "../src/keys/caller.ts";
import { isInSameHands } from "../src/keys/storage.ts";
import { createOwnerLink } from "../src/operator/members.ts";
import { isOpenToMembers, type Route } from "../src/pipeline/route.ts";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

const PEPPER = "pepper-of-the-tests-0123456789-abcdef";
const SAME = { "sec-fetch-site": "same-origin" };
const MODES: KeyMode[] = ["live", "test"];
/** Scopes by the roles that have them; `test` behind a role is in test mode only. */
const RIGHTS: Record<string, string> = {
  "payments:read": "owner finance support developer viewer",
  "customers:read": "owner finance support developer viewer",
  "refunds:read": "owner finance support developer viewer",
  "settlements:read": "owner finance support developer viewer",
  "projects:read": "owner finance support developer viewer",
  "webhooks:read": "owner finance support developer viewer",
  "statements:read": "owner finance developer viewer",
  "payments:write": "owner finance support developer-test",
  "refunds:write": "owner finance developer-test",
  "settlements:write": "owner finance",
  "settlements:approve": "owner finance",
  "customers:write": "owner support developer-test",
  "webhooks:write": "owner developer",
  "projects:write": "owner developer-test",
  "sessions:write": "owner",
  "keys:read": "owner developer",
  "keys:write": "owner developer-test",
  "audit:read": "owner finance developer",
  "logs:read": "owner support developer",
  "members:read": "owner finance developer viewer",
  "members:write": "owner",
};

/** A role of the project itself. */
const DESK = { name: "returns-desk", scopes: ["payments:read", "refunds:read", "refunds:write"] };

const OPEN = ROUTES.filter(isOpenToMembers);

/** Reading what shoppers may read as well still takes a role. */
function getScope({ scope }: Route): string {
  return scope ?? "payments:read";
}

function hasRight(role: string, mode: KeyMode, scope: string): boolean {
  if (role === DESK.name) return DESK.scopes.includes(scope);
  const roles = (RIGHTS[scope] ?? "").split(" ");
  return roles.includes(role) || (mode === "test" && roles.includes(`${role}-test`));
}

describeWithPostgres("the rights of members", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway({ env: limitRates({ member: { perSecond: 0, burst: 0 } }) });
    shop = await gateway.addProject();
    await gateway.pool.query(
      "insert into roles (project_id, name, scopes, updated_at) values ($1, $2, $3, now())",
      [shop.id, DESK.name, DESK.scopes],
    );
  });
  afterAll(() => gateway?.stop());

  /** Cookie and token of a member with the role in both modes. */
  async function signIn(role: string, { on = gateway, project = shop } = {}) {
    const { dashboard, memberId } = await createOwnerLink(
      {
        baseUrl: "http://127.0.0.1:8080",
        gatewayDatabaseUrl: on.databaseUrl,
        gatewayKeyPepper: PEPPER,
      },
      { email: `${role}@shop.example`, name: role, projectId: project.id },
    );
    await on.pool.query(
      "update memberships set live_role = $2, test_role = $2 where member_id = $1",
      [memberId, role],
    );
    const opened = await on.ask("POST", new URL(dashboard).pathname, { headers: SAME });
    const [set = ""] = opened.headers["set-cookie"] ?? [];
    const cookie = set.split(";")[0] ?? "";
    const { body } = await on.ask("GET", "/dashboard/session", { headers: { ...SAME, cookie } });
    const headers = {
      ...SAME,
      cookie,
      "x-project": project.id,
      "x-csrf-token": body.csrfToken as string,
    };
    return { memberId, headers, link: new URL(dashboard).pathname };
  }

  /** With ids that nothing has, so that what is allowed changes nothing. */
  function call(route: Route, headers: Record<string, string>) {
    const { method, path, id } = route;
    const named = path
      .replace("{id}", `${id?.prefix}_${"A".repeat(24)}`)
      .replace("{name}", "owner")
      .replace(/\{\w+\}/g, "1");
    const isWrite = method === "POST" || method === "PUT";
    return gateway.ask(method, named, { headers, ...(isWrite && { body: {} }) });
  }

  function getName({ method, path }: Route): string {
    return `${method} ${path}`;
  }

  describe.each(["owner", "finance", "support", "developer", "viewer", DESK.name, "nothing"])(
    "a member as %s",
    (role) => {
      test.each(MODES)("may call in %s mode what the role names and nothing else", async (mode) => {
        const { headers } = await signIn(role);
        const cells = await Promise.all(
          OPEN.map(async (route) => {
            const answer = await call(route, { ...headers, "x-service-mode": mode });
            const code = answer.headers["x-error-code"];
            const scope = getScope(route);
            const refusal = code === "scope_missing" ? answer.body.message : code;
            const wanted = hasRight(role, mode, scope)
              ? expect.not.stringMatching(/^Your role lacks/)
              : `Your role lacks the scope ${scope}`;
            return { route: getName(route), is: refusal ?? "", wanted };
          }),
        );
        expect(cells.map(({ route, is }) => ({ route, is }))).toEqual(
          cells.map(({ route, wanted }) => ({ route, is: wanted })),
        );
        expect(cells).toHaveLength(OPEN.length);
      });
    },
  );

  test("limits open to a role that reads refunds the routes of refunds, and to no other", async () => {
    const limits = JSON.stringify([{ chainId: 1, currency: "native", perDay: "1" }]);
    for (const role of ["support", "nothing"]) {
      const { memberId, headers } = await signIn(role);
      await gateway.pool.query("update memberships set refund_limits = $2 where member_id = $1", [
        memberId,
        limits,
      ]);
      // A change of the own name forgets what the gateway has cached.
      await gateway.ask("PUT", "/dashboard/account/name", { headers, body: { name: role } });
      const answers = await Promise.all(
        OPEN.filter(({ scope }) => scope === "refunds:write").map(async (route) => {
          const answer = await call(route, { ...headers, "x-service-mode": "live" });
          return {
            route: getName(route),
            isOpen: answer.headers["x-error-code"] !== "scope_missing",
          };
        }),
      );
      const isOpen = role === "support";
      expect(answers).toEqual([
        { route: "POST /v1/payments/{id}/refund", isOpen: false },
        { route: "POST /v1/refunds", isOpen },
        { route: "POST /v1/refunds/{id}/transaction", isOpen },
        { route: "POST /v1/refunds/{id}/destination", isOpen },
        { route: "POST /v1/refunds/{id}/cancel", isOpen },
      ]);
    }
  });

  test("nobody may call anything with the headers of a page and no sign-in", async () => {
    for (const mode of MODES) {
      const headers = { ...SAME, "x-project": shop.id, "x-service-mode": mode };
      const answers = await Promise.all(OPEN.map((route) => call(route, headers)));
      expect(answers.map(({ status }) => status)).toEqual(OPEN.map(() => 401));
    }
  });

  test("a member and the keys that the member made are in the same hands", async () => {
    const { memberId } = await signIn("owner");
    async function addKey(by: string) {
      const { id } = await gateway.addKey(shop.id, { type: "secret" });
      await gateway.pool.query("update api_keys set created_by = $2 where id = $1", [id, by]);
      return id;
    }

    const own = await addKey(memberId);
    const further = await addKey(own);
    const second = await addKey(memberId);
    const foreign = await addKey("operator");
    function same(...ids: [string, string]) {
      return isInSameHands(gateway.pool, shop.id, ids);
    }

    for (const [one, other] of [
      [memberId, memberId],
      [memberId, own],
      [further, memberId],
      [own, second],
      [second, further],
    ] as const) {
      expect(await same(one, other)).toBe(true);
    }
    for (const other of [memberId, own, further]) expect(await same(foreign, other)).toBe(false);
    expect(await same(foreign, await addKey("operator"))).toBe(false);
  });

  test("a busy member is held up, and the keys of the project are not", async () => {
    const now = new Date();
    const slow = await startTestGateway({
      clock: { now: () => now },
      env: limitRates({ member: { perSecond: 1, burst: 2 } }),
    });
    try {
      const project = await slow.addProject();
      const { headers } = await signIn("owner", { on: slow, project });
      async function read(given: Record<string, string>) {
        return (await slow.ask("GET", "/v1/projects/me", { headers: given })).status;
      }

      const asMember = { ...headers, "x-service-mode": "live" };
      const statuses = [await read(asMember), await read(asMember), await read(asMember)];
      expect(statuses).toEqual([200, 200, 429]);
      expect(await read({ "x-secret-key": project.secret })).toBe(200);
    } finally {
      await slow.stop();
    }
  });

  test("neither link nor cookie nor token of a member is in the log, which names the member", async () => {
    const lines: string[] = [];
    const log = createLog("gateway", "info", { write: (line: string) => void lines.push(line) });
    const told = await startTestGateway({ log });
    try {
      const project = await told.addProject();
      const { headers, memberId, link } = await signIn("owner", { on: told, project });
      const given = { ...headers, "x-service-mode": "live" };
      await told.ask("PUT", "/v1/projects/me", { headers: given, body: { name: "Mugs" } });
      await told.ask("POST", link, { headers: SAME });
      await told.ask("GET", link);
      const said = lines.join("");
      expect(said).toContain(`"memberId":"${memberId}"`);
      expect(said).toContain("/dashboard/link/{token}");
      const secrets = [
        link.split("/").at(-1),
        headers.cookie.split("=")[1],
        headers["x-csrf-token"],
      ];
      for (const secret of secrets) {
        expect(secret).toHaveLength(
          secret?.startsWith("dash_") || secret?.startsWith("link_") ? 48 : 43,
        );
        expect(said).not.toContain(secret);
      }
    } finally {
      await told.stop();
    }
  });
});
