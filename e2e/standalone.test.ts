// `npm start` as a user runs it: first start, second start, crash, and starts that cannot work.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { testChain } from "@pay/testing";
import { createPayment, type Merchant, openShop, RECIPIENT } from "./harness/merchant.ts";
import { launchForm, newDataDir, type Running, startForm } from "./harness/standalone.ts";

const dataDir = newDataDir();
afterAll(() => dataDir.remove());

const COIN_UNIT = 10n ** 18n;

async function failedStart(path: string, environment: Record<string, string>) {
  const { output, exited } = launchForm("standalone", path, environment);
  expect(await exited).toBe(1);
  return output()
    .split("\n")
    .filter((line) => line.startsWith("standalone: "));
}

/** Of the product that all but one of these tests share: each goes on where the one before has stopped. */
let running: Running;
let shop: Merchant;
let payment: Record<string, string>;
let txHash: string;

async function start(environment: Record<string, string> = {}) {
  running = await startForm("standalone", dataDir.path, environment);
  shop = await openShop(running.credentials);
}

async function stop() {
  await shop.receiver.stop();
  expect(await running.stop()).toBe(0);
}

test("the first start allows receivers on this machine over http, and prints that", async () => {
  await start({ LOG_LEVEL: "trace" });
  expect(statSync(join(dataDir.path, "credentials.json")).mode & 0o777).toBe(0o600);
  expect(running.output()).toContain(
    "webhooks: receivers on this machine are allowed here, over http and https",
  );
  expect(shop.receiver.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  payment = await createPayment(shop.api);
  txHash = await shop.wallet.payNative(RECIPIENT, (3n * COIN_UNIT) / 2n);
  await shop.waitForDelivery("payment.created", payment.id as string);
  const { status, body } = await shop.api.put("/v1/projects/me", {
    callbackUrl: "http://shop.example/",
  });
  expect([status, body.message]).toEqual([400, "callbackUrl must use https"]);
});

test("a second product on the same data folder is one clear line", async () => {
  const lines = await failedStart(dataDir.path, { PORT: "65000" });
  expect(lines).toEqual([expect.stringContaining("already runs on this data folder")]);
});

test("keys are printed only in the lines that show the demo project", async () => {
  await stop();
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
});

test("a taken port is one clear line", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const lines = await failedStart(dataDir.path, { PORT: `${port}` });
  server.close();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`port ${port}`);
});

test("data, keys and chain remain after a stop, also where the chain's port is taken meanwhile", async () => {
  const { credentials: before } = running;
  const kept = join(dataDir.path, "chain-port.json");
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { port: number };
  writeFileSync(kept, JSON.stringify({ port }));
  await start();
  other.close();
  expect(running.output().match(new RegExp(`^port ${port} .*$`, "gm"))).toEqual([
    `port ${port} on 127.0.0.1 is taken by another program; the chain has another one from now on`,
  ]);
  expect(JSON.parse(readFileSync(kept, "utf8")).port).not.toBe(port);
  expect(running.credentials).toMatchObject({
    projectId: before.projectId,
    secretKey: before.secretKey,
    tokenAddress: before.tokenAddress,
  });
  await shop.api.post(
    `/v1/payments/${payment.id}/confirm`,
    { clientSecret: payment.clientSecret, txHash },
    { "X-Publishable-Key": before.publishableKey },
  );
  await shop.reaches(payment.id as string, "confirmed");
  await shop.receiver.stop();
  await running.kill();
});

test("after a crash a QR payment is confirmed with its webhook although the wallet submits nothing", async () => {
  await start();
  const { body: remained } = await shop.api.get(`/v1/payments/${payment.id}`);
  expect(remained).toMatchObject({ status: "confirmed", txHash });
  const { tokenAddress } = running.credentials;
  const recipientAddress = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
  const native = await createPayment(shop.api, { qrMode: true, recipientAddress });
  const inToken = await createPayment(shop.api, {
    qrMode: true,
    recipientAddress,
    currency: tokenAddress,
    amount: "2.5",
  });
  const nativeHash = await shop.wallet.payNative(recipientAddress, (3n * COIN_UNIT) / 2n);
  const tokenHash = await shop.wallet.payToken(recipientAddress, 2_500_000n);
  for (const [{ id }, hash] of [
    [native, nativeHash],
    [inToken, tokenHash],
  ] as const) {
    const { body } = await shop.waitForDelivery("payment.confirmed", id as string);
    expect(body).toMatchObject({ id, status: "confirmed", txHash: hash });
  }
  await stop();
});

test("a product that is given a chain uses that one, by its own id, and starts none", async () => {
  const chain = await testChain({ chainId: 5_151 });
  const other = newDataDir();
  const local = { CHAINS_LOCAL: JSON.stringify({ rpcUrl: chain.rpcUrl }) };
  const running = await startForm("standalone", other.path, local);
  expect(running.credentials).toMatchObject({
    chainRpcUrl: chain.rpcUrl,
    chainId: chain.chainId,
    tokenAddress: chain.token.address,
  });
  expect(existsSync(join(other.path, "chain-port.json"))).toBe(false);
  const shop = await openShop(running.credentials);
  const payment = await createPayment(shop.api, {
    chainId: chain.chainId,
    currency: chain.token.address,
    amount: "2.5",
  });
  const txHash = await shop.wallet.payToken(RECIPIENT, 2_500_000n);
  const { body } = await shop.waitForDelivery("payment.confirmed", payment.id as string);
  expect(body).toMatchObject({ id: payment.id, chainId: chain.chainId, txHash });
  await shop.receiver.stop();
  await running.stop();
  await chain.stop();
  other.remove();
});

test("a data folder that cannot be written is one clear line", async () => {
  const file = join(dataDir.path, "a-file");
  writeFileSync(file, "");
  const lines = await failedStart(join(file, "below"), {});
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("DATA_DIR");
});
