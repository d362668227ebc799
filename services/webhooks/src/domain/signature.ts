// Signatures of webhooks. With the schemes v1 and sha256 the key is the whole secret, prefix included; with standard
// (standardwebhooks.com) it is the bytes that the secret encodes, and the signature covers the event's id.
import {
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

const SCHEMES = ["v1", "sha256", "standard"] as const;
export type Scheme = (typeof SCHEMES)[number];

const TIMESTAMP_AGE_MAX_S = 300;
const SECRET_BYTES = 32;
/** `whsec_` and the base64 of 32 bytes. */
const ENCODED_SECRET = /^whsec_([0-9A-Za-z+/]{43}=)$/;

export function parseScheme(text: string): Scheme {
  const scheme = SCHEMES.find((known) => known === text);
  if (scheme === undefined) throw new Error(`unknown signature scheme ${text}`);
  return scheme;
}

export function createWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

export function createSigningKey(secret: string, scheme: Scheme = "v1"): KeyObject {
  if (scheme !== "standard") return createSecretKey(Buffer.from(secret, "utf8"));
  const [, encoded] = ENCODED_SECRET.exec(secret) ?? [];
  if (encoded === undefined) {
    throw new Error("scheme standard needs a secret of whsec_ and the base64 of 32 bytes");
  }
  return createSecretKey(Buffer.from(encoded, "base64"));
}

function computeHmac(key: KeyObject, prefix: string, body: Uint8Array) {
  return createHmac("sha256", key).update(prefix).update(body);
}

export function signV1(key: KeyObject, timestamp: string, body: Uint8Array): string {
  return `v1=${computeHmac(key, `${timestamp}.`, body).digest("hex")}`;
}

export function signSha256(key: KeyObject, body: Uint8Array): string {
  return `sha256=${computeHmac(key, "", body).digest("hex")}`;
}

function signStandard(
  key: KeyObject,
  { eventId, timestamp, body }: { eventId: string; timestamp: string; body: Uint8Array },
): string {
  return `v1,${computeHmac(key, `${eventId}.${timestamp}.`, body).digest("base64")}`;
}

/** The signed body with its headers. */
export interface SignedRequest {
  key: KeyObject;
  /** The next secret, during a rotation. */
  nextKey?: KeyObject | undefined;
  scheme: Scheme;
  /** As it is sent. */
  body: Uint8Array;
  eventId: string;
  /** Mode of tenancy.proto. */
  mode: number;
  eventType: string;
  sequence: number;
  /** 1 to 4. */
  attempt: number;
  sentAt: Date;
  traceparent?: string | undefined;
}

const LIVE = 1;

/** The bytes that are sent for the body of an event. Scheme standard has no header for type and time of the event. */
export function wrapBody(
  body: Uint8Array,
  { scheme, eventType, occurredAt }: { scheme: Scheme; eventType: string; occurredAt: Date },
): Uint8Array {
  if (scheme !== "standard") return body;
  const head = `{"type":${JSON.stringify(eventType)},"timestamp":"${occurredAt.toISOString()}","data":`;
  return Buffer.concat([Buffer.from(head), body, Buffer.from("}")]);
}

/** Header names and values in turn. */
export function buildHeaders(signed: SignedRequest): string[] {
  const { scheme, eventType, mode } = signed;
  const timestamp = Math.floor(signed.sentAt.getTime() / 1_000).toString();
  // One array, because a dispatcher builds thousands of them each second.
  const headers = ["Content-Type", "application/json", "User-Agent", "Service-Webhooks/1"];
  headers.push("X-Service-Mode", mode === LIVE ? "live" : "test");
  if (scheme === "standard") addStandardSignature(headers, signed, timestamp);
  else addSignature(headers, { ...signed, scheme }, timestamp);
  if (signed.traceparent !== undefined) headers.push("traceparent", signed.traceparent);
  headers.push("X-Service-Event", eventType);
  if (scheme === "sha256") return headers;
  headers.push("X-Service-Timestamp", timestamp, "X-Service-Event-Id", signed.eventId);
  headers.push("X-Service-Attempt", String(signed.attempt));
  headers.push("X-Service-Sequence", String(signed.sequence));
  return headers;
}

/** Receivers compare the whole header with one value, so the second signature has a header of its own. */
function addSignature(
  headers: string[],
  {
    scheme,
    key,
    nextKey,
    body,
  }: Pick<SignedRequest, "key" | "nextKey" | "body"> & { scheme: "v1" | "sha256" },
  timestamp: string,
) {
  function sign(by: KeyObject) {
    return scheme === "v1" ? signV1(by, timestamp, body) : signSha256(by, body);
  }

  headers.push("X-Service-Signature", sign(key));
  if (nextKey !== undefined) headers.push("X-Service-Signature-Next", sign(nextKey));
}

function addStandardSignature(
  headers: string[],
  { key, nextKey, eventId, body }: SignedRequest,
  timestamp: string,
) {
  const signatures = [key, ...(nextKey === undefined ? [] : [nextKey])].map((by) =>
    signStandard(by, { eventId, timestamp, body }),
  );
  headers.push("webhook-id", eventId, "webhook-timestamp", timestamp);
  headers.push("webhook-signature", signatures.join(" "));
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * Verifies a request as a receiver does, with header names in lower case and the raw body. The receiver names the
 * scheme, so that a sender cannot choose the weaker one.
 */
export function verifyWebhook(
  secret: string,
  headers: Headers,
  rawBody: Uint8Array,
  { scheme = "v1", now = new Date() }: { scheme?: Scheme; now?: Date } = {},
): boolean {
  function header(name: string) {
    const value = headers[name];
    return typeof value === "string" ? value : "";
  }

  const key = createSigningKey(secret, scheme);
  if (scheme === "sha256") return isSame(header("x-service-signature"), signSha256(key, rawBody));
  const timestamp = header(scheme === "v1" ? "x-service-timestamp" : "webhook-timestamp");
  if (!isRecent(timestamp, now)) return false;
  if (scheme === "v1") {
    return isSame(header("x-service-signature"), signV1(key, timestamp, rawBody));
  }
  const signed = { eventId: header("webhook-id"), timestamp, body: rawBody };
  const expected = signStandard(key, signed);
  return header("webhook-signature")
    .split(" ")
    .some((signature) => isSame(signature, expected));
}

function isRecent(timestamp: string, now: Date): boolean {
  return (
    /^\d{1,12}$/.test(timestamp) &&
    Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= TIMESTAMP_AGE_MAX_S
  );
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
