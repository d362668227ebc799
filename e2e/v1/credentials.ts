// Every kind of credential somebody may come with, and the rule what it opens. The rule looks at nothing but what the
// route says of itself, so a new route is judged by the same rules.
import type { Route } from "@pay/gateway";
import type { Headers } from "./ask.ts";
import { keyHeader } from "./product.ts";
import type { Side, Tenant } from "./tenants.ts";

/** passes: the door opens, and the route's own row says what the answer is. */
export type Verdict = "passes" | 401 | 403;

export interface Credential {
  headers: Headers;
  /** Added to the path. */
  query?: string;
  /** Whose things are asked for; a door may open to things of the other mode or not at all. */
  side: Side;
  verdict(route: Route): Verdict;
}

const opens =
  (secret: Verdict, publishable: Verdict) =>
  ({ auth }: Route): Verdict =>
    auth === "none" ? "passes" : auth === "secret" ? secret : publishable;

const nothing = opens(401, 401);
const always = () => 401 as const;

/** A restricted key needs the route's scope; what has no scope is for full keys alone. */
const scoped =
  (has: boolean) =>
  (route: Route): Verdict =>
    opens(has && route.scope !== undefined ? "passes" : 403, 401)(route);

/** Where sessions are read at all; elsewhere the header says nothing. */
const withSession =
  (good: Verdict, elsewhere: (route: Route) => Verdict) =>
  (route: Route): Verdict =>
    route.session === undefined ? elsewhere(route) : good;

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

export const SCOPES = [
  ...["payments:read", "payments:write", "customers:read", "customers:write"],
  ...["refunds:read", "refunds:write", "settlements:read", "settlements:write"],
  ...["projects:read", "projects:write", "webhooks:read", "webhooks:write", "sessions:write"],
];

/** Keys and sessions of the tenant that were good once, or are good only beside others. */
export interface Special {
  restricted: Record<"with" | "without", (scope: string | undefined) => string>;
  revoked: Record<"secret" | "publishable", string>;
  rolled: Record<"old" | "successor" | "ended", string>;
  rolledPublishable: string;
}

export const makeSpecial = async (tenant: Tenant): Promise<Special> => {
  const { makeKey, live } = tenant;
  const keys = "/v1/projects/me/keys";
  const restrictedTo = async (scopes: string[]) =>
    (await makeKey({ type: "secret", scopes })).key as string;
  const keysOf = async (scopesOf: (scope: string) => string[]) =>
    new Map(
      await Promise.all(
        SCOPES.map(async (scope) => [scope, await restrictedTo(scopesOf(scope))] as const),
      ),
    );
  const revoke = async (type: string) => {
    const { id, key } = await makeKey({ type });
    await live.as("DELETE", `${keys}/${id}`);
    return key;
  };
  const roll = async (type: string, graceSeconds: number) => {
    const { id, key } = await makeKey({ type });
    const { body } = await live.as("POST", `${keys}/${id}/roll`, { graceSeconds });
    return { old: key, successor: body.key as string };
  };
  const [everything, only, allBut, secret, publishable, graced, ended, open] = await Promise.all([
    restrictedTo(SCOPES),
    keysOf((scope) => [scope]),
    keysOf((scope) => SCOPES.filter((other) => other !== scope)),
    revoke("secret"),
    revoke("publishable"),
    roll("secret", 3_600),
    roll("secret", 0),
    roll("publishable", 3_600),
  ]);
  const pick = (from: Map<string, string>) => (scope: string | undefined) =>
    from.get(scope ?? "") ?? everything;
  return {
    restricted: { with: pick(only), without: pick(allBut) },
    revoked: { secret, publishable },
    rolled: { ...graced, ended: ended.old },
    rolledPublishable: open.old,
  };
};

export const credentialsOf = (
  route: Route,
  { live, test, endedSession }: Tenant,
  other: Tenant,
  special: Special,
): Record<string, Credential> => {
  const { secret, publishable, session } = live;
  const own = keyHeader(secret);
  const open = keyHeader(publishable);
  const { restricted, revoked, rolled, rolledPublishable } = special;
  const guess = `sk_live_${"A".repeat(43)}`;
  const of = (
    headers: Headers,
    verdict: Credential["verdict"],
    more: Partial<Credential> = {},
  ): Credential => ({ headers, verdict, side: live, ...more });

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
};
