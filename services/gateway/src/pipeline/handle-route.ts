// One request through one route: key, origin, scope, limits, body, validation, handler, answer. Every step refuses
// by throwing a Failure, which the error handler renders.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure, isFailureKind } from "@pay/failures";
import { withActiveTrace } from "@pay/process";
import { isId } from "@pay/values";
import { detachParser } from "../http/detach-connection.ts";
import { parseObject } from "../http/parse-json.ts";
import { parseQuery } from "../http/parse-query.ts";
import { readBody } from "../http/read-body.ts";
import { noteReplay, sendJson, sendNotModified } from "../http/respond.ts";
import { type Lines, sendLines } from "../http/send-lines.ts";
import type { Idempotency } from "../idempotency/repeatable-call.ts";
import { KEY_HEADERS } from "../keys/authenticate.ts";
import { checkFields, getTenant } from "../keys/caller.ts";
import { kindOfKeyIn } from "../keys/key-in-query.ts";
import { type AuthorizedCaller, createAuthorization } from "./authorize.ts";
import type { Deps } from "./deps.ts";
import type { Limits } from "./limits/limits.ts";
import { findLists } from "./list-parameters.ts";
import { createTrails } from "./open-trail.ts";
import {
  type Call,
  type Incoming,
  isRepeatable,
  type LimitClass,
  NOT_FOUND,
  type Params,
  type Route,
} from "./route.ts";
import { describeUnknown } from "./unknown-fields.ts";
import { createFaults } from "./validate.ts";
import { noteDeprecated } from "./versions.ts";

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
/** Where a wrong secret counts against the payment. */
const COUNTED: ReadonlySet<LimitClass> = new Set(["confirm", "open"]);
const CREDENTIAL_HEADERS = [...Object.values(KEY_HEADERS), "authorization"];
const NO_BODY = Buffer.alloc(0);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is to find control characters
const CONTROL = /[\u0000-\u001f\u007f]/;

export function createRouteHandler(route: Route, deps: Deps, limits: Limits) {
  const { session, client, needs } = route;
  const parameters = new Set(Object.keys(route.query?.shape ?? {}));
  const lists = findLists(route.query);

  const admit = createAuthorization(route, deps, limits);
  const openTrail = createTrails(route, deps);

  /** A wrong key or client secret counts against the address that sent it; a missing one is no guess. */
  async function noteGuess(
    error: unknown,
    incoming: Incoming,
    admitted: AuthorizedCaller | undefined,
  ): Promise<void> {
    if (admitted === undefined) {
      if (isFailureKind("unauthenticated", error) && isGuess(error, incoming)) {
        await limits.takeWrongKey(incoming, incoming.response);
      }
    } else if (COUNTED.has(route.limit) && isFailureKind("permission_denied", error)) {
      limits.noteWrongSecret(admitted.caller, incoming);
    }
  }

  async function serve(incoming: Incoming, admitted: AuthorizedCaller): Promise<void> {
    const { request, response, params } = incoming;
    const { caller, shopper, payment } = admitted;
    const side = { ...route, ...(shopper && session), ...(payment && client) };
    checkParams(route, params);
    const hasBody = request.method === "POST" || request.method === "PUT";
    const bytes = hasBody ? await readBody(request) : NO_BODY;

    const faults = createFaults();
    const { known, unknown } = parseQuery(incoming.queryText, { names: parameters, lists });
    warn(response, describeUnknown("parameter", unknown, [...parameters]));
    const query = route.query === undefined ? {} : faults.read(route.query, known, "query");
    const given = bytes.length === 0 ? {} : parseObject(bytes);
    const fields = request.method === "POST" ? withoutNulls(given) : given;
    if (side.body !== undefined) {
      const names = Object.keys(fields);
      warn(response, describeUnknown("field", names, Object.keys(side.body.shape)));
    }
    const body = side.body === undefined ? {} : faults.read(side.body, fields, "body");
    faults.throwIfAny();
    if (needs !== undefined) checkFields(caller, needs, body);
    if (shopper !== undefined) checkShown(query, session?.shown);

    const key = isRepeatable(route) ? readIdempotencyKey(request) : undefined;
    const requestId = withActiveTrace(incoming.requestId);
    const tenant = getTenant(caller);
    const trail = openTrail(incoming, caller, body);
    const call: Call<Record<string, unknown>> & Pick<AuthorizedCaller, "shopper" | "payment"> = {
      requestId,
      caller,
      tenant,
      services: deps.bindServices({ tenant, requestId }),
      shopper,
      payment,
      params,
      query,
      queryText: incoming.queryText,
      body,
      header: (name) => getHeader(request, name),
      idempotency: (salt = "") =>
        key === undefined ? undefined : buildIdempotency(route, incoming.path, bytes, key, salt),
      reply: (name, value) => response.appendHeader(name, value),
      noteReplay: (answer) => {
        if (answer.replayed) trail.noteReplay();
        noteReplay(response, answer);
      },
      audit: trail,
    };
    if (route.deprecated) noteDeprecated(call.reply, deps.variantBSunset);
    if (route.follow !== undefined && wantsEvents(request)) {
      const { arrivedMs, clientAddress } = incoming;
      return route.follow.open({ call, arrivedMs, request, response, clientAddress }, deps);
    }
    const answer = await trail.follow(() => side.handle(call as never, deps));
    return sendAnswer(answer, route, incoming, deps.stopping);
  }

  return async (incoming: Incoming): Promise<void> => {
    let admitted: AuthorizedCaller | undefined;
    if (route.follow && wantsEvents(incoming.request)) {
      detachParser(incoming.request, incoming.response);
    }
    try {
      admitted = await admit(incoming);
      await serve(incoming, admitted);
    } catch (error) {
      await noteGuess(error, incoming, admitted);
      throw error;
    }
  };
}

function sendAnswer(
  answer: object,
  { lines, getTag, success }: Route,
  { request, response }: Incoming,
  stopping: AbortSignal,
): void | Promise<void> {
  if (lines !== undefined) return sendLines(response, answer as Lines, stopping);
  if (getTag !== undefined) {
    const tag = getTag(answer as Record<string, unknown>);
    response.setHeader("ETag", tag);
    if (getHeader(request, "if-none-match") === tag) return sendNotModified(response, stopping);
  }
  sendJson(response, success, answer, stopping);
}

function warn(response: ServerResponse, warning: string | undefined): void {
  if (warning !== undefined) response.appendHeader("X-Service-Warning", warning);
}

/** Typed clients write null where a new resource has no value. */
function withoutNulls(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function isGuess(error: unknown, incoming: Incoming): boolean {
  const isUnknownSignIn = error instanceof Failure && error.errorCode === "sign_in_invalid";
  return isUnknownSignIn || hasCredential(incoming);
}

function hasCredential({ request: { headers }, queryText }: Incoming): boolean {
  return (
    kindOfKeyIn(queryText) !== undefined ||
    CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined)
  );
}

/** A text without the form of an id is not found, and no service is called. */
function checkParams({ id }: Route, params: Params): void {
  for (const [name, value] of Object.entries(params)) {
    if (CONTROL.test(value)) {
      throw new Failure("path_malformed", `${name} must not contain control characters`);
    }
  }
  if (id !== undefined && !isId(id.prefix, params.id)) {
    throw new Failure(NOT_FOUND[id.noun], `${id.noun} not found`);
  }
}

/** A session may ask for less than the project's own keys. */
function checkShown(
  { expand }: { expand?: readonly string[] | undefined },
  shown: readonly string[] = [],
): void {
  const hidden = expand?.find((name) => !shown.includes(name));
  if (hidden === undefined) return;
  throw new Failure("session_forbidden", `expand=${hidden} is not available to a customer session`);
}

function wantsEvents(request: IncomingMessage): boolean {
  return request.method === "GET" && /\btext\/event-stream\b/.test(request.headers.accept ?? "");
}

function getHeader(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function readIdempotencyKey(request: IncomingMessage): string | undefined {
  // The draft of the header writes it in quotes.
  const key = getHeader(request, "idempotency-key")?.replace(/^"(.*)"$/, "$1");
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return key;
  throw new Failure(
    "idempotency_key_invalid",
    "Idempotency-Key must be 1 to 255 printable characters",
  );
}

function buildIdempotency(
  route: Route,
  path: string,
  body: Uint8Array,
  key: string,
  salt: string,
): Idempotency {
  return {
    // A merchant keeps its own keys apart; shoppers choose theirs without knowing of each other.
    route: `${route.method} ${route.auth === "secret" ? route.path : path}`,
    key,
    fingerprint: createHash("sha256").update(`${path}\n${salt}\n`).update(body).digest(),
  };
}
