// One request through one route: key, origin, scope, limits, body, validation, handler, answer. Every step refuses
// by throwing a Failure; errors.ts renders it.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isId } from "@pay/money";
import { Failure } from "@pay/rpc";
import { sendJson } from "./answer.ts";
import { refuseKeyInQuery } from "./auth.ts";
import { readBody } from "./body.ts";
import { type Caller, checkScope } from "./caller.ts";
import { admitOrigin, checkOrigin, noteSecretFromPage } from "./cors.ts";
import type { Deps } from "./deps.ts";
import { parseObject } from "./json.ts";
import type { Limits } from "./limits/limits.ts";
import { parseQuery } from "./query.ts";
import type { Call, Idempotency, Params, Route } from "./route.ts";
import { checkShown } from "./sso/ownership.ts";
import { type Shopper, sessionTokenOf } from "./sso/shoppers.ts";
import { createFaults } from "./validate.ts";
import { NEWEST_VERSION, VERSION_HEADER, versionServed } from "./versions.ts";

/** What is known of a request besides what it says itself. */
export interface Incoming {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  params: Params;
  path: string;
  queryText: string;
  /** Address of the client, as far as the proxies in front are ours. */
  clientAddress(): string;
  /** Set once the key is known. */
  caller?: Caller;
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
const NO_BODY = Buffer.alloc(0);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Nobody: the caller of routes that need no key. */
const ANYBODY: Caller = {
  keyId: "",
  projectId: "",
  type: "publishable",
  mode: "live",
  scopes: [],
  expiresAt: null,
  allowedOrigins: [],
  paymentLifetimeMinutes: 0,
  variant: null,
  version: NEWEST_VERSION,
};

interface Admitted {
  caller: Caller;
  /** Set when a session was presented where one opens the route. */
  shopper?: Shopper;
}

export const createRouteHandler = (route: Route, deps: Deps, limits: Limits) => {
  const { method, path, scope, session, success } = route;
  const parameters = new Set(Object.keys(route.query?.shape ?? {}));

  const admit = async (incoming: Incoming): Promise<Admitted> => {
    const { request, response, requestId } = incoming;
    const { origin } = request.headers;
    const token = session && sessionTokenOf(request.headers);
    const auth = token === undefined ? route.auth : "publishable";
    if (auth === "publishable") admitOrigin(response, origin);
    refuseKeyInQuery(incoming.queryText, deps.log, { requestId, method, route: path });
    if (auth === "none") {
      answerVersion(incoming, ANYBODY);
      return { caller: ANYBODY };
    }
    const caller = await deps.authenticator.authenticate(request.headers, auth);
    incoming.caller = caller;
    if (auth === "publishable") checkOrigin(response, origin, caller);
    else noteSecretFromPage(origin);
    answerVersion(incoming, caller);
    checkScope(caller, scope);
    const taking = limits.take(route, caller, incoming, response);
    if (taking !== undefined) await taking;
    if (token === undefined) return { caller };
    return { caller, shopper: await deps.shoppers.find(token, caller) };
  };

  return async (incoming: Incoming): Promise<void> => {
    const { request, response, params } = incoming;
    const { caller, shopper } = await admit(incoming);
    const side = shopper === undefined ? route : { ...route, ...session };
    checkParams(route, params);
    const hasBody = request.method === "POST" || request.method === "PUT";
    const bytes = hasBody ? await readBody(request) : NO_BODY;

    const faults = createFaults();
    const given = parseQuery(incoming.queryText, parameters);
    const query = route.query === undefined ? {} : faults.read(route.query, given, "query");
    const fields = bytes.length === 0 ? {} : parseObject(bytes);
    const body = side.body === undefined ? {} : faults.read(side.body, fields, "body");
    faults.throwIfAny();
    if (shopper !== undefined) checkShown(query);

    const key = request.method === "POST" ? idempotencyKeyOf(request) : undefined;
    const call: Call = {
      requestId: incoming.requestId,
      caller,
      params,
      query,
      body,
      header: (name) => headerOf(request, name),
      idempotency: (salt = "") =>
        key === undefined ? undefined : idempotencyOf(route, incoming.path, bytes, key, salt),
      reply: (name, value) => response.setHeader(name, value),
    };
    const answer = await side.handle({ ...call, shopper } as never, deps);
    sendJson(response, success, answer, deps.stopping);
  };
};

/** From here on every answer, a refusal included, says in which version it is. */
const answerVersion = ({ request, response }: Incoming, { version }: Caller): void => {
  const named = headerOf(request, VERSION_HEADER.toLowerCase());
  response.setHeader(VERSION_HEADER, versionServed(named, version));
};

/** An id without the form of one names nothing, so nobody needs to be asked. */
const checkParams = ({ id }: Route, params: Params): void => {
  for (const [name, value] of Object.entries(params)) {
    if (CONTROL.test(value)) {
      throw new Failure("invalid_argument", `${name} must not contain control characters`);
    }
  }
  if (id !== undefined && !isId(id.prefix, params.id)) {
    throw new Failure("not_found", `${id.noun} not found`);
  }
};

const headerOf = (request: IncomingMessage, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
};

const idempotencyKeyOf = (request: IncomingMessage): string | undefined => {
  const key = headerOf(request, "idempotency-key");
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return key;
  throw new Failure("invalid_argument", "Idempotency-Key must be 1 to 255 printable characters");
};

const idempotencyOf = (
  route: Route,
  path: string,
  body: Uint8Array,
  key: string,
  salt: string,
): Idempotency => ({
  // Merchants number their own keys; shoppers choose theirs without knowing of each other.
  route: `${route.method} ${route.auth === "publishable" ? path : route.path}`,
  key,
  fingerprint: createHash("sha256").update(`${path}\n${salt}\n`).update(body).digest(),
});
