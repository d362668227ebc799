// Which web pages may call. Browsers ask before they send a key, so that question is answered for anybody; the
// call itself, which carries the key, is held against the project's list. Secret routes never say anything to
// browsers: a page must not hold a secret key.
import type { ServerResponse } from "node:http";
import { Failure } from "@pay/rpc";
import { Counter } from "prom-client";
import type { Caller } from "./caller.ts";
import { allowsOrigin } from "./projects/origins.ts";

const REQUEST_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, X-Client-Secret, X-Publishable-Key, X-Request-Id, X-Service-Version";
const ANSWER_HEADERS =
  "Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Error-Code, X-Next-After, X-Request-Id, X-Service-Version";
const PREFLIGHT_SECONDS = "600";

const fromPages = new Counter({
  name: "secret_keys_from_pages_total",
  help: "Requests with a secret key that came from a web page: the key is in the wrong place",
});

/** Served, because the page cannot read the answer anyway; but somebody should be told. */
export const noteSecretFromPage = (origin: string | undefined): void => {
  if (origin !== undefined) fromPages.inc();
};

export const answerPreflight = (
  response: ServerResponse,
  origin: string | undefined,
  methods: readonly string[],
): void => {
  response.setHeader("Vary", "Origin");
  if (origin === undefined) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Allow-Methods", methods.join(", "));
  response.setHeader("Access-Control-Allow-Headers", REQUEST_HEADERS);
  response.setHeader("Access-Control-Max-Age", PREFLIGHT_SECONDS);
};

/** Lets the page read the answer, a refusal included; without an Origin nobody asks. */
export const admitOrigin = (response: ServerResponse, origin: string | undefined): void => {
  response.setHeader("Vary", "Origin");
  if (origin === undefined) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", ANSWER_HEADERS);
};

export const checkOrigin = (
  response: ServerResponse,
  origin: string | undefined,
  caller: Caller,
): void => {
  if (origin === undefined || allowsOrigin(caller.allowedOrigins, origin)) return;
  response.removeHeader("Access-Control-Allow-Origin");
  response.removeHeader("Access-Control-Expose-Headers");
  throw new Failure("permission_denied", "Origin is not allowed");
};
