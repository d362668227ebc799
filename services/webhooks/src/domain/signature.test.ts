import { createHmac } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import {
  buildHeaders,
  createSigningKey,
  createWebhookSecret,
  type SignedRequest,
  signSha256,
  signV1,
  verifyWebhook,
  wrapBody,
} from "./signature.ts";

const SECRET = "whsec_0123456789";
const body = Buffer.from('{"id":"pay_1"}');
const sentAt = new Date("2026-03-01T12:00:07.999Z");
const signed: SignedRequest = {
  key: createSigningKey(SECRET),
  scheme: "v1",
  body,
  eventId: "evt_1",
  mode: 1,
  eventType: "payment.failed",
  sequence: 2,
  attempt: 3,
  sentAt,
};
function asReceived(headers: string[]) {
  return Object.fromEntries(
    headers.flatMap((name, at) => (at % 2 === 0 ? [[name.toLowerCase(), headers[at + 1]]] : [])),
  ) as Record<string, string>;
}

test("signatures match the golden vectors", () => {
  expect(signV1(createSigningKey(SECRET), "1700000000", body)).toBe(
    `v1=${createHmac("sha256", SECRET).update('1700000000.{"id":"pay_1"}').digest("hex")}`,
  );
  expect(signSha256(createSigningKey(SECRET), body)).toBe(
    `sha256=${createHmac("sha256", SECRET).update('{"id":"pay_1"}').digest("hex")}`,
  );
  expect(signV1(createSigningKey("whsec_golden"), "1772366400", Buffer.from("{}"))).toBe(
    "v1=2eb19bcf41a2ca3a573765f3732bdbb8671fa453356a2435080d55567a9b3121",
  );
});

test("headers have a fixed order", () => {
  const headers = buildHeaders(signed);
  expect(headers.filter((_, at) => at % 2 === 0)).toEqual([
    "Content-Type",
    "User-Agent",
    "X-Service-Mode",
    "X-Service-Signature",
    "X-Service-Event",
    "X-Service-Timestamp",
    "X-Service-Event-Id",
    "X-Service-Attempt",
    "X-Service-Sequence",
  ]);
  expect(asReceived(headers)).toMatchObject({
    "x-service-timestamp": "1772366407",
    "x-service-attempt": "3",
    "x-service-sequence": "2",
  });
});

describe("scheme standard", () => {
  const [secret, nextSecret] = [createWebhookSecret(), createWebhookSecret()];
  const occurredAt = new Date("2026-03-01T12:00:00.123Z");
  const wrapped = wrapBody(body, { scheme: "standard", eventType: "payment.failed", occurredAt });
  const standard: SignedRequest = {
    ...signed,
    scheme: "standard",
    key: createSigningKey(secret, "standard"),
    body: wrapped,
  };
  const options = { scheme: "standard", now: sentAt } as const;

  test("a request has the event's type and time in its body and a signed id", () => {
    expect(Buffer.from(wrapped).toString()).toBe(
      '{"type":"payment.failed","timestamp":"2026-03-01T12:00:00.123Z","data":{"id":"pay_1"}}',
    );
    const headers = asReceived(buildHeaders(standard));
    expect(verifyWebhook(secret, headers, wrapped, options)).toBe(true);
    expect(headers["webhook-id"]).toBe("evt_1");
    expect(headers["x-service-signature"]).toBeUndefined();
    const other = { ...headers, "webhook-id": "evt_2" };
    expect(verifyWebhook(secret, other, wrapped, options)).toBe(false);
  });

  test("both secrets verify during a rotation", () => {
    const nextKey = createSigningKey(nextSecret, "standard");
    const headers = asReceived(buildHeaders({ ...standard, nextKey }));
    for (const one of [secret, nextSecret]) {
      expect(verifyWebhook(one, headers, wrapped, options)).toBe(true);
    }
    expect(verifyWebhook(createWebhookSecret(), headers, wrapped, options)).toBe(false);
  });

  test.each(["whsec_2sXc4vB6nM8kJ0hG3fD5aS7pO9iU1yT3rE5wQ6z9Lzr", "whsec_", "c2VjcmV0"])(
    "%p is rejected as its key",
    (text) => {
      expect(() => createSigningKey(text, "standard")).toThrow("scheme standard needs a secret");
    },
  );
});

describe("a receiver", () => {
  const headers = asReceived(buildHeaders(signed));
  function at(seconds: number) {
    return new Date(sentAt.getTime() + seconds * 1_000);
  }

  test("accepts a recent request with a valid signature", () => {
    expect(verifyWebhook(SECRET, headers, body, { now: at(0) })).toBe(true);
    expect(verifyWebhook(SECRET, headers, body, { now: at(299) })).toBe(true);
  });

  test.each<[string, boolean]>([
    ["another body", verifyWebhook(SECRET, headers, Buffer.from("{}"), { now: at(0) })],
    ["another secret", verifyWebhook("whsec_other", headers, body, { now: at(0) })],
    ["an old timestamp", verifyWebhook(SECRET, headers, body, { now: at(301) })],
    ["a timestamp far ahead", verifyWebhook(SECRET, headers, body, { now: at(-302) })],
    [
      "a timestamp that is not the signed one",
      verifyWebhook(SECRET, { ...headers, "x-service-timestamp": "1772366408" }, body, {
        now: at(0),
      }),
    ],
    [
      "no timestamp",
      verifyWebhook(SECRET, { ...headers, "x-service-timestamp": undefined }, body, { now: at(0) }),
    ],
    [
      "two signatures",
      verifyWebhook(SECRET, { ...headers, "x-service-signature": ["v1=a", "v1=b"] }, body, {
        now: at(0),
      }),
    ],
    [
      "the scheme sha256 where v1 is expected",
      verifyWebhook(SECRET, asReceived(buildHeaders({ ...signed, scheme: "sha256" })), body, {
        now: at(0),
      }),
    ],
    ["nothing at all", verifyWebhook(SECRET, {}, body, { now: at(0) })],
  ])("rejects %s", (_what, believed) => {
    expect(believed).toBe(false);
  });
});
