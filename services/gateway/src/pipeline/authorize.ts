// Who makes a request, and whether the request may be made: key, sign-in, session or client secret, then origin, scope
// and limits.
import { Failure } from "@pay/failures";
import { withActiveTrace } from "@pay/process";
import type { Payment } from "@pay/proto";
import { KEY_HEADERS } from "../keys/authenticate.ts";
import {
  type Caller,
  checkAddress,
  checkConfirmed,
  checkScope,
  findRefundLimits,
  type KeyCaller,
} from "../keys/caller.ts";
import { kindOfKeyIn, rejectKeyInQuery } from "../keys/key-in-query.ts";
import { isSameOrigin, readCookie } from "../members/cookie.ts";
import { checkCsrfToken } from "../members/csrf.ts";
import { readSessionToken, type Shopper } from "../sessions/customer-sessions.ts";
import { type ClientCredential, openPayment, readClient, toMode } from "./client-secret.ts";
import { allowOrigin, checkOrigin, checkOwnOrigin, noteSecretFromPage } from "./cors.ts";
import type { Deps } from "./deps.ts";
import type { Limits } from "./limits/limits.ts";
import { withoutPort } from "./limits/network.ts";
import { type Incoming, isOpenToMembers, type Route } from "./route.ts";
import { NEWEST_VERSION, VERSION_HEADER, versionServed } from "./versions.ts";

export interface AuthorizedCaller {
  caller: Caller;
  /** Set when the request has a session, on a route that accepts one. */
  shopper?: Shopper | undefined;
  /** The payment whose client secret is in the header, on a route that accepts one. */
  payment?: Payment | undefined;
}

/** What must not come beside the cookie of a sign-in. */
const CREDENTIALS = [...Object.values(KEY_HEADERS), "authorization"];

/** The caller of routes that need no key. */
const WITHOUT_KEY: KeyCaller = {
  actor: "",
  projectId: "",
  type: "publishable",
  mode: "live",
  scopes: new Set(),
  expiresAt: null,
  allowedAddresses: [],
  allowedOrigins: [],
  paymentLifetimeMinutes: 0,
  unnamedTransfers: null,
  depositAddresses: false,
  wallets: null,
  variant: null,
  version: NEWEST_VERSION,
};

export function createAuthorization(route: Route, deps: Deps, limits: Limits) {
  const { method, path, scope, limited, session, confirmed } = route;
  const takesMembers = deps.dashboard.isOn && isOpenToMembers(route);

  async function admit(incoming: Incoming): Promise<AuthorizedCaller> {
    const { request, response, requestId } = incoming;
    const { headers } = request;
    const token = session && readSessionToken(headers);
    const client = token === undefined ? readClient(route, incoming, deps.peppers) : undefined;
    const auth = token === undefined ? route.auth : "publishable";
    const signIn = client === undefined ? readSignIn(incoming) : undefined;
    if (auth === "publishable") allowOrigin(response, headers.origin);
    if (kindOfKeyIn(incoming.queryText) !== undefined) {
      throw await rejectKeyInQuery(incoming.queryText, deps, { requestId, method, route: path });
    }
    if (auth === "none") {
      await count(incoming, WITHOUT_KEY, () => setVersionHeader(incoming, WITHOUT_KEY));
      return { caller: WITHOUT_KEY };
    }
    if (client !== undefined) return admitClient(incoming, client);
    if (signIn !== undefined) return { caller: await admitMember(incoming, signIn) };
    const caller = await admitKey(incoming, auth, (one) => {
      if (auth === "secret") noteSecretFromPage(headers.origin);
      checkRights(one, scope);
    });
    if (token === undefined) return { caller };
    return { caller, shopper: await deps.shoppers.find(token, caller) };
  }

  /** The cookie of a page of the dashboard. Any other page is served as if it had sent none. */
  function readSignIn({ request: { headers } }: Incoming): string | undefined {
    const cookie = takesMembers ? readCookie(headers, deps.dashboard) : undefined;
    if (cookie === undefined) return undefined;
    if (CREDENTIALS.some((name) => headers[name] !== undefined)) {
      throw new Failure("credentials_ambiguous", "A request has a sign-in or a key, not both");
    }
    return isSameOrigin(headers, deps.dashboard) ? cookie : undefined;
  }

  function checkRights(caller: Caller, needed: typeof scope): void {
    if (!limited || findRefundLimits(caller) === undefined) checkScope(caller, needed);
    if (confirmed && caller.mode === "live") checkConfirmed(caller);
  }

  async function admitMember(incoming: Incoming, cookie: string): Promise<Caller> {
    const { headers } = incoming.request;
    const caller = await deps.signIns.admit(cookie, headers);
    incoming.caller = caller;
    await count(incoming, caller, () => {
      setVersionHeader(incoming, caller);
      if (method !== "GET") checkCsrfToken(headers["x-csrf-token"], cookie, deps.peppers);
      // What needs a publishable key has no scope, and is still nothing for a member without any.
      checkRights(caller, scope ?? "payments:read");
    });
    return caller;
  }

  async function admitKey(
    incoming: Incoming,
    auth: "secret" | "publishable",
    check?: (caller: KeyCaller) => void,
  ): Promise<KeyCaller> {
    const { request, response } = incoming;
    const caller = await deps.authenticator.authenticate(request.headers, auth);
    incoming.caller = caller;
    await count(incoming, caller, () => {
      checkAddress(caller, () => withoutPort(incoming.clientAddress()));
      if (auth === "publishable") checkOrigin(response, request.headers.origin, caller);
      setVersionHeader(incoming, caller);
      check?.(caller);
    });
    return caller;
  }

  /** What is refused counts too: a publishable key is in everyone's hands. */
  async function count(incoming: Incoming, caller: Caller, check: () => void): Promise<void> {
    try {
      check();
    } catch (error) {
      await limits.takeRejected(route, caller, incoming, incoming.response);
      throw error;
    }
    await limits.take(route, caller, incoming, incoming.response);
  }

  /**
   * The secret alone is enough for the product's own pages; a page of the merchant needs the publishable key as well. A
   * ticket is for programs and pages of anybody: it opens one route, and shows what the payer may see.
   */
  async function admitClient(
    incoming: Incoming,
    client: ClientCredential,
  ): Promise<AuthorizedCaller> {
    const { request, response, params } = incoming;
    const hasKey = !client.isTicket && request.headers["x-publishable-key"] !== undefined;
    const known = hasKey ? await admitKey(incoming, "publishable") : undefined;
    if (known === undefined && !client.isTicket) checkOwnOrigin(response, request, deps.publicUrl);
    const requestId = withActiveTrace(incoming.requestId);
    const { clientSecret, trusted } = client;
    const claim = { id: params.id, clientSecret, trusted, requestId };
    const payment = await openPayment({ deps, limits }, incoming, known, claim);
    const caller = known ?? toCaller(payment);
    if (known === undefined) {
      incoming.caller = caller;
      await count(incoming, caller, () => setVersionHeader(incoming, caller));
    }
    return { caller, payment };
  }

  return admit;
}

function toCaller({ projectId, mode }: Payment): KeyCaller {
  return { ...WITHOUT_KEY, projectId, mode: toMode(mode) };
}

/** Every answer from here on, a refusal included, has a header with its version. */
function setVersionHeader({ request, response }: Incoming, { version }: Caller): void {
  const named = request.headers[VERSION_HEADER.toLowerCase()];
  const text = Array.isArray(named) ? named.join(", ") : named;
  response.setHeader(VERSION_HEADER, versionServed(text, version));
}
