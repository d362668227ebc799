import { expect, test } from "@jest/globals";
import { verifyWebhook } from "../webhooks.ts";
import { signedRequest } from "./signed-request.ts";

const webhook = {
  url: "https://shop.example/webhooks",
  secret: "whsec_of_a_test",
  type: "payment.confirmed",
  data: { id: "pay_1", amount: "1500000" },
};

test("a signed request passes the verification of webhooks", async () => {
  const result = await verifyWebhook(
    await signedRequest({ ...webhook, sequence: 3 }),
    webhook.secret,
  );
  expect(result).toMatchObject({
    verified: true,
    event: { type: "payment.confirmed", mode: "test", sequence: 3, attempt: 1, data: webhook.data },
  });
});

test("a signed request fails with another secret or at another time", async () => {
  const request = await signedRequest(webhook);
  expect(await verifyWebhook(request, "whsec_of_another")).toMatchObject({
    reason: "signature_mismatch",
  });
  const old = await signedRequest({ ...webhook, now: new Date(0) });
  expect(await verifyWebhook(old, webhook.secret)).toMatchObject({ reason: "timestamp_too_old" });
});
