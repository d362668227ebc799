import { expect, test } from "@jest/globals";
import { type Sampled, samplesOf } from "./samples.ts";

const READ: Sampled = {
  operationId: "webhookEndpoints.deliveries.get",
  method: "GET",
  path: "/v1/webhook-endpoints/{id}/deliveries/{deliveryId}",
  serverUrl: "https://pay.example/",
  key: "secret",
  body: undefined,
};
const QUOTED = { displayName: `O'Neil \\ "Zoë"` };
const WRITE: Sampled = { ...READ, operationId: "customers.create", method: "POST", body: QUOTED };

function sourceOf(sampled: Sampled, lang: string): string {
  return samplesOf(sampled).find((one) => one.lang === lang)?.source ?? "";
}

test("there are six languages, and none has a key in it", () => {
  const samples = samplesOf(READ);
  expect(samples.map(({ label }) => label)).toEqual([
    "curl",
    "TypeScript",
    "Python",
    "PHP",
    "Go",
    "Ruby",
  ]);
  for (const { source } of samples) expect(source).toMatch(/SECRET_KEY/);
});

test("ids of the path come from the environment", () => {
  expect(sourceOf(READ, "shell")).toContain(
    '"https://pay.example/v1/webhook-endpoints/$ID/deliveries/$DELIVERY_ID"',
  );
  expect(sourceOf(READ, "typescript")).toContain(
    'pay.webhookEndpoints.deliveries.get(process.env.ID ?? "", process.env.DELIVERY_ID ?? "")',
  );
});

test("quotation marks and backslashes of a body survive where the language reads them", () => {
  expect(sourceOf(WRITE, "shell")).toContain("O'\\''Neil");
  expect(sourceOf(WRITE, "php")).toContain("O\\'Neil");
  expect(sourceOf(WRITE, "ruby")).toContain("O\\'Neil");
  expect(sourceOf(WRITE, "python")).toContain("O'Neil");
});
