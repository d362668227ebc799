// The merchant's story through the images that are shipped.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Containers, missingForContainers, startContainers } from "./harness/containers.ts";
import { type Merchant, openShop } from "./harness/merchant.ts";
import { tellStory } from "./story/story.ts";

const missing = missingForContainers();
if (missing !== undefined) process.stderr.write(`skipped the story in containers: ${missing}\n`);

(missing === undefined ? describe : describe.skip)("in containers", () => {
  let containers: Containers;
  let shop: Merchant;

  beforeAll(async () => {
    containers = await startContainers();
    const headers = { "X-Forwarded-Proto": "https" };
    shop = await openShop(containers.credentials, { host: containers.outside.host, headers });
  }, 900_000);
  afterAll(async () => {
    await shop?.receiver.stop();
    await containers?.stop();
  }, 180_000);

  test("a payment is created, paid, proven and told by the built images", async () => {
    const { paymentId, status } = await tellStory({
      ...containers.credentials,
      developmentRpcUrl: containers.outside.rpcUrl,
    });
    expect(status).toBe("confirmed");
    for (const type of ["payment.created", "payment.processing", "payment.confirmed"]) {
      expect((await shop.news(type, paymentId)).body).toMatchObject({ id: paymentId });
    }
  }, 120_000);

  test("what came over plain http is refused behind a proxy that says so", async () => {
    const plain = { "X-Forwarded-Proto": "http" };
    expect((await shop.api.get("/v1/payments", plain)).status).toBe(403);
  });
});
