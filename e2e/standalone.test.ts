// npm start as its user meets it: first start, second start, crash, and starts that cannot work.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { createPayment, openShop, RECIPIENT } from "./harness/merchant.ts";
import { launchForm, newDataDir, startForm } from "./harness/standalone.ts";

const dataDir = newDataDir();
afterAll(() => dataDir.remove());

const COIN_UNIT = 10n ** 18n;

test("data, keys and chain outlive a stop and a crash", async () => {
  const first = await startForm("standalone", dataDir.path);
  const { credentials } = first;
  expect(statSync(join(dataDir.path, "credentials.json")).mode & 0o777).toBe(0o600);
  const shop = await openShop(credentials);
  const payment = await createPayment(shop.api);
  const txHash = await shop.wallet.payNative(RECIPIENT, (3n * COIN_UNIT) / 2n);
  await shop.receiver.stop();
  expect(await first.stop()).toBe(0);

  const second = await startForm("standalone", dataDir.path);
  expect(second.credentials).toMatchObject({
    projectId: credentials.projectId,
    secretKey: credentials.secretKey,
    tokenAddress: credentials.tokenAddress,
  });
  const again = await openShop(second.credentials);
  await again.api.post(
    `/v1/payments/${payment.id}/confirm`,
    { clientSecret: payment.clientSecret, txHash },
    { "X-Publishable-Key": credentials.publishableKey },
  );
  await again.reaches(payment.id as string, "confirmed");
  await again.receiver.stop();
  await second.kill();

  const third = await startForm("standalone", dataDir.path);
  const after = await openShop(third.credentials);
  const { body } = await after.api.get(`/v1/payments/${payment.id}`);
  expect(body).toMatchObject({ status: "confirmed", txHash });
  await after.receiver.stop();
  expect(await third.stop()).toBe(0);
}, 180_000);

test("keys are in no line but the introduction's", async () => {
  const running = await startForm("standalone", dataDir.path, { LOG_LEVEL: "trace" });
  const shop = await openShop(running.credentials);
  await createPayment(shop.api);
  await shop.receiver.stop();
  await running.stop();
  const { secretKey, webhookSecret, chainRpcUrl } = running.credentials;
  const secrets = JSON.parse(readFileSync(join(dataDir.path, "secrets.json"), "utf8"));
  const logged = running
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .join("\n");
  expect(logged).not.toBe("");
  for (const secret of [secretKey, webhookSecret, chainRpcUrl, ...Object.values(secrets)]) {
    expect(logged).not.toContain(secret);
  }
}, 90_000);

const failedStart = async (path: string, environment: Record<string, string>) => {
  const { output, exited } = launchForm("standalone", path, environment);
  expect(await exited).toBe(1);
  return output()
    .split("\n")
    .filter((line) => line.startsWith("standalone: "));
};

test("a taken port is one clear line", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const lines = await failedStart(dataDir.path, { PORT: `${port}` });
  server.close();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`port ${port}`);
}, 60_000);

test("a data folder that cannot be written is one clear line", async () => {
  const file = join(dataDir.path, "a-file");
  writeFileSync(file, "");
  const lines = await failedStart(join(file, "below"), {});
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("DATA_DIR");
}, 60_000);

test("a second product on the same data folder is one clear line", async () => {
  const running = await startForm("standalone", dataDir.path);
  const lines = await failedStart(dataDir.path, { PORT: "65000" });
  await running.stop();
  expect(lines).toEqual([expect.stringContaining("already runs on this data folder")]);
}, 90_000);
