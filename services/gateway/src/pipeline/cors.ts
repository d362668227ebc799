// Which web pages may call. A preflight request carries no key, so it is answered for every origin; the
// call itself carries the key, and its origin must be on the project's list. Routes with a secret key have no CORS
// headers: a page must not hold a secret key.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure } from "@pay/failures";
import { Counter } from "prom-client";
import type { Caller } from "../keys/caller.ts";
import { allowsOrigin } from "../projects/origins.ts";

// Clients of x402 name the headers that they want to read in a header of their request.
const REQUEST_HEADERS =
  "Access-Control-Expose-Headers, Authorization, Content-Type, Idempotency-Key, If-None-Match, PAYMENT-SIGNATURE, X-Client-Secret, X-Publishable-Key, X-Request-Id, X-Service-Variant, X-Service-Version";
const ANSWER_HEADERS =
  "ETag, Idempotent-Replayed, Link, PAYMENT-REQUIRED, PAYMENT-RESPONSE, RateLimit, RateLimit-Policy, Retry-After, X-Error-Code, X-Next-After, X-Request-Id, X-Service-Version, X-Service-Warning";
const PREFLIGHT_SECONDS = "600";

const fromPages = new Counter({
  name: "secret_keys_from_pages_total",
  help: "Requests with a secret key that came from a web page: the key is in the wrong place",
});

/** The request is served, because the page cannot read the answer; the metric shows that the key is in a page. */
export function noteSecretFromPage(origin: string | undefined): void {
  if (origin !== undefined) fromPages.inc();
}

export function answerPreflight(
  response: ServerResponse,
  origin: string | undefined,
  methods: readonly string[],
): void {
  response.setHeader("Vary", "Origin");
  if (origin === undefined) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Allow-Methods", methods.join(", "));
  response.setHeader("Access-Control-Allow-Headers", REQUEST_HEADERS);
  response.setHeader("Access-Control-Max-Age", PREFLIGHT_SECONDS);
}

/** Lets the page read the answer, a refusal included. Only browsers send an Origin. */
export function allowOrigin(response: ServerResponse, origin: string | undefined): void {
  response.setHeader("Vary", "Origin");
  if (origin === undefined) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", ANSWER_HEADERS);
}

export function checkOrigin(
  response: ServerResponse,
  origin: string | undefined,
  caller: Caller,
): void {
  if (origin === undefined || allowsOrigin(caller.allowedOrigins, origin)) return;
  refuseOrigin(response);
}

/**
 * Without a key only the product's own pages may call. Where they are served by https their address is the public one,
 * elsewhere also the one that the request came to.
 */
export function checkOwnOrigin(
  response: ServerResponse,
  { headers }: IncomingMessage,
  publicUrl: string,
): void {
  const { origin, host } = headers;
  if (origin === undefined) return;
  const own = URL.canParse(publicUrl) ? new URL(publicUrl).origin : undefined;
  const isHost = URL.canParse(origin) && new URL(origin).host === host;
  const isOwn = origin === own || (isHost && own?.startsWith("https:") !== true);
  if (!isOwn) refuseOrigin(response);
}

function refuseOrigin(response: ServerResponse): never {
  response.removeHeader("Access-Control-Allow-Origin");
  response.removeHeader("Access-Control-Expose-Headers");
  throw new Failure("origin_not_allowed", "Origin is not allowed");
}
