// People of a project: invitations, their landing page, changes of roles, own roles, and who may give what.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  describeWithPostgres,
  type MailServer,
  PATIENCE_MS,
  startMailServer,
  until,
} from "@pay/testing";
import { newSecret } from "@pay/values";
import { startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { code, createMembers, getCookie, ME, SAME, type Signed } from "./members.ts";

const DAY_MS = 24 * 60 * 60_000;
const FORM = { ...SAME, "content-type": "application/x-www-form-urlencoded" };

describeWithPostgres("people of a project", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let mailServer: MailServer;
  let aheadMs = 0;
  let count = 0;
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  beforeAll(async () => {
    mailServer = await startMailServer();
    mailServer.trust();
    const env = { SMTP_URL: mailServer.url };
    const bounds = { keyCacheMs: 60_000, mailTimeoutMs: PATIENCE_MS };
    gateway = await startTestGateway({ clock, env, bounds });
  });
  beforeEach(async () => {
    shop = await gateway.addProject();
    aheadMs = 0;
  });
  afterAll(async () => {
    await gateway?.stop();
    await mailServer?.stop();
  });
  const { link, press, readSession, signIn, signInConfirmed, confirm, as } = createMembers(
    () => gateway,
    () => shop,
  );

  function newEmail() {
    return `person${count++}@shop.example`;
  }

  async function invite(by: Signed, fields: object = {}) {
    const email = newEmail();
    const body = { email, liveRole: "support", testRole: "developer", ...fields };
    const answer = await as(by)("POST", "/v1/members", body);
    const path = answer.body.link === undefined ? "" : new URL(answer.body.link).pathname;
    return { email, answer, path, id: answer.body.id as string };
  }

  function accept(path: string, name = "Jonas", headers: Record<string, string> = FORM) {
    return gateway.ask("POST", path, {
      headers,
      body: Buffer.from(new URLSearchParams({ name }).toString()),
    });
  }

  async function join(by: Signed, fields: object = {}) {
    const invited = await invite(by, fields);
    const cookie = getCookie(await accept(invited.path));
    const { body: session } = await readSession(cookie);
    return { ...invited, cookie, session, memberId: session.member.id as string, dashboard: "" };
  }

  async function list(by: Signed) {
    return (await as(by)("GET", "/v1/members")).body;
  }

  describe("an invitation", () => {
    test("opens once, with a name, and its member has the roles that were given", async () => {
      const owner = await signInConfirmed();
      const { email, answer, path, id } = await invite(owner);
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({ email, name: null, invitedBy: owner.memberId });
      const { data } = await list(owner);
      expect(data[1]).toEqual({ ...answer.body, link: null });
      const { rows } = await gateway.pool.query("select i::text as row from invitations i");
      expect(rows.map(({ row }) => row).join()).not.toContain(path.split("/").at(-1));

      const page = await gateway.ask("GET", path);
      expect(page.headers).toMatchObject({ "cache-control": "no-store" });
      expect(page.text).toContain(`Ane invites you as ${email}.`);
      expect(
        code(await accept(path, "Jonas", { ...FORM, "sec-fetch-site": "cross-site" })),
      ).toEqual([403, "link_invalid"]);
      expect(code(await accept(path, ""))).toEqual([400, "field_invalid"]);
      const raced = await Promise.all([1, 2, 3].map(() => accept(path, " Jonas ")));
      expect(raced.map(({ status }) => status).sort()).toEqual([303, 403, 403]);
      const opened = raced.find(({ status }) => status === 303);
      expect(opened?.headers.location).toBe(`/dashboard/?project=${shop.id}`);
      const { body: session } = await readSession(getCookie(opened as never));
      expect(session.member).toEqual({ id, name: "Jonas", email });
      expect(session.memberships).toMatchObject([
        { projectId: shop.id, liveRole: "support", testRole: "developer" },
      ]);
      expect((await list(owner)).data[1]).toMatchObject({ id, name: "Jonas", expiresAt: null });
    });

    test("opens nothing after three days, once replaced, withdrawn, or when its maker is removed", async () => {
      const owner = await signInConfirmed();
      const second = await signInConfirmed();
      const late = await invite(owner);
      const replaced = await invite(owner);
      await invite(owner, { email: replaced.email });
      const withdrawn = await invite(owner);
      expect((await as(owner)("DELETE", `/v1/members/${withdrawn.id}`)).status).toBe(200);
      const orphaned = await invite(second);
      expect((await as(owner)("DELETE", `/v1/members/${second.memberId}`)).status).toBe(200);
      const unknown = `/dashboard/invitation/${newSecret("inv_")}`;
      for (const path of [replaced.path, withdrawn.path, orphaned.path, unknown]) {
        expect(code(await gateway.ask("GET", path))).toEqual([403, "link_invalid"]);
        expect(code(await accept(path))).toEqual([403, "link_invalid"]);
      }
      aheadMs = 3 * DAY_MS;
      expect(code(await accept(late.path))).toEqual([403, "link_invalid"]);
      aheadMs -= 60_000;
      expect((await accept(late.path)).status).toBe(303);
    });

    test("never opens the account of somebody who signs in otherwise or is in another project", async () => {
      const owner = await signInConfirmed();
      const elsewhere = await signIn();
      shop = await gateway.addProject();
      const here = await signInConfirmed();
      const invited = await invite(here, { email: elsewhere.email });
      expect((await gateway.ask("GET", invited.path)).text).toContain("Sign in to join");
      for (const headers of [FORM, { ...FORM, cookie: owner.cookie }]) {
        expect(code(await accept(invited.path, "Thief", headers))).toEqual([403, "link_invalid"]);
      }
      const joined = await accept(invited.path, "", { ...FORM, cookie: elsewhere.cookie });
      expect([joined.status, joined.headers["set-cookie"]]).toEqual([303, undefined]);
      const { memberships, member } = (await readSession(elsewhere.cookie)).body;
      expect(memberships).toHaveLength(2);
      expect(member.name).toBe("Ane");

      const lost = await join(here);
      const again = await invite(here, { email: lost.email });
      expect((await accept(again.path, "Other")).status).toBe(303);
      await gateway.pool.query(
        `insert into passkeys (credential_id, member_id, public_key, counter, transports, name, backed_up, created_at)
         values (convert_to($1, 'UTF8'), $1, 'x', 0, '{}', 'Laptop', false, now())`,
        [lost.memberId],
      );
      expect(code((await invite(here, { email: lost.email })).answer)).toEqual([
        409,
        "member_exists",
      ]);
    });
  });

  describe("a mail", () => {
    test("brings an invitation once; where the mail server refuses it, the link is there to copy", async () => {
      const owner = await signInConfirmed();
      const email = newEmail();
      const send = () =>
        as(owner, { "idempotency-key": "invite" })("POST", "/v1/members", { email });
      const first = await send();
      const { to, text } = await mailServer.find(email);
      expect(to).toEqual([email]);
      expect(text).toContain(`Ane invites you to join Shop.`);
      expect(text).toContain(first.body.link);
      expect(first.body.mailedAt).not.toBeNull();
      expect((await send()).body).toEqual(first.body);
      expect(mailServer.mails.filter((mail) => mail.to.includes(email))).toHaveLength(1);
      expect((await list(owner)).data[1]).toEqual({ ...first.body, link: null });

      mailServer.refuse("unknown");
      const { answer, path } = await invite(owner, { email });
      mailServer.refuse(undefined);
      expect(answer.body.mailedAt).toBeNull();
      expect((await accept(path)).status).toBe(303);
    });

    test("brings no more than fifty invitations of a project a day", async () => {
      const owner = await signInConfirmed();
      const answers: Awaited<ReturnType<typeof invite>>[] = [];
      while (answers.length < 51) {
        const wave = Array.from({ length: 17 }, () => invite(owner));
        answers.push(...(await Promise.all(wave)));
      }
      const mailed = answers.filter(({ answer }) => answer.body.mailedAt !== null);
      expect(mailed).toHaveLength(50);
      expect(answers.every(({ answer }) => answer.status === 201)).toBe(true);
    });

    test("tells each owner of a recovery, also when the mail server was away", async () => {
      const [owner, other] = [await signInConfirmed(), await signIn()];
      const viewer = await signIn({ live: "viewer" });
      const { body } = await as(owner)("POST", "/dashboard/account/recovery-codes");
      const waiting = async () =>
        (await gateway.pool.query("select recipient, due_at from mails")).rows;
      mailServer.refuse("later");
      const recovery = { email: owner.email, code: body.codes[0] };
      const recovered = await gateway.ask("POST", "/dashboard/recovery", {
        headers: SAME,
        body: recovery,
      });
      expect(recovered.status).toBe(204);
      await until(
        async () => (await waiting()).every(({ due_at }) => due_at.getTime() > Date.now()),
        { what: "the mails to be tried" },
      );
      expect((await waiting()).map(({ recipient }) => recipient).sort()).toEqual(
        [owner.email, other.email].sort(),
      );
      mailServer.refuse(undefined);
      await gateway.pool.query(
        `insert into passkeys (credential_id, member_id, public_key, counter, transports, name, backed_up, created_at)
         values (convert_to($1, 'UTF8'), $1, 'x', 0, '{}', 'Laptop', false, now())`,
        [owner.memberId],
      );
      aheadMs = 6 * 60_000;
      expect((await press((await link(owner.email)).path)).status).toBe(303);
      await until(async () => (await waiting()).length === 0, { what: "all mails to leave" });
      const mails = mailServer.mails.filter(({ to }) => to.includes(other.email));
      expect(mails.map(({ text }) => /by (a [\w -]+) on/.exec(text)?.[1]).sort()).toEqual([
        "a one-time link",
        "a recovery code",
      ]);
      expect(mails[0]?.text).toContain(`Ane (${owner.email}) signed in`);
      expect(mailServer.mails.some(({ to }) => to.includes(viewer.email))).toBe(false);
    });
  });

  describe("a change", () => {
    test("of a role or a removal is in force at once, and is in the audit log", async () => {
      const owner = await signInConfirmed();
      const member = await join(owner);
      const path = `/v1/members/${member.memberId}`;
      expect(code(await as(member)("PUT", ME, { name: "Taken" }))).toEqual([403, "scope_missing"]);
      expect((await as(member)("GET", "/v1/audit")).status).toBe(403);
      const changed = await as(owner)("PUT", path, { liveRole: "developer" });
      expect(changed.body).toMatchObject({ liveRole: "developer", testRole: "developer" });
      expect((await as(member)("GET", "/v1/audit")).status).toBe(200);
      expect((await as(owner)("DELETE", path)).body).toEqual({
        deleted: true,
        id: member.memberId,
      });
      expect(code(await as(member)("GET", "/v1/audit"))).toEqual([404, "project_not_found"]);
      expect(code(await as(owner)("DELETE", path))).toEqual([404, "member_not_found"]);
      const { body: log } = await as(owner)("GET", "/v1/audit");
      expect(log.data.map(({ action }: { action: string }) => action).slice(0, 4)).toEqual([
        "members.delete",
        "members.update",
        "members.create",
        expect.any(String),
      ]);
    });

    test("needs a confirmation, and keeps one owner, also when two owners remove each other", async () => {
      const [one, two] = [await signInConfirmed(), await signInConfirmed()];
      const plain = await signIn();
      for (const [method, path, body] of [
        ["POST", "/v1/members", { email: newEmail() }],
        ["PUT", `/v1/members/${one.memberId}`, { liveRole: "viewer" }],
        ["DELETE", `/v1/members/${one.memberId}`],
        ["PUT", "/v1/roles/desk", { scopes: ["payments:read"] }],
      ] as const) {
        expect(code(await as(plain)(method, path, body))).toEqual([401, "confirmation_required"]);
      }
      expect((await as(one)("DELETE", `/v1/members/${plain.memberId}`)).status).toBe(200);
      const answers = await Promise.all([
        as(one)("PUT", `/v1/members/${two.memberId}`, { liveRole: "viewer" }),
        as(two)("DELETE", `/v1/members/${one.memberId}`),
      ]);
      const statuses = answers.map(({ status }) => status).sort();
      // The member of the later one has lost its right by then, or it is the last owner that it takes away.
      expect([[200, 403].join(), [200, 409].join()]).toContain(statuses.join());
      const { rows } = await gateway.pool.query(
        "select count(*)::int as owners from memberships where project_id = $1 and live_role = 'owner'",
        [shop.id],
      );
      expect(rows[0].owners).toBe(1);
    });

    test("gives, changes and takes nothing beyond the rights of the one who makes it", async () => {
      const owner = await signInConfirmed();
      const desk = { scopes: ["members:read", "members:write", "payments:read"] };
      expect((await as(owner)("PUT", "/v1/roles/people-desk", desk)).body).toEqual({
        name: "people-desk",
        builtIn: false,
        liveScopes: desk.scopes,
        testScopes: desk.scopes,
      });
      await as(owner)("PUT", "/v1/roles/till", { scopes: ["payments:read"] });
      const lead = await join(owner, { liveRole: "people-desk", testRole: "people-desk" });
      await confirm(lead);
      const viewer = await join(owner, { liveRole: "viewer", testRole: null });
      const beyond = [
        ["POST", "/v1/members", { email: newEmail(), liveRole: "owner" }],
        ["POST", "/v1/members", { email: newEmail(), testRole: "support" }],
        ["PUT", `/v1/members/${lead.memberId}`, { liveRole: "finance" }],
        ["PUT", `/v1/members/${owner.memberId}`, { liveRole: "till" }],
        ["DELETE", `/v1/members/${owner.memberId}`],
        ["DELETE", `/v1/members/${viewer.memberId}`],
        ["PUT", "/v1/roles/people-desk", { scopes: [...desk.scopes, "refunds:write"] }],
      ] as const;
      for (const [method, path, body] of beyond) {
        const answer = await as(lead)(method, path, body);
        expect(code(answer)).toEqual([403, "scope_missing"]);
        expect(answer.body.message).toMatch(/^You lack the scope [a-z]+:[a-z]+, which the role /);
      }
      expect((await invite(lead, { liveRole: "till", testRole: "till" })).answer.status).toBe(201);
      const inTest = as(owner, { "x-service-mode": "test" });
      expect(
        code(await inTest("PUT", `/v1/members/${viewer.memberId}`, { testRole: "till" })),
      ).toEqual([403, "live_key_required"]);
      expect(code(await inTest("PUT", "/v1/roles/people-desk", { scopes: [] }))).toEqual([
        403,
        "live_key_required",
      ]);
    });
  });

  test("an own role is what its holders may do, at once, and goes when nobody has it", async () => {
    const owner = await signInConfirmed();
    const save = (name: string, scopes: string[]) =>
      as(owner)("PUT", `/v1/roles/${name}`, { scopes });
    expect(code(await save("owner", ["payments:read"]))).toEqual([400, "field_invalid"]);
    expect(code(await save("Desk", ["payments:read"]))).toEqual([400, "field_invalid"]);
    expect((await save("desk", ["payments:read"])).status).toBe(200);
    const member = await join(owner, { liveRole: "desk", testRole: null });
    expect(member.session.memberships[0]).toMatchObject({ liveScopes: ["payments:read"] });
    expect(code(await as(member)("GET", ME))).toEqual([403, "scope_missing"]);
    await save("desk", ["payments:read", "projects:read"]);
    expect((await as(member)("GET", ME)).status).toBe(200);
    expect(code(await save("desk", []))).toEqual([409, "role_in_use"]);
    const unknown = await as(owner)("PUT", `/v1/members/${member.memberId}`, { liveRole: "none" });
    expect(code(unknown)).toEqual([400, "field_invalid"]);
    await as(owner)("PUT", `/v1/members/${member.memberId}`, { liveRole: "viewer" });
    expect((await save("desk", [])).status).toBe(200);
    const { roles } = await list(owner);
    expect(roles.map(({ name }: { name: string }) => name)).toEqual([
      "owner",
      "finance",
      "support",
      "developer",
      "viewer",
    ]);
    const stranger = await gateway.addProject();
    const elsewhere = await gateway.ask("GET", "/v1/members", {
      headers: { "x-secret-key": stranger.secret },
    });
    expect(elsewhere.body.data).toEqual([]);
    expect((await press((await link()).path)).status).toBe(303);
  });
});
