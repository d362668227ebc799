// Signatures of webhooks. The key is the whole secret, prefix included; the signature covers the body's bytes and, with
// scheme v1, the time of the attempt.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

export type Scheme = "v1" | "sha256";

const TIMESTAMP_AGE_MAX_S = 300;

export function createSigningKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, "utf8"));
}

function computeHmac(key: KeyObject, prefix: string, body: Uint8Array): string {
  return createHmac("sha256", key).update(prefix).update(body).digest("hex");
}

export function signV1(key: KeyObject, timestamp: string, body: Uint8Array): string {
  return `v1=${computeHmac(key, `${timestamp}.`, body)}`;
}

export function signSha256(key: KeyObject, body: Uint8Array): string {
  return `sha256=${computeHmac(key, "", body)}`;
}

/** The signed body with its headers. */
export interface SignedRequest {
  key: KeyObject;
  /** The next secret, during a rotation. */
  nextKey?: KeyObject | undefined;
  scheme: Scheme;
  body: Uint8Array;
  eventId: string;
  /** Mode of tenancy.proto. */
  mode: number;
  eventType: string;
  sequence: number;
  /** 1 to 4. */
  attempt: number;
  sentAt: Date;
}

const LIVE = 1;

/** Header names and values in turn. */
export function buildHeaders(signed: SignedRequest): string[] {
  const { key, nextKey, scheme, body, eventType, mode } = signed;
  const timestamp = Math.floor(signed.sentAt.getTime() / 1_000).toString();
  function sign(by: KeyObject) {
    return scheme === "v1" ? signV1(by, timestamp, body) : signSha256(by, body);
  }

  // One array, because a dispatcher builds thousands of them each second.
  const headers = [
    "Content-Type",
    "application/json",
    "User-Agent",
    "Service-Webhooks/1",
    "X-Service-Mode",
    mode === LIVE ? "live" : "test",
    "X-Service-Signature",
    sign(key),
  ];
  // Receivers compare the whole header with one value, so the second signature has a header of its own.
  if (nextKey !== undefined) headers.push("X-Service-Signature-Next", sign(nextKey));
  headers.push("X-Service-Event", eventType);
  if (scheme === "sha256") return headers;
  headers.push("X-Service-Timestamp", timestamp, "X-Service-Event-Id", signed.eventId);
  headers.push("X-Service-Attempt", String(signed.attempt));
  headers.push("X-Service-Sequence", String(signed.sequence));
  return headers;
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
    const value = headers[`x-service-${name}`];
    return typeof value === "string" ? value : "";
  }

  const key = createSigningKey(secret);
  const timestamp = header("timestamp");
  if (scheme === "v1" && !isRecent(timestamp, now)) return false;
  const expected = scheme === "v1" ? signV1(key, timestamp, rawBody) : signSha256(key, rawBody);
  return isSame(header("signature"), expected);
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
