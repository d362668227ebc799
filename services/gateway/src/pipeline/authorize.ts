// Who makes a request, and whether the request may be made: key, session or client secret, then origin, scope and
// limits.
import type { Payment } from "@pay/proto";
import { type Caller, checkScope, checkUnrestrictedLive } from "../keys/caller.ts";
import { kindOfKeyIn, rejectKeyInQuery } from "../keys/key-in-query.ts";
import { readSessionToken, type Shopper } from "../sessions/customer-sessions.ts";
import { deriveClientSecret, openPayment, toMode } from "./client-secret.ts";
import { allowOrigin, checkOrigin, checkOwnOrigin, noteSecretFromPage } from "./cors.ts";
import type { Deps } from "./deps.ts";
import type { Limits } from "./limits/limits.ts";
import type { Incoming, Route } from "./route.ts";
import { NEWEST_VERSION, VERSION_HEADER, versionServed } from "./versions.ts";

export interface AuthorizedCaller {
  caller: Caller;
  /** Set when the request has a session, on a route that accepts one. */
  shopper?: Shopper | undefined;
  /** The payment whose client secret is in the header, on a route that accepts one. */
  payment?: Payment | undefined;
}

/** The caller of routes that need no key. */
const WITHOUT_KEY: Caller = {
  keyId: "",
  projectId: "",
  type: "publishable",
  mode: "live",
  scopes: new Set(),
  expiresAt: null,
  allowedOrigins: [],
  paymentLifetimeMinutes: 0,
  unnamedTransfers: null,
  variant: null,
  version: NEWEST_VERSION,
};

export function createAuthorization(route: Route, deps: Deps, limits: Limits) {
  const { method, path, scope, session, tag, unrestrictedLive } = route;

  async function admit(incoming: Incoming): Promise<AuthorizedCaller> {
    const { request, response, requestId } = incoming;
    const { headers } = request;
    const token = session && readSessionToken(headers);
    const clientSecret =
      token === undefined ? route.client && deriveClientSecret(headers) : undefined;
    const auth = token === undefined ? route.auth : "publishable";
    if (auth === "publishable") allowOrigin(response, headers.origin);
    if (kindOfKeyIn(incoming.queryText) !== undefined) {
      throw await rejectKeyInQuery(incoming.queryText, deps, { requestId, method, route: path });
    }
    if (auth === "none") {
      await count(incoming, WITHOUT_KEY, () => setVersionHeader(incoming, WITHOUT_KEY));
      return { caller: WITHOUT_KEY };
    }
    if (clientSecret !== undefined) return admitClient(incoming, clientSecret);
    const caller = await admitKey(incoming, auth, (one) => {
      if (auth === "secret") noteSecretFromPage(headers.origin);
      if (unrestrictedLive) checkUnrestrictedLive(one, `${tag} can only be managed`);
      checkScope(one, scope);
    });
    if (token === undefined) return { caller };
    return { caller, shopper: await deps.shoppers.find(token, caller) };
  }

  async function admitKey(
    incoming: Incoming,
    auth: "secret" | "publishable",
    check?: (caller: Caller) => void,
  ): Promise<Caller> {
    const { request, response } = incoming;
    const caller = await deps.authenticator.authenticate(request.headers, auth);
    incoming.caller = caller;
    await count(incoming, caller, () => {
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
   * The secret alone is enough for the product's own pages; a page of the merchant needs the publishable key as well.
   */
  async function admitClient(incoming: Incoming, clientSecret: string): Promise<AuthorizedCaller> {
    const { request, response, params } = incoming;
    const hasKey = request.headers["x-publishable-key"] !== undefined;
    const known = hasKey ? await admitKey(incoming, "publishable") : undefined;
    if (known === undefined) checkOwnOrigin(response, request, deps.publicUrl);
    const claim = { id: params.id, clientSecret, requestId: incoming.requestId };
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

function toCaller({ projectId, mode }: Payment): Caller {
  return { ...WITHOUT_KEY, projectId, mode: toMode(mode) };
}

/** Every answer from here on, a refusal included, has a header with its version. */
function setVersionHeader({ request, response }: Incoming, { version }: Caller): void {
  const named = request.headers[VERSION_HEADER.toLowerCase()];
  const text = Array.isArray(named) ? named.join(", ") : named;
  response.setHeader(VERSION_HEADER, versionServed(text, version));
}
