// Members who sign in by the identity provider of the installation, with a real one beside the gateway.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithPostgres, type IdentityProvider, startIdentityProvider } from "@pay/testing";
import { type Answer, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";
import { code, createMembers, SAME } from "./members.ts";
import { LOCAL_ISSUERS } from "./sso.ts";

const ORIGIN = "https://pay.example";
const CALLBACK = "/dashboard/sign-in/oidc/callback";
const SIGN_IN = "/dashboard/sign-in/oidc";
const CONFIRM = "/dashboard/confirm/oidc";

describeWithPostgres("the sign-in by an identity provider", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let provider: IdentityProvider;
  let aheadMs = 0;
  const { link, readSession, as } = createMembers(
    () => gateway,
    () => shop,
  );
  beforeAll(async () => {
    provider = await startIdentityProvider(ORIGIN + CALLBACK);
    gateway = await startTestGateway({
      clock: { now: () => new Date(Date.now() + aheadMs) },
      env: {
        ...LOCAL_ISSUERS,
        PUBLIC_URL: ORIGIN,
        REQUIRE_HTTPS: "0",
        OIDC: JSON.stringify(provider.settings),
      },
    });
    shop = await gateway.addProject();
  });
  afterAll(async () => {
    await gateway?.stop();
    await provider?.stop();
  });

  function readCookies({ headers }: Answer): string[] {
    return [headers["set-cookie"] ?? []].flat().flatMap((set) => set.split(";")[0] ?? []);
  }

  async function begin(path = SIGN_IN, cookie = "") {
    const answer = await gateway.ask("GET", path, { headers: { ...SAME, cookie } });
    expect(answer.status).toBe(303);
    return {
      url: new URL(String(answer.headers.location)),
      cookie: readCookies(answer).join("; "),
    };
  }

  /** As a browser does that the provider has sent back. */
  async function come(back: URL, cookie: string) {
    const headers = { "sec-fetch-site": "cross-site", cookie };
    const answer = await gateway.ask("GET", back.pathname + back.search, { headers });
    expect(answer.status).toBe(303);
    const signedIn = readCookies(answer).find((one) => one.startsWith("__Host-pay="));
    return { to: answer.headers.location, cookie: signedIn };
  }

  let people = 0;
  /** A member with an account at the provider. */
  async function addPerson({ verified = true } = {}) {
    const subject = `person-${++people}`;
    const email = `${subject}@shop.example`;
    provider.addAccount(subject, { email: email.toUpperCase(), email_verified: verified });
    return { ...(await link(email)), subject };
  }

  async function signIn(subject: string) {
    const { url, cookie } = await begin();
    return come(await provider.visit(url.href, subject), cookie);
  }

  async function listIdentities(memberId: string) {
    const statement = "select issuer, subject from identities where member_id = $1";
    return (await gateway.pool.query(statement, [memberId])).rows;
  }

  test("a member is known by the address once and by the subject from then on, and needs no passkey", async () => {
    const { subject, memberId } = await addPerson();
    const methods = await gateway.ask("GET", "/dashboard/sign-in/methods", { headers: SAME });
    expect(methods.body.methods).toEqual({ passkey: true, oidc: "Example" });
    const { url, cookie } = await begin(`${SIGN_IN}?next=/dashboard/refunds?status=created`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      scope: "openid email",
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const first = await come(await provider.visit(url.href, subject), cookie);
    expect(first.to).toBe("/dashboard/refunds?status=created");
    const session = await readSession(first.cookie ?? "");
    expect(session.body).toMatchObject({
      member: { id: memberId },
      needsPasskey: false,
      confirmedAt: null,
    });
    expect(session.body.memberships).toHaveLength(1);

    provider.addAccount(subject, { email: "elsewhere@shop.example", email_verified: false });
    const again = await signIn(subject);
    expect((await readSession(again.cookie ?? "")).body.member.id).toBe(memberId);
    const issuer = provider.settings.issuer;
    expect(await listIdentities(memberId)).toEqual([{ issuer, subject }]);
    await gateway.pool.query("update members set disabled_at = now() where id = $1", [memberId]);
    expect(await signIn(subject)).toEqual({
      to: "/dashboard/sign-in?fault=oidc_unverified&next=%2Fdashboard",
      cookie: undefined,
    });
  });

  async function expectRefused(
    came: { to: string | string[] | undefined; cookie: string | undefined },
    fault: string,
  ) {
    const to = `/dashboard/sign-in?fault=${fault}&next=%2Fdashboard`;
    expect(came).toEqual({ to, cookie: undefined });
  }

  test("a wrong state, a wrong nonce, a missing PKCE and another browser open nothing", async () => {
    const { subject, memberId } = await addPerson();
    const [state, nonce, bare, other] = [
      await begin(),
      await begin(),
      await begin(),
      await begin(),
    ];
    const forged = await provider.visit(state.url.href, subject);
    forged.searchParams.set("state", "x".repeat(43));
    await expectRefused(await come(forged, state.cookie), "oidc_invalid");

    nonce.url.searchParams.set("nonce", "x".repeat(43));
    const ofOther = await provider.visit(nonce.url.href, subject);
    await expectRefused(await come(ofOther, nonce.cookie), "oidc_invalid");

    bare.url.searchParams.delete("code_challenge");
    bare.url.searchParams.delete("code_challenge_method");
    const refused = await provider.visit(bare.url.href, subject);
    expect(refused.searchParams.get("error")).toBe("invalid_request");
    await expectRefused(await come(refused, bare.cookie), "oidc_invalid");

    const stolen = await provider.visit(other.url.href, subject);
    await expectRefused(await come(stolen, ""), "oidc_invalid");
    const own = await begin();
    const mine = new URL((await provider.visit(own.url.href, subject)).href);
    mine.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    await expectRefused(await come(mine, own.cookie), "oidc_invalid");
    expect(await listIdentities(memberId)).toEqual([]);
  });

  test("an answer opens one sign-in, within five minutes", async () => {
    const { subject } = await addPerson();
    const once = await begin();
    const back = await provider.visit(once.url.href, subject);
    expect((await come(back, once.cookie)).cookie).toBeDefined();
    await expectRefused(await come(back, once.cookie), "oidc_invalid");
    const late = await begin();
    const lateBack = await provider.visit(late.url.href, subject);
    aheadMs = 5 * 60_000;
    await expectRefused(await come(lateBack, late.cookie), "oidc_invalid");
    aheadMs = 0;
  });

  test("an unverified address and a subject that is nobody's open nothing", async () => {
    const unverified = await addPerson({ verified: false });
    await expectRefused(await signIn(unverified.subject), "oidc_unverified");
    expect(await listIdentities(unverified.memberId)).toEqual([]);
    provider.addAccount("stranger", { email: "stranger@else.example", email_verified: true });
    await expectRefused(await signIn("stranger"), "oidc_unknown");

    const bound = await addPerson();
    await signIn(bound.subject);
    provider.addAccount("namesake", { email: bound.email, email_verified: true });
    await expectRefused(await signIn("namesake"), "oidc_unknown");
    expect(await listIdentities(bound.memberId)).toHaveLength(1);
  });

  test("a confirmation asks the person anew, and is of the same person", async () => {
    const { subject } = await addPerson();
    const jar = new Map<string, string>();
    const started = await begin();
    const { cookie = "" } = await come(
      await provider.visit(started.url.href, subject, jar),
      started.cookie,
    );
    const { body: session } = await readSession(cookie);
    const call = as({ cookie, session });
    const key = { type: "secret", mode: "live", name: "Till" };
    expect(code(await call("POST", "/v1/projects/me/keys", key))).toEqual([
      401,
      "confirmation_required",
    ]);
    expect(code(await call("POST", "/dashboard/passkeys/options", {}))).toEqual([
      401,
      "confirmation_required",
    ]);

    const asked = await begin(CONFIRM, cookie);
    expect(asked.url.searchParams.get("max_age")).toBe("0");
    expect(asked.url.searchParams.get("prompt")).toBe("login");
    const other = await addPerson();
    const foreign = await provider.visit(asked.url.href, other.subject);
    const both = `${cookie}; ${asked.cookie}`;
    expect((await come(foreign, both)).to).toBe("/dashboard/sign-in?fault=oidc_unknown&confirm");

    // The provider has a sign-in of this browser, which is older than the question.
    aheadMs = 60_000;
    const old = await begin(CONFIRM, cookie);
    old.url.searchParams.delete("prompt");
    old.url.searchParams.set("max_age", "1000");
    const remembered = await provider.visit(old.url.href, subject, jar);
    expect((await come(remembered, `${cookie}; ${old.cookie}`)).to).toBe(
      "/dashboard/sign-in?fault=oidc_invalid&confirm",
    );
    aheadMs = 0;

    const good = await begin(CONFIRM, cookie);
    const back = await provider.visit(good.url.href, subject, jar);
    expect((await come(back, `${cookie}; ${good.cookie}`)).to).toBe("/dashboard/sign-in?confirmed");
    expect((await call("POST", "/v1/projects/me/keys", key)).status).toBe(201);
  });

  test("an invitation opens no account of the provider's, and a silent provider is said to be away", async () => {
    const { subject, email } = await addPerson();
    const { cookie = "" } = await signIn(subject);
    const invited = await gateway.ask("POST", "/v1/members", {
      headers: { "x-secret-key": shop.secret },
      body: { email, liveRole: "viewer" },
    });
    expect(invited.status).toBe(201);
    const pressed = await gateway.ask("POST", new URL(invited.body.link).pathname, {
      headers: { ...SAME, "content-type": "application/x-www-form-urlencoded" },
      body: "name=Somebody",
    });
    expect(code(pressed)).toEqual([403, "link_invalid"]);
    expect((await readSession(cookie)).status).toBe(200);
    const { url, cookie: kept } = await begin();
    const back = await provider.visit(url.href, subject);
    await provider.stop();
    await expectRefused(await come(back, kept), "oidc_unavailable");
  });
});
