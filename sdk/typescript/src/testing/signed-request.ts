// A webhook as the service would send it, for tests of a receiver. WebCrypto alone, like the check of it.
const encoder = new TextEncoder();

export interface WebhookToSign {
  /** Address of the receiver. */
  url: string;
  /** The endpoint's `whsec_…`. */
  secret: string;
  /** E.g. `payment.confirmed`. */
  type: string;
  /** The body: the thing that the event is about. */
  data: object;
  mode?: "live" | "test";
  eventId?: string;
  sequence?: number;
  attempt?: number;
  now?: Date;
}

export async function signedRequest(webhook: WebhookToSign): Promise<Request> {
  const { url, secret, type, data, mode = "test", sequence = 1, attempt = 1 } = webhook;
  const { eventId = `evt_${"0".repeat(24)}`, now = new Date() } = webhook;
  const timestamp = `${Math.floor(now.getTime() / 1_000)}`;
  const body = JSON.stringify(data);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "sign",
  ]);
  const digest = await crypto.subtle.sign("HMAC", key, encoder.encode(`${timestamp}.${body}`));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return new Request(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Service-Event": type,
      "X-Service-Event-Id": eventId,
      "X-Service-Mode": mode,
      "X-Service-Sequence": `${sequence}`,
      "X-Service-Attempt": `${attempt}`,
      "X-Service-Timestamp": timestamp,
      "X-Service-Signature": `v1=${hex.join("")}`,
    },
    body,
  });
}
