import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { type Scheme, verifyWebhook } from "../webhooks.ts";

interface Vector {
  name: string;
  scheme: Scheme;
  secrets: string[];
  now: number;
  toleranceSeconds: number;
  headers: Record<string, string>;
  bodyBase64: string;
  verified: boolean;
  reason: string | null;
}

const { vectors, standardVectors } = JSON.parse(
  readFileSync(new URL("../../../vectors/webhooks.json", import.meta.url), "utf8"),
) as { vectors: Vector[]; standardVectors: Vector[] };
const [genuine] = vectors as [Vector, ...Vector[]];
const [standard] = standardVectors as [Vector, ...Vector[]];
const body = Buffer.from(genuine.bodyBase64, "base64");
const secret = genuine.secrets;
const options = toOptions(genuine);

function toOptions({ scheme, toleranceSeconds, now }: Vector) {
  return { scheme, toleranceSeconds, now: new Date(now * 1_000) };
}

function toRequest(vector: Vector): Request {
  const { headers, bodyBase64 } = vector;
  const bytes = Buffer.from(bodyBase64, "base64");
  return new Request("https://shop.example/", { method: "POST", headers, body: bytes });
}

describe.each([...vectors, ...standardVectors])("$scheme: $name", (vector) => {
  const expected = vector.verified
    ? { verified: true }
    : { verified: false, reason: vector.reason };

  test("by headers and bytes", async () => {
    const received = { headers: vector.headers, body: Buffer.from(vector.bodyBase64, "base64") };
    const result = await verifyWebhook(received, vector.secrets, toOptions(vector));
    expect(result).toMatchObject(expected);
  });

  test("by a Request", async () => {
    const result = await verifyWebhook(toRequest(vector), vector.secrets, toOptions(vector));
    expect(result).toMatchObject(expected);
  });
});

test("a verified webhook has its type, mode, ids, numbers and data", async () => {
  const result = await verifyWebhook({ headers: genuine.headers, body }, secret, options);
  expect(result).toEqual({
    verified: true,
    event: {
      type: "payment.confirmed",
      mode: "live",
      eventId: "evt_0Uw2vQ7h4fGhJkL6nPqRsT8v",
      sequence: 3,
      attempt: 1,
      data: JSON.parse(body.toString()),
    },
  });
});

test("a webhook of scheme standard has its signed id, type and time", async () => {
  const unsigned = { "x-service-event": "payment.failed", "x-service-event-id": "evt_other" };
  const headers = { ...standard.headers, ...unsigned };
  const received = { headers, body: Buffer.from(standard.bodyBase64, "base64") };
  const result = await verifyWebhook(received, standard.secrets, toOptions(standard));
  expect(result).toEqual({
    verified: true,
    event: {
      type: "payment.confirmed",
      mode: "live",
      eventId: "evt_0Uw2vQ7h4fGhJkL6nPqRsT8v",
      timestamp: "2026-03-01T12:00:00.123Z",
      sequence: 3,
      attempt: 1,
      data: JSON.parse(body.toString()),
    },
  });
});

test("a webhook of scheme sha256 has no ids and numbers", async () => {
  const older = vectors.find(({ scheme, verified }) => scheme === "sha256" && verified);
  if (older === undefined) throw new Error("no vector has the older scheme");
  const result = await verifyWebhook(toRequest(older), older.secrets, toOptions(older));
  expect(result).toMatchObject({
    event: { mode: "test", eventId: undefined, sequence: undefined, attempt: undefined },
  });
});

test.each([
  ["an object", JSON.parse(body.toString())],
  ["a list", []],
  ["nothing", undefined],
  ["null", null],
])("a body that is %s is refused by name", async (_, parsed) => {
  const received = { headers: genuine.headers, body: parsed };
  const result = await verifyWebhook(received, secret, options);
  expect(result).toMatchObject({
    reason: "body_parsed",
    message: expect.stringContaining("the raw body is needed"),
  });
});

test("a Request whose body was read is rejected with a clear message", async () => {
  const request = toRequest(genuine);
  await request.json();
  const result = await verifyWebhook(request, secret, options);
  expect(result).toMatchObject({ reason: "body_read" });
});

test("text, bytes, a part of a buffer and an ArrayBuffer are the same body", async () => {
  const part = Buffer.concat([Buffer.from("x"), body]).subarray(1);
  const buffer = new Uint8Array(body).buffer;
  for (const one of [body.toString(), new Uint8Array(body), part, buffer]) {
    const result = await verifyWebhook({ headers: genuine.headers, body: one }, secret, options);
    expect(result.verified).toBe(true);
  }
});

test("headers are read in any case, and a repeated header is rejected", async () => {
  const capital = Object.fromEntries(
    Object.entries(genuine.headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  expect(await verifyWebhook({ headers: capital, body }, secret, options)).toMatchObject({
    verified: true,
  });
  const signature = genuine.headers["x-service-signature"] ?? "";
  const twice = { ...genuine.headers, "x-service-signature": [signature, signature] };
  expect(await verifyWebhook({ headers: twice, body }, secret, options)).toMatchObject({
    reason: "signature_missing",
  });
});

test("an empty secret verifies nothing", async () => {
  expect(await verifyWebhook({ headers: genuine.headers, body }, "", options)).toMatchObject({
    reason: "secret_missing",
  });
});
