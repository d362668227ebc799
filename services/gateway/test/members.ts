// Members who sign in to the dashboard of a gateway under test.
import { newId } from "@pay/values";
import { createOwnerLink } from "../src/operator/members.ts";
import type { Answer, TestGateway, TestProject } from "./gateway.ts";

export const PEPPER = "pepper-of-the-tests-0123456789-abcdef";
export const SAME = { "sec-fetch-site": "same-origin" };
export const ME = "/v1/projects/me";

export type Signed = Awaited<ReturnType<ReturnType<typeof createMembers>["signIn"]>>;

export function getCookie({ headers }: Answer): string {
  const [set = ""] = headers["set-cookie"] ?? [];
  return set.split(";")[0] ?? "";
}

export function code({ status, headers }: Answer) {
  return [status, headers["x-error-code"]];
}

/** Both are started after this is called. */
export function createMembers(gateway: () => TestGateway, shop: () => TestProject) {
  function surroundings(baseUrl = "http://127.0.0.1:8080") {
    return { baseUrl, gatewayDatabaseUrl: gateway().databaseUrl, gatewayKeyPepper: PEPPER };
  }

  async function link(email = `${newId("mem")}@shop.example`.toLowerCase()) {
    const owner = { email, name: "Ane", projectId: shop().id };
    const { dashboard, memberId } = await createOwnerLink(surroundings(), owner);
    return { email, memberId, path: new URL(dashboard).pathname, dashboard };
  }

  function press(path: string, headers: Record<string, string> = SAME) {
    return gateway().ask("POST", path, { headers });
  }

  function readSession(cookie: string) {
    return gateway().ask("GET", "/dashboard/session", { headers: { ...SAME, cookie } });
  }

  /** A member who is signed in, with the roles of the shop. */
  async function signIn(roles: { live?: string | null; test?: string | null } = {}) {
    const made = await link();
    const { live = "owner", test: inTest = "owner" } = roles;
    await gateway().pool.query(
      "update memberships set live_role = $2, test_role = $3 where member_id = $1",
      [made.memberId, live, inTest],
    );
    const cookie = getCookie(await press(made.path));
    const { body } = await readSession(cookie);
    return { ...made, cookie, session: body };
  }

  /** As after the use of a passkey; a change of the own name forgets what the gateway has cached. */
  async function confirm(signed: Pick<Signed, "memberId" | "cookie" | "session">) {
    const statement = "update member_sessions set confirmed_at = now() where member_id = $1";
    await gateway().pool.query(statement, [signed.memberId]);
    const { name } = signed.session.member;
    await as(signed)("PUT", "/dashboard/account/name", { name });
  }

  async function signInConfirmed() {
    const signed = await signIn();
    await confirm(signed);
    return signed;
  }

  function as(
    { cookie, session }: { cookie: string; session: { csrfToken: string } },
    more: Record<string, string> = {},
  ) {
    const headers = {
      ...SAME,
      cookie,
      "x-project": shop().id,
      "x-service-mode": "live",
      "x-csrf-token": session.csrfToken,
      ...more,
    };
    return (method: string, path: string, body?: object) =>
      gateway().ask(method, path, { headers, ...(body && { body }) });
  }

  return { surroundings, link, press, readSession, signIn, signInConfirmed, confirm, as };
}
