// How a merchant knows that a request is ours. The key is the secret's whole text, prefix included; the signature
// covers the body's bytes as they travel and, with scheme v1, the second they were sent.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

export type Scheme = "v1" | "sha256";

const TIMESTAMP_AGE_MAX_S = 300;

export const signingKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret, "utf8"));

const hmac = (key: KeyObject, ...parts: (string | Uint8Array)[]): string => {
  const mac = createHmac("sha256", key);
  for (const part of parts) mac.update(part);
  return mac.digest("hex");
};

export const signV1 = (key: KeyObject, timestamp: string, body: Uint8Array): string =>
  `v1=${hmac(key, timestamp, ".", body)}`;

export const signSha256 = (key: KeyObject, body: Uint8Array): string => `sha256=${hmac(key, body)}`;

/** What is said about an event beside its body. */
export interface Signed {
  key: KeyObject;
  scheme: Scheme;
  body: Uint8Array;
  eventId: string;
  eventType: string;
  sequence: number;
  /** 1 to 4. */
  attempt: number;
  sentAt: Date;
}

/** Header names and values in turn, in the order they leave. */
export const signedHeaders = (signed: Signed): string[] => {
  const { key, scheme, body, eventType } = signed;
  const common = ["Content-Type", "application/json", "User-Agent", "Service-Webhooks/1"];
  if (scheme === "sha256") {
    const signature = signSha256(key, body);
    return [...common, "X-Service-Signature", signature, "X-Service-Event", eventType];
  }
  const timestamp = Math.floor(signed.sentAt.getTime() / 1_000).toString();
  return [
    ...common,
    "X-Service-Signature",
    signV1(key, timestamp, body),
    "X-Service-Event",
    eventType,
    "X-Service-Timestamp",
    timestamp,
    "X-Service-Event-Id",
    signed.eventId,
    "X-Service-Attempt",
    String(signed.attempt),
    "X-Service-Sequence",
    String(signed.sequence),
  ];
};

type Headers = Record<string, string | string[] | undefined>;

/**
 * What a receiver does with a request before it believes it: header names in lower case, as Node hands them in,
 * and the body's raw bytes. A receiver asks for one scheme, so that nobody can choose the weaker one for it.
 */
export const verifyWebhook = (
  secret: string,
  headers: Headers,
  rawBody: Uint8Array,
  { scheme = "v1", now = new Date() }: { scheme?: Scheme; now?: Date } = {},
): boolean => {
  const header = (name: string) => {
    const value = headers[`x-service-${name}`];
    return typeof value === "string" ? value : "";
  };
  const key = signingKey(secret);
  const timestamp = header("timestamp");
  if (scheme === "v1" && !isRecent(timestamp, now)) return false;
  const expected = scheme === "v1" ? signV1(key, timestamp, rawBody) : signSha256(key, rawBody);
  return isSame(header("signature"), expected);
};

const isRecent = (timestamp: string, now: Date): boolean =>
  /^\d{1,12}$/.test(timestamp) && now.getTime() / 1_000 - Number(timestamp) <= TIMESTAMP_AGE_MAX_S;

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};
