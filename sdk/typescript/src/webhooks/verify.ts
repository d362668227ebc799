// Says whether a request is a webhook of the service, from its raw bytes. It uses WebCrypto alone, so the same file
// runs in Node, Deno, Bun and at the edge. The signature covers the bytes as they travelled: a body that a framework
// has parsed and that is written as JSON again differs in spaces, in the order of fields or in long numbers, and is
// refused by name.
import type { WebhookEvent } from "./events.ts";

const TOLERANCE_SECONDS = 300;
const encoder = new TextEncoder();

export type Scheme = "v1" | "sha256";

export type Reason =
  | "secret_missing"
  | "body_parsed"
  | "body_read"
  | "body_not_json"
  | "timestamp_missing"
  | "timestamp_malformed"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "signature_missing"
  | "signature_malformed"
  | "signature_mismatch";

const MESSAGES: Record<Reason, string> = {
  secret_missing: "no secret was given",
  body_parsed:
    "the raw body is needed, and a parsed one was given: read the request as bytes or text before a JSON parser does",
  body_read: "the request's body has been read already: give its bytes and headers instead",
  body_not_json: "the body is signed and is not JSON",
  timestamp_missing: "X-Service-Timestamp is missing",
  timestamp_malformed: "X-Service-Timestamp is not a number of seconds",
  timestamp_too_old: "X-Service-Timestamp is older than the tolerance",
  timestamp_too_new: "X-Service-Timestamp is further ahead than the tolerance",
  signature_missing: "X-Service-Signature is missing",
  signature_malformed: "X-Service-Signature has another form than the scheme",
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
 * With several secrets a webhook of any of them is accepted. During a rotation the next secret signs a header of its
 * own, which is read as well, so a receiver may have the secret before, the next one, or both.
 */
export async function verifyWebhook(
  received: Request | ReceivedWebhook,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Verification> {
  const { scheme = "v1", toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = options;
  const keys = (typeof secrets === "string" ? [secrets] : secrets).filter((text) => text !== "");
  if (keys.length === 0) return refused("secret_missing");
  const body = await toBytes(received);
  if (typeof body === "string") return refused(body);
  const header = headerReader(received.headers);
  const timestamp = header("timestamp");
  const fault = scheme === "v1" ? faultOfTime(timestamp, now, toleranceSeconds) : undefined;
  if (fault !== undefined) return refused(fault);
  const signatures = [header("signature"), header("signature-next")].flatMap((text) => text ?? []);
  if (signatures.length === 0) return refused("signature_missing");
  const given = signatures.flatMap((text) => toDigest(scheme, text) ?? []);
  if (given.length === 0) return refused("signature_malformed");
  const signed = scheme === "v1" ? joined(encoder.encode(`${timestamp}.`), body) : body;
  if (!(await isSigned(keys, given, signed))) return refused("signature_mismatch");
  return read(header, body);
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

/** Reads a header of the service; one that came several times is absent, because it is unclear which one counts. */
function headerReader(headers: Headers | HeaderValues): (name: string) => string | undefined {
  if (headers instanceof Headers) {
    return (name) => headers.get(`x-service-${name}`) ?? undefined;
  }
  const byName = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return (name) => {
    const value = byName.get(`x-service-${name}`);
    return typeof value === "string" ? value : undefined;
  };
}

function faultOfTime(timestamp: string | undefined, now: Date, tolerance: number) {
  if (timestamp === undefined) return "timestamp_missing";
  if (!/^\d{1,12}$/.test(timestamp)) return "timestamp_malformed";
  const ageSeconds = now.getTime() / 1_000 - Number(timestamp);
  if (ageSeconds > tolerance) return "timestamp_too_old";
  return ageSeconds < -tolerance ? "timestamp_too_new" : undefined;
}

function toDigest(scheme: Scheme, signature: string): Uint8Array<ArrayBuffer> | undefined {
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
  secrets: readonly string[],
  digests: Uint8Array<ArrayBuffer>[],
  signed: Uint8Array,
): Promise<boolean> {
  const data = new Uint8Array(signed);
  for (const secret of secrets) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const bytes = encoder.encode(secret);
    const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]);
    for (const digest of digests) {
      if (await crypto.subtle.verify("HMAC", key, digest, data)) return true;
    }
  }
  return false;
}

function read(header: (name: string) => string | undefined, body: Uint8Array): Verification {
  try {
    const event = {
      type: header("event") ?? "",
      mode: header("mode") === "test" ? "test" : "live",
      eventId: header("event-id"),
      sequence: toNumber(header("sequence")),
      attempt: toNumber(header("attempt")),
      data: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
    };
    return { verified: true, event: event as WebhookEvent };
  } catch {
    return refused("body_not_json");
  }
}

function toNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}
