// The verifier that the guide tells merchants to copy, run as it stands there, the vectors for all others, and the
// official library of the scheme standard for Python.
import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { missingPython, obtainPython, testUnless } from "@pay/testing";
import {
  buildHeaders,
  createSigningKey,
  createWebhookSecret,
  signV1,
  verifyWebhook,
  wrapBody,
} from "../src/domain/signature.ts";

const SECRET = "whsec_of_the_guide";
const BODY = Buffer.from('{"id":"pay_1"}');

type Verifier = (
  secret: string,
  headers: Record<string, string | string[] | undefined>,
  rawBody: Buffer,
) => boolean;

let isGenuine: Verifier;
beforeAll(async () => {
  const guide = readFileSync(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
  const [, sample = ""] = /```js\n([\s\S]*?const isGenuine[\s\S]*?)```/.exec(guide) ?? [];
  const code = encodeURIComponent(`${sample}\nexport { isGenuine };`);
  ({ isGenuine } = await import(`data:text/javascript;charset=utf-8,${code}`));
});

/** What comes with a delivery that is signed over this text of a time. */
function signed(timestamp: string) {
  return {
    "x-service-timestamp": timestamp,
    "x-service-signature": `v1=${createHmac("sha256", SECRET).update(`${timestamp}.`).update(BODY).digest("hex")}`,
  };
}

function secondsAgo(seconds: number) {
  return String(Math.floor(Date.now() / 1_000) - seconds);
}

test("accepts a recent request with a valid signature", () => {
  expect(isGenuine(SECRET, signed(secondsAgo(0)), BODY)).toBe(true);
  expect(isGenuine(SECRET, signed(secondsAgo(290)), BODY)).toBe(true);
});

test.each([
  ["no timestamp", { ...signed("undefined"), "x-service-timestamp": undefined }],
  ["a timestamp that is no number", signed("now")],
  ["an empty timestamp", signed("")],
  ["an old timestamp", signed(secondsAgo(310))],
  ["no signature", { "x-service-timestamp": secondsAgo(0) }],
  ["another signature", { ...signed(secondsAgo(0)), "x-service-signature": "v1=00" }],
])("rejects %s", (_, headers) => {
  expect(isGenuine(SECRET, headers, BODY)).toBe(false);
});

interface Vector {
  now: number;
  secrets: string[];
  scheme: string;
  headers: Record<string, string>;
  bodyBase64: string;
  verified: boolean;
}

const { vectors, standardVectors } = JSON.parse(
  readFileSync(new URL("../../../sdk/vectors/webhooks.json", import.meta.url), "utf8"),
) as { vectors: Vector[]; standardVectors: Vector[] };

// Signed by the official library.
test("the published vectors of scheme standard match the signatures of this service", () => {
  const genuine = standardVectors.filter(({ verified }) => verified);
  expect(genuine.length).toBeGreaterThan(2);
  for (const { secrets, headers, bodyBase64, now } of genuine) {
    const options = { scheme: "standard", now: new Date(now * 1_000) } as const;
    const body = Buffer.from(bodyBase64, "base64");
    expect(verifyWebhook(secrets[0] ?? "", headers, body, options)).toBe(true);
  }
});

test("the published vectors match the signatures of this service", () => {
  const genuine = vectors.filter(({ verified, scheme }) => verified && scheme === "v1");
  expect(genuine.length).toBeGreaterThan(5);
  for (const { secrets, headers, bodyBase64 } of genuine) {
    const given = [headers["x-service-signature"], headers["x-service-signature-next"]];
    const timestamp = headers["x-service-timestamp"] ?? "";
    const ours = secrets.map((secret) =>
      signV1(createSigningKey(secret), timestamp, Buffer.from(bodyBase64, "base64")),
    );
    expect(ours.some((signature) => given.includes(signature))).toBe(true);
  }
});

const LIBRARY = { name: "standardwebhooks", version: "1.1.0" };
const PROGRAM = `
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
given = json.load(sys.stdin)
def verify(secret, body):
    try:
        return Webhook(secret).verify(body, given["headers"])
    except WebhookVerificationError:
        return None
body = given["body"]
print(json.dumps([verify(one, body) for one in given["secrets"]] + [verify(given["secrets"][0], body + " ")]))
`;

testUnless(
  missingPython(LIBRARY),
  "the official library of PyPI accepts each secret of a rotation, and no other body",
  async () => {
    const secrets = [createWebhookSecret(), createWebhookSecret()];
    const [key, nextKey] = secrets.map((secret) => createSigningKey(secret, "standard"));
    if (key === undefined) throw new Error("no key");
    const event = { scheme: "standard", eventType: "payment.confirmed" } as const;
    const body = wrapBody(BODY, { ...event, occurredAt: new Date() });
    const about = { eventId: "evt_1", mode: 1, sequence: 1, attempt: 1, sentAt: new Date() };
    const list = buildHeaders({ ...event, ...about, key, nextKey, body });
    const names = list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]]] : []));
    const given = {
      secrets,
      headers: Object.fromEntries(names),
      body: Buffer.from(body).toString(),
    };
    const python = join(await obtainPython(LIBRARY), "python");
    const printed = execFileSync(python, ["-c", PROGRAM], {
      input: JSON.stringify(given),
      encoding: "utf8",
      timeout: 60_000,
    });
    const accepted = expect.objectContaining({ type: "payment.confirmed", data: { id: "pay_1" } });
    expect(JSON.parse(printed)).toEqual([accepted, accepted, null]);
  },
);
