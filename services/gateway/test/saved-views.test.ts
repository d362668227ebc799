// Filters of the dashboard's lists under a name, as members save, share and remove them.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres } from "@pay/testing";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { code, createMembers, type Signed } from "./members.ts";

const VIEWS = "/dashboard/views";
const FAILED = { name: "Failed / today", address: "/payments?status=failed", isShared: false };

describeWithPostgres("saved views", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  beforeAll(async () => {
    gateway = await startTestGateway({ bounds: { keyCacheMs: 100 } });
    shop = await gateway.addProject();
  });
  afterAll(() => gateway?.stop());
  const { signIn, signInConfirmed, as } = createMembers(
    () => gateway,
    () => shop,
  );

  function save(by: Signed, change: object = {}) {
    return as(by)("PUT", VIEWS, { ...FAILED, ...change });
  }

  async function list(by: Signed) {
    return (await as(by)("GET", VIEWS)).body.views;
  }

  function remove(by: Signed, of: Signed, name = FAILED.name) {
    return as(by)("DELETE", `${VIEWS}/${of.memberId}/${encodeURIComponent(name)}`);
  }

  test("are the member's own, in one project, and saved anew under their name", async () => {
    const viewer = await signIn({ live: "viewer", test: null });
    const other = await signIn();
    expect((await save(viewer)).status).toBe(204);
    expect((await save(viewer, { address: "/payments?status=expired" })).status).toBe(204);
    const memberId = viewer.memberId;
    const saved = { ...FAILED, address: "/payments?status=expired", memberId };
    expect(await list(viewer)).toEqual([saved]);
    expect(await list(other)).toEqual([]);
    expect(code(await remove(other, viewer))).toEqual([404, "not_found"]);
    const rival = await gateway.addProject();
    const elsewhere = as(viewer, { "x-project": rival.id });
    for (const method of ["GET", "PUT"] as const) {
      const answer = await elsewhere(method, VIEWS, method === "PUT" ? FAILED : undefined);
      expect(code(answer)).toEqual([404, "project_not_found"]);
    }
    expect(code(await as(viewer, { "x-csrf-token": "x" })("PUT", VIEWS, FAILED))).toEqual([
      403,
      "csrf_token_invalid",
    ]);
    const inTest = as(viewer, { "x-service-mode": "test" });
    expect(code(await inTest("GET", VIEWS))).toEqual([403, "scope_missing"]);
    expect((await remove(viewer, viewer)).status).toBe(204);
    expect(await list(viewer)).toEqual([]);
  });

  test("lead nowhere but to a list of the dashboard", async () => {
    const member = await signIn();
    for (const address of [
      "https://evil.example/payments?a=1",
      "//evil.example?a=1",
      "/\\evil.example?a=1",
      "/payments",
      "/payments/../x?a=1",
      "/payments?a=1#top",
      "/payments?a=javascript:alert(1)",
      "javascript:alert(1)",
      `/payments?orderId=${"x".repeat(2_000)}`,
    ]) {
      expect(code(await save(member, { address }))).toEqual([400, "field_invalid"]);
    }
    for (const name of ["", "x".repeat(81), "a\u202eb"]) {
      expect(code(await save(member, { name }))).toEqual([400, "field_invalid"]);
    }
    for (const name of ["%00", "%FF", "%2F..%2F", "x".repeat(500)]) {
      const answer = await as(member)("DELETE", `${VIEWS}/${member.memberId}/${name}`);
      expect([400, 404]).toContain(answer.status);
    }
  });

  test("are shared and taken back by who may change the project, and go with their member", async () => {
    const owner = await signInConfirmed();
    const developer = await signIn({ live: "developer", test: "developer" });
    for (const mode of ["live", "test"]) {
      const shared = { ...FAILED, isShared: true };
      const answer = await as(developer, { "x-service-mode": mode })("PUT", VIEWS, shared);
      expect(code(answer)).toEqual([403, "scope_missing"]);
    }
    const leaving = await signInConfirmed();
    expect((await save(leaving, { isShared: true })).status).toBe(204);
    expect((await save(owner, { isShared: true, name: "Mine" })).status).toBe(204);
    expect(await list(developer)).toEqual([
      { ...FAILED, isShared: true, memberId: leaving.memberId },
      { ...FAILED, isShared: true, name: "Mine", memberId: owner.memberId },
    ]);
    expect(code(await remove(developer, owner, "Mine"))).toEqual([404, "not_found"]);
    expect((await as(owner)("DELETE", `/v1/members/${leaving.memberId}`)).status).toBe(200);
    expect(await list(developer)).toHaveLength(1);
    const second = await signInConfirmed();
    expect((await remove(second, owner, "Mine")).status).toBe(204);
    expect(await list(developer)).toEqual([]);
    const { data } = (await as(second)("GET", "/v1/audit")).body;
    const told = data.filter(({ action }: { action: string }) => action.startsWith("views."));
    const change = { field: "isShared", before: null, after: null };
    expect(told).toMatchObject([
      {
        action: "views.delete",
        actor: { id: second.memberId },
        changes: [{ ...change, before: true }],
      },
      {
        action: "views.share",
        actor: { id: owner.memberId },
        changes: [{ ...change, after: true }],
      },
      { action: "views.share", actor: { id: leaving.memberId } },
    ]);
  });

  test("are 50 at most, however many are saved at once", async () => {
    const member = await signIn({ live: "support", test: null });
    const answers = await Promise.all(
      Array.from({ length: 55 }, (_, at) => save(member, { name: `View ${at}` })),
    );
    const refused = answers.filter(({ status }) => status !== 204).map(code);
    expect(refused).toEqual(Array.from({ length: 5 }, () => [409, "members_exhausted"]));
    const [first] = await list(member);
    expect((await save(member, { name: first.name })).status).toBe(204);
    expect(await list(member)).toHaveLength(50);
  });
});
