// The verifier that the guide tells merchants to copy, run as it stands there, and the vectors for all others.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "@jest/globals";
import { createSigningKey, signV1, verifyWebhook } from "../src/domain/signature.ts";

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
