import { databaseConfig } from "@pay/database";
import { isPolicy, parseProxy } from "@pay/egress";
import { variable } from "@pay/process";
import { z } from "zod";
import { parsePeppers } from "./keys/pepper.ts";
import { parseSmtpUrl } from "./mail/smtp-url.ts";
import { oidcSettings } from "./members/oidc-provider.ts";
import { rateLimits } from "./pipeline/limits/rate-limits.ts";

const REDIS_ADDRESS = /^rediss?:\/\/[^/?#]+(?:\/\d*)?$/;
function isRedisAddress(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    return REDIS_ADDRESS.test(text) && decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

function isDashboard(text: string): boolean {
  if (text === "on" || text === "off") return true;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}

function address() {
  return z.string().min(1);
}

export const gatewayConfig = z.object({
  ...databaseConfig("GATEWAY"),
  /** Port of the REST interface; 0 picks a free one. */
  PORT: variable.port(8080),
  /** Interface the REST port listens on; :: for all of them. */
  GATEWAY_HOST: variable.host(),
  /** Address merchants reach the service under, e.g. https://pay.example.com. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Secrets under which API keys are digested, `version:secret` each; the first makes new digests, all find keys. */
  GATEWAY_KEY_PEPPER: variable.parsed(
    parsePeppers,
    "must be a list of version:secret, each secret 32 characters or more",
  ),
  /** Where the other services answer, e.g. dns:///payments:50051. */
  PAYMENTS_ADDRESS: address(),
  CUSTOMERS_ADDRESS: address(),
  REFUNDS_ADDRESS: address(),
  CHAINS_ADDRESS: address(),
  WEBHOOKS_ADDRESS: address(),
  /** How many proxies in front are ours; only their X-Forwarded-* headers are believed. */
  TRUST_PROXY: variable.count(1, 10),
  /** 1 refuses requests that reached the outermost proxy as plain HTTP; unset: 1, unless PUBLIC_URL is http. */
  REQUIRE_HTTPS: z.enum(["0", "1"]).optional(),
  /** Private hosts, addresses and ranges a callbackUrl or an SSO issuer may name; localhost is this machine. */
  WEBHOOKS_ALLOW_HOSTS: variable
    .list()
    .refine(
      (allowHosts) => isPolicy({ allowHosts }),
      "must be a list of host names, addresses and CIDR ranges",
    ),
  /** Lets them use http, towards hosts allowed by the setting above. */
  WEBHOOKS_ALLOW_HTTP: variable.flag(),
  /** A CONNECT proxy through which calls to SSO issuers go, http://user:password@host:port. */
  WEBHOOKS_PROXY_URL: variable.parsed(parseProxy, "must be http://host:port").optional(),
  /** Bound on a call to another service. */
  GATEWAY_CALL_TIMEOUT_MS: variable.ms(4_000),
  /** A Redis in which all replicas count rate limits together; without one, each counts for itself. */
  REDIS_URL: z
    .string()
    .refine(
      isRedisAddress,
      "must be redis://host or rediss://host, with user:password@, :port and /database where needed",
    )
    .optional(),
  /** How long a change of a project's default wallets waits, as a new address of the address book does. */
  SETTLEMENT_DESTINATION_DELAY_HOURS: z.coerce.number().min(0).max(8_760).default(24),
  /** The day until which Variant B is served at least, as a merchant is told; none: no day is promised. */
  VARIANT_B_SUNSET: z.iso.date("must be a day, e.g. 2027-11-21").optional(),
  /** Where faults of security are reported, https://… or mailto:…; /.well-known/security.txt names it. */
  SECURITY_CONTACT: z
    .url({ protocol: /^(?:https|mailto)$/, error: "must be https://... or mailto:..." })
    .optional(),
  /** 1 puts the client's address into the line of each request in the log. */
  LOG_CLIENT_ADDRESS: variable.flag(),
  /** off removes the dashboard; an address gives it a host of its own. */
  DASHBOARD: z
    .string()
    .refine(
      isDashboard,
      "must be on, off or an address without a path, e.g. https://desk.example.com",
    )
    .default("on"),
  /** Secret. The identity provider by which members sign in, as JSON. */
  OIDC: variable
    .parts(
      oidcSettings,
      '{"issuer": "https://login.example", "clientId": "pay", "clientSecret": "...", "name": "Example"}',
    )
    .optional(),
  /** Secret. The mail server by which members get invitations and notices; without one, links are copied. */
  SMTP_URL: variable
    .parsed(
      parseSmtpUrl,
      "must be smtps://user:password@host:port?from=pay@example.com, or smtp:// for STARTTLS",
    )
    .optional(),
  /** How often projects and addresses may ask, as JSON. */
  RATE_LIMITS: rateLimits,
});

/** Bounds that no installation sets. Tests shorten them. */
export const BOUNDS = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 15_000,
  /** A client that does not read its response within this time is disconnected. */
  responseTimeoutMs: 30_000,
  connectionAgeMaxMs: 300_000,
  /** Load balancers of the large clouds keep an idle connection for up to 600 s, and must close it first. */
  keepAliveMs: 620_000,
  /** Connections at a time, those of streams too; more are closed at once. */
  connectionsMax: 15_000,
  /** Pages that follow a payment at a time; more get 503, and more than a share of them 429. */
  paymentStreams: { inProcess: 10_000, perProject: 1_000, perAddress: 50, perPayment: 20 },
  /** Receivers that follow a project's events at a time; more get 503. */
  eventStreamsMax: 200,
  /** A revoked key works no longer than this. */
  keyCacheMs: 3_000,
  keyCacheMax: 10_000,
  keyUseIntervalMs: 60_000,
  /** An invitation's request waits no longer for the mail server. */
  mailTimeoutMs: 5_000,
  /** After this time a replica counts rate limits for itself until Redis is back. */
  redisTimeoutMs: 50,
};
export type Bounds = typeof BOUNDS;

/** Plain HTTP is for a service that is only reached from its own machine. */
export function requiresHttps(
  config: Pick<GatewayConfig, "REQUIRE_HTTPS" | "PUBLIC_URL">,
): boolean {
  return config.REQUIRE_HTTPS === undefined
    ? !config.PUBLIC_URL?.startsWith("http:")
    : config.REQUIRE_HTTPS === "1";
}

export type GatewayConfig = z.infer<typeof gatewayConfig>;
