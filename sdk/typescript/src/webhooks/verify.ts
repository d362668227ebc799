// Says whether a request is a webhook of the service, from its raw bytes. It uses WebCrypto alone, so the same file
// runs in Node, Deno, Bun and at the edge. The signature covers the bytes as they travelled: a body that a framework
// has parsed and that is written as JSON again differs in spaces, in the order of fields or in long numbers, and is
// refused by name.
import type { WebhookEvent } from "./events.ts";

const TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

export type Scheme = "v1" | "sha256" | "standard";

export type Reason =
  | "secret_missing"
  | "secret_malformed"
  | "body_parsed"
  | "body_read"
  | "body_not_json"
  | "id_missing"
  | "timestamp_missing"
  | "timestamp_malformed"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "signature_missing"
  | "signature_malformed"
  | "signature_mismatch";

const MESSAGES: Record<Reason, string> = {
  secret_missing: "no secret was given",
  secret_malformed: "no secret is whsec_ and base64, as scheme standard needs",
  body_parsed:
    "the raw body is needed, and a parsed one was given: read the request as bytes or text before a JSON parser does",
  body_read: "the request's body has been read already: give its bytes and headers instead",
  body_not_json: "the body is signed and is not JSON",
  id_missing: "webhook-id is missing",
  timestamp_missing: "the scheme's timestamp header is missing",
  timestamp_malformed: "the timestamp is not a number of seconds",
  timestamp_too_old: "the timestamp is older than the tolerance",
  timestamp_too_new: "the timestamp is further ahead than the tolerance",
  signature_missing: "the scheme's signature header is missing",
  signature_malformed: "the signature has another form than the scheme",
  signature_mismatch: "no secret fits the signature and these bytes",
};

type HeaderValues = Record<string, string | readonly string[] | undefined>;

/** A request as a server that is not based on `Request` has it. */
export interface ReceivedWebhook {
  headers: Headers | HeaderValues;
  /** The bytes, or the text, that came. */
  body: Uint8Array | ArrayBuffer | string;
}

export interface VerifyOptions {
  /** The scheme of the endpoint. The receiver names it, so that no sender can choose the weaker one. */
  scheme?: Scheme;
  /** How far the clocks of sender and receiver may be apart, in both directions. */
  toleranceSeconds?: number;
  now?: Date;
}

export type Verification =
  | { verified: true; event: WebhookEvent }
  | { verified: false; reason: Reason; message: string };

/**
 * With several secrets a webhook of any of them is accepted. During a rotation the next secret signs as well, so a
 * receiver may have the secret before, the next one, or both.
 */
export async function verifyWebhook(
  received: Request | ReceivedWebhook,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Verification> {
  const { scheme = "v1", toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = options;
  const given = (typeof secrets === "string" ? [secrets] : secrets).filter((text) => text !== "");
  if (given.length === 0) return refused("secret_missing");
  const keys = given.flatMap((secret) => toKey(scheme, secret) ?? []);
  if (keys.length === 0) return refused("secret_malformed");
  const body = await toBytes(received);
  if (typeof body === "string") return refused(body);
  const header = headerReader(received.headers);
  const prefix = readSignedPrefix(header, { scheme, now, toleranceSeconds });
  if (prefix.fault !== undefined) return refused(prefix.fault);
  const signatures = readSignatures(header, scheme);
  if (signatures.length === 0) return refused("signature_missing");
  const digests = signatures.flatMap((text) => toDigest(scheme, text) ?? []);
  if (digests.length === 0) return refused("signature_malformed");
  const signed = joined(encoder.encode(prefix.text), body);
  if (!(await isSigned(keys, digests, signed))) return refused("signature_mismatch");
  return read(header, body, scheme);
}

function refused(reason: Reason): Verification {
  return { verified: false, reason, message: MESSAGES[reason] };
}

/** The raw bytes, or why there are none. */
async function toBytes(received: Request | ReceivedWebhook): Promise<Uint8Array | Reason> {
  if (received instanceof Request) {
    return received.bodyUsed ? "body_read" : new Uint8Array(await received.arrayBuffer());
  }
  const { body } = received;
  if (typeof body === "string") return encoder.encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  return "body_parsed";
}

type HeaderReader = (name: string) => string | undefined;

/** Reads a header; one that came several times is absent, because it is unclear which one counts. */
function headerReader(headers: Headers | HeaderValues): HeaderReader {
  if (headers instanceof Headers) {
    return (name) => headers.get(name) ?? undefined;
  }
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return (name) => {
    const value = byName.get(name);
    return typeof value === "string" ? value : undefined;
  };
}

/** The text that is signed before the body. */
function readSignedPrefix(
  header: HeaderReader,
  {
    scheme,
    now,
    toleranceSeconds,
  }: Required<Pick<VerifyOptions, "scheme" | "now" | "toleranceSeconds">>,
): { text: string; fault?: undefined } | { fault: Reason } {
  if (scheme === "sha256") return { text: "" };
  const isStandard = scheme === "standard";
  const timestamp = header(isStandard ? "webhook-timestamp" : "x-service-timestamp");
  const fault = findTimestampFault(timestamp, now, toleranceSeconds);
  if (fault !== undefined) return { fault };
  if (!isStandard) return { text: `${timestamp}.` };
  const id = header("webhook-id");
  return id === undefined ? { fault: "id_missing" } : { text: `${id}.${timestamp}.` };
}

/** During a rotation there are two; scheme standard has them in one header. */
function readSignatures(header: HeaderReader, scheme: Scheme): string[] {
  if (scheme === "standard") return header("webhook-signature")?.split(" ") ?? [];
  return [header("x-service-signature"), header("x-service-signature-next")].flatMap(
    (text) => text ?? [],
  );
}

/** The key is the whole text of the secret; with scheme standard it is what the text encodes. */
function toKey(scheme: Scheme, secret: string): Uint8Array<ArrayBuffer> | undefined {
  if (scheme !== "standard") return encoder.encode(secret);
  return fromBase64(secret.replace(/^whsec_/, ""));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text === "") return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function findTimestampFault(timestamp: string | undefined, now: Date, tolerance: number) {
  if (timestamp === undefined) return "timestamp_missing";
  if (!/^\d{1,12}$/.test(timestamp)) return "timestamp_malformed";
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (ageSeconds > tolerance) return "timestamp_too_old";
  return ageSeconds < -tolerance ? "timestamp_too_new" : undefined;
}

function toDigest(scheme: Scheme, signature: string): Uint8Array<ArrayBuffer> | undefined {
  if (scheme === "standard") {
    const [, base64] = /^v1,([0-9A-Za-z+/]{43}=)$/.exec(signature) ?? [];
    return base64 === undefined ? undefined : fromBase64(base64);
  }
  const [, hex] = new RegExp(`^${scheme}=([0-9a-f]{64})$`).exec(signature) ?? [];
  return hex === undefined
    ? undefined
    : Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** `subtle.verify` compares in constant time. */
async function isSigned(
  keys: readonly Uint8Array<ArrayBuffer>[],
  digests: Uint8Array<ArrayBuffer>[],
  signed: Uint8Array,
): Promise<boolean> {
  const data = new Uint8Array(signed);
  for (const bytes of keys) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    for (const digest of digests) {
      if (await crypto.subtle.verify("HMAC", key, digest, data)) return true;
    }
  }
  return false;
}

function read(header: HeaderReader, body: Uint8Array, scheme: Scheme): Verification {
  try {
    const json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    // With scheme standard, id and type are signed; the body has the data beside type and time.
    const { eventId, type, timestamp, data } =
      scheme === "standard"
        ? { ...json, eventId: header("webhook-id") }
        : { eventId: header("x-service-event-id"), type: header("x-service-event"), data: json };
    const event = {
      type: type ?? "",
      mode: header("x-service-mode") === "test" ? "test" : "live",
      eventId,
      timestamp,
      sequence: toNumber(header("x-service-sequence")),
      attempt: toNumber(header("x-service-attempt")),
      data,
    };
    return { verified: true, event: event as WebhookEvent };
  } catch {
    return refused("body_not_json");
  }
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
