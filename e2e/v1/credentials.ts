// Every kind of credential, and the rule that says which routes it may use. The rule reads only the route's own data,
// so it covers new routes too.
import { expect } from "@jest/globals";
import type { Route } from "@pay/gateway";
import type { Answer, Headers } from "./ask.ts";
import { keyHeader } from "./product.ts";
import type { Side, Tenant } from "./tenants.ts";

/** passes: the request is admitted, and the route's own row says what the answer is. */
export type Verdict = "passes" | 401 | 403;

export interface Credential {
  headers: Headers;
  /** Added to the path. */
  query?: string;
  /** The owner of the requested records. */
  side: Side;
  verdict(route: Route): Verdict;
}

function opens(secret: Verdict, publishable: Verdict) {
  return ({ auth }: Route): Verdict =>
    auth === "none" ? "passes" : auth === "secret" ? secret : publishable;
}

const nothing = opens(401, 401);
function always() {
  return 401 as const;
}

/** A restricted key needs the route's scope. A route without a scope needs a full key. */
function scoped(has: boolean) {
  return (route: Route): Verdict =>
    opens(has && route.scope !== undefined ? "passes" : 403, 401)(route);
}

/** For routes that accept sessions; other routes ignore the header. */
function withSession(good: Verdict, elsewhere: (route: Route) => Verdict) {
  return (route: Route): Verdict => (route.session === undefined ? elsewhere(route) : good);
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

const SCOPES = [
  "payments:read",
  "payments:write",
  "customers:read",
  "customers:write",
  "refunds:read",
  "refunds:write",
  "settlements:read",
  "settlements:write",
  "settlements:approve",
  "statements:read",
  "projects:read",
  "projects:write",
  "webhooks:read",
  "webhooks:write",
  "sessions:write",
  "keys:read",
  "keys:write",
  "audit:read",
  "members:read",
  "members:write",
  "logs:read",
];

/** Keys and sessions of the tenant that are no longer valid, or valid only with another credential. */
export interface Special {
  restricted: Record<"with" | "without", (scope: string | undefined) => string>;
  revoked: Record<"secret" | "publishable", string>;
  rolled: Record<"old" | "successor" | "ended", string>;
  rolledPublishable: string;
}

export async function makeSpecial(tenant: Tenant): Promise<Special> {
  const { makeKey, live } = tenant;
  const keys = "/v1/projects/me/keys";
  async function restrictedTo(scopes: string[]) {
    return (await makeKey({ type: "secret", scopes })).key as string;
  }

  async function getKeys(getScopes: (scope: string) => string[]) {
    return new Map(
      await Promise.all(
        SCOPES.map(async (scope) => [scope, await restrictedTo(getScopes(scope))] as const),
      ),
    );
  }

  async function revoke(type: string) {
    const { id, key } = await makeKey({ type });
    await live.as("DELETE", `${keys}/${id}`);
    return key;
  }

  async function roll(type: string, graceSeconds: number) {
    const { id, key } = await makeKey({ type });
    const { body } = await live.as("POST", `${keys}/${id}/roll`, { graceSeconds });
    return { old: key, successor: body.key as string };
  }

  const [everything, only, allBut, secret, publishable, graced, ended, open] = await Promise.all([
    restrictedTo(SCOPES),
    getKeys((scope) => [scope]),
    getKeys((scope) => SCOPES.filter((other) => other !== scope)),
    revoke("secret"),
    revoke("publishable"),
    roll("secret", 3_600),
    roll("secret", 0),
    roll("publishable", 3_600),
  ]);
  function pick(from: Map<string, string>) {
    return (scope: string | undefined) => from.get(scope ?? "") ?? everything;
  }

  return {
    restricted: { with: pick(only), without: pick(allBut) },
    revoked: { secret, publishable },
    rolled: { ...graced, ended: ended.old },
    rolledPublishable: open.old,
  };
}

export function toCredentials(
  route: Route,
  { live, test, endedSession }: Tenant,
  other: Tenant,
  special: Special,
): Record<string, Credential> {
  const { secret, publishable, session } = live;
  const own = keyHeader(secret);
  const open = keyHeader(publishable);
  const { restricted, revoked, rolled, rolledPublishable } = special;
  const guess = `sk_live_${"A".repeat(43)}`;
  function of(
    headers: Headers,
    verdict: Credential["verdict"],
    more: Partial<Credential> = {},
  ): Credential {
    return { headers, verdict, side: live, ...more };
  }

  return {
    none: of({}, nothing),
    secret: of(own, opens("passes", 401)),
    publishable: of(open, opens(401, "passes")),
    both: of({ ...own, ...open }, opens("passes", "passes")),
    "both, of two projects": of({ ...own, ...keyHeader(other.live.publishable) }, nothing),
    "both, the other way round": of({ ...open, ...keyHeader(other.live.secret) }, nothing),
    "secret beside an unknown publishable": of(
      { ...own, "x-publishable-key": guess.replace("sk", "pk") },
      nothing,
    ),
    "test secret": of(keyHeader(test.secret), opens("passes", 401), { side: test }),
    "test publishable": of(keyHeader(test.publishable), opens(401, "passes"), { side: test }),
    "restricted with the scope": of({ "x-secret-key": restricted.with(route.scope) }, scoped(true)),
    "restricted without the scope": of(
      { "x-secret-key": restricted.without(route.scope) },
      scoped(false),
    ),
    "restricted beside the publishable": of(
      { "x-secret-key": restricted.without(route.scope), ...open },
      (r) => (r.auth === "publishable" ? "passes" : scoped(false)(r)),
    ),
    "revoked secret": of(keyHeader(revoked.secret), nothing),
    "revoked publishable": of(keyHeader(revoked.publishable), nothing),
    "rolled, in its grace": of(keyHeader(rolled.old), opens("passes", 401)),
    "rolled, its successor": of(keyHeader(rolled.successor), opens("passes", 401)),
    "rolled, after its grace": of(keyHeader(rolled.ended), nothing),
    "rolled publishable, in its grace": of(keyHeader(rolledPublishable), opens(401, "passes")),
    "secret in the header of the other": of({ "x-publishable-key": secret }, nothing),
    "publishable in the header of the other": of({ "x-secret-key": publishable }, nothing),
    "secret as bearer": of(bearer(secret), nothing),
    "secret twice": of({ "x-secret-key": [secret, secret] }, nothing),
    "a secret that was never made": of({ "x-secret-key": guess }, nothing),
    "a secret cut short": of({ "x-secret-key": secret.slice(0, -1) }, nothing),
    "a secret of 8 kB": of({ "x-secret-key": secret.padEnd(8_192, "A") }, nothing),
    "a secret beyond ASCII": of({ "x-secret-key": `${secret.slice(0, -1)}\u00e9` }, nothing),
    "secret in the query": of({}, always, { query: `key=${secret}` }),
    "secret in the query and its header": of({ ...own, ...open }, always, {
      query: `api_key=${secret}`,
    }),
    session: of({ ...open, ...bearer(session) }, withSession("passes", opens(401, "passes"))),
    "session alone": of(bearer(session), nothing),
    "session beside the secret": of(
      { ...own, ...bearer(session) },
      withSession(401, opens("passes", 401)),
    ),
    "session beside the other project's key": of(
      { ...keyHeader(other.live.publishable), ...bearer(session) },
      withSession(401, opens(401, "passes")),
      { side: other.live },
    ),
    "session beside the other mode's key": of(
      { ...keyHeader(test.publishable), ...bearer(session) },
      withSession(401, opens(401, "passes")),
      { side: test },
    ),
    "session after its issuer changed": of(
      { ...open, ...bearer(endedSession) },
      withSession(401, opens(401, "passes")),
    ),
    "a session that was never made": of(
      { ...open, ...bearer(`sess_${"A".repeat(43)}`) },
      withSession(401, opens(401, "passes")),
    ),
    "session in the query": of(open, always, { query: `token=${session}` }),
  };
}

const REFUSALS: Record<number, { error: string; message: RegExp; code: RegExp }> = {
  401: {
    error: "Unauthorized",
    message: /^(API key is invalid or missing|Session is invalid or expired)$/,
    code: /^(api_key_invalid|api_key_expired|session_invalid)$/,
  },
  403: {
    error: "Forbidden",
    message: /^API key lacks the scope \w+:\w+$/,
    code: /^scope_missing$/,
  },
};

/** The body and the code of a request whose credential opens nothing. */
export function expectRefused(answer: Answer) {
  const { error, message, code } = REFUSALS[answer.status] ?? {};
  expect(answer.body).toEqual({
    statusCode: answer.status,
    error,
    message: expect.stringMatching(message ?? /$^/),
  });
  expect(answer.headers).toMatchObject({
    "x-request-id": expect.any(String),
    "x-error-code": expect.stringMatching(code ?? /$^/),
  });
}
