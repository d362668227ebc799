import { expect, test } from "@jest/globals";
import { buildSamples, type Sampled } from "./samples.ts";

const READ: Sampled = {
  operationId: "webhookEndpoints.deliveries.get",
  method: "GET",
  path: "/v1/webhook-endpoints/{id}/deliveries/{deliveryId}",
  serverUrl: "https://pay.example/",
  key: "secret",
  hasVariant: false,
  body: undefined,
};
const QUOTED = { displayName: `O'Neil \\ "Zoë"` };
const WRITE: Sampled = { ...READ, operationId: "customers.create", method: "POST", body: QUOTED };

function getSource(sampled: Sampled, label: string): string {
  return buildSamples(sampled).find((one) => one.label === label)?.source ?? "";
}

test("there are six languages, and none has a key in it", () => {
  const samples = buildSamples(READ);
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
  expect(getSource(READ, "curl")).toContain(
    '"https://pay.example/v1/webhook-endpoints/$ID/deliveries/$DELIVERY_ID"',
  );
  expect(getSource(READ, "TypeScript")).toContain(
    'pay.webhookEndpoints.deliveries.get(process.env.ID ?? "", process.env.DELIVERY_ID ?? "")',
  );
});

test("quotation marks and backslashes of a body survive where the language reads them", () => {
  expect(getSource(WRITE, "curl")).toContain("O'\\''Neil");
  expect(getSource(WRITE, "PHP")).toContain("O\\'Neil");
  expect(getSource(WRITE, "Ruby")).toContain("O\\'Neil");
  expect(getSource(WRITE, "Python")).toContain("O'Neil");
});
