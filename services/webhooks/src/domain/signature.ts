// How a merchant knows that a request is ours. The key is the secret's whole text, prefix included; the signature
// covers the body's bytes as they travel and, with scheme v1, the second they were sent.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

export type Scheme = "v1" | "sha256";

const TIMESTAMP_AGE_MAX_S = 300;

export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret, "utf8"));
}

function hmac(key: KeyObject, prefix: string, body: Uint8Array): string {
  return createHmac("sha256", key).update(prefix).update(body).digest("hex");
}

export function signV1(key: KeyObject, timestamp: string, body: Uint8Array): string {
  return `v1=${hmac(key, `${timestamp}.`, body)}`;
}

export function signSha256(key: KeyObject, body: Uint8Array): string {
  return `sha256=${hmac(key, "", body)}`;
}

/** What is said about an event beside its body. */
export interface Signed {
  key: KeyObject;
  /** Of the secret that follows, during a rotation. */
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

/** Header names and values in turn, in the order they leave. */
export function signedHeaders(signed: Signed): string[] {
  const { key, nextKey, scheme, body, eventType, mode } = signed;
  const timestamp = Math.floor(signed.sentAt.getTime() / 1_000).toString();
  function sign(by: KeyObject) {
    return scheme === "v1" ? signV1(by, timestamp, body) : signSha256(by, body);
  }

  // One list from the start: a dispatcher makes thousands of them in a second.
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
  // Receivers compare the whole header with one value, so the next secret's signature has a header of its own.
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
 * What a receiver does with a request before it believes it: header names in lower case, as Node hands them in,
 * and the body's raw bytes. A receiver names one scheme, so that no sender can choose the weaker one.
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

  const key = signingKey(secret);
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
