// The merchant's story through every part of the product, in both of its local forms.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { testUnless, until } from "@pay/testing";
import { booksBeside } from "./harness/books.ts";
import { findListeners, isLoopback, missingForListeners } from "./harness/listeners.ts";
import { listDeliveries, liveThrough } from "./harness/lived-life.ts";
import { createPayment, type Merchant, openShop, RECIPIENT } from "./harness/merchant.ts";
import { planTransfer } from "./harness/planned-transfers.ts";
import { newDataDir, type Running, startForm } from "./harness/standalone.ts";
import type { LifeOptions } from "./harness/whole-life.ts";

const TOKEN_UNIT = 1_000_000n;
const COIN_UNIT = 10n ** 18n;

describe.each(["standalone", "distributed"] as const)("%s", (form) => {
  const dataDir = newDataDir();
  let running: Running;
  let shop: Merchant;

  beforeAll(async () => {
    running = await startForm(form, dataDir.path, { CHAINS_BOOKS_INTERVAL_MS: "500" });
    shop = await openShop(running.credentials);
  });

  afterAll(async () => {
    await shop?.receiver.stop();
    expect(await running?.stop()).toBe(0);
    dataDir.remove();
  });

  function confirm(payment: Record<string, string>, txHash: string, more: object = {}) {
    return shop.api.post(
      `/v1/payments/${payment.id}/confirm`,
      { clientSecret: payment.clientSecret, txHash, ...more },
      { "X-Publishable-Key": running.credentials.publishableKey },
    );
  }

  test("a payment in the native coin is created, paid, proven and reported by webhook", async () => {
    const payment = await createPayment(shop.api, { description: "Two mugs" });
    expect(Object.keys(payment).sort()).toEqual(
      [
        "amount",
        "chainId",
        "clientSecret",
        "createdAt",
        "currency",
        "description",
        "expiresAt",
        "id",
        "recipientAddress",
        "status",
      ].sort(),
    );
    expect(payment).toMatchObject({
      id: expect.stringMatching(/^pay_[0-9A-Za-z]{24}$/),
      clientSecret: expect.stringMatching(/^cs_live_/),
      status: "created",
      amount: "1.5",
      recipientAddress: RECIPIENT,
    });
    const created = await shop.waitForDelivery("payment.created", payment.id as string);
    expect(created.body).toEqual({
      id: payment.id,
      status: "created",
      txHash: null,
      blockNumber: null,
      amount: ((15n * COIN_UNIT) / 10n).toString(),
      currency: "native",
      orderId: null,
      chainId: running.credentials.chainId,
    });

    // Submitted before it is mined: the chain's follower may find a mined transfer before its hash is submitted.
    const transfer = await planTransfer(running.credentials.chainRpcUrl, {
      to: RECIPIENT,
      value: (15n * COIN_UNIT) / 10n,
    });
    const { txHash } = transfer;
    const taken = await confirm(payment, txHash);
    expect(taken.status).toBe(200);
    expect(taken.body).toMatchObject({ id: payment.id, status: "processing", txHash });
    await transfer.mine();
    const confirmed = await shop.reaches(payment.id as string, "confirmed");
    expect(confirmed).toMatchObject({ txHash, blockNumber: expect.any(Number) });
    expect(Date.parse(confirmed.confirmedAt as string)).not.toBeNaN();

    const [processing, proven] = [
      await shop.waitForDelivery("payment.processing", payment.id as string),
      await shop.waitForDelivery("payment.confirmed", payment.id as string),
    ];
    expect(proven.body).toMatchObject({ status: "confirmed", txHash });
    expect(new Set([created.eventId, processing.eventId, proven.eventId]).size).toBe(3);
    // What is seen before it is proven is a change of its own.
    expect(proven.received.headers["x-service-sequence"]).toMatch(/^[34]$/);
  });

  test("a payment in a token is proven by the token's own log", async () => {
    const { tokenAddress } = running.credentials;
    const payment = await createPayment(shop.api, { currency: tokenAddress, amount: "25.50" });
    const txHash = await shop.wallet.payToken(RECIPIENT, (255n * TOKEN_UNIT) / 10n);
    // The chain's follower may have found the mined transfer first.
    expect(["processing", "confirmed"]).toContain((await confirm(payment, txHash)).body.status);
    await shop.reaches(payment.id as string, "confirmed");
    const { body } = await shop.waitForDelivery("payment.confirmed", payment.id as string);
    expect(body).toMatchObject({ amount: "25500000", currency: tokenAddress, txHash });
  });

  test("a transfer to another address fails the payment, and a correct transfer then confirms it", async () => {
    const payment = await createPayment(shop.api, { amount: "0.25" });
    const elsewhere = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    await confirm(payment, await shop.wallet.payNative(elsewhere, COIN_UNIT / 4n));
    await shop.reaches(payment.id as string, "failed");
    await shop.waitForDelivery("payment.failed", payment.id as string);
    await confirm(payment, await shop.wallet.payNative(RECIPIENT, COIN_UNIT / 4n));
    await shop.reaches(payment.id as string, "confirmed");
  });

  test("one transfer pays one payment", async () => {
    const first = await createPayment(shop.api, { amount: "0.75" });
    const second = await createPayment(shop.api, { amount: "0.75" });
    const transfer = await planTransfer(running.credentials.chainRpcUrl, {
      to: RECIPIENT,
      value: (3n * COIN_UNIT) / 4n,
    });
    const { txHash } = transfer;
    // Two open payments of one amount: the shop itself says which one it is for.
    const word = { txHash, attribute: true };
    const named = await shop.api.post(`/v1/payments/${first.id}/transaction`, word);
    expect(named.body).toMatchObject({ id: first.id, status: "processing", txHash });
    await until(
      async () => {
        const { body } = await shop.api.get(`/v1/payments/${first.id}/explain`);
        return body.transactions?.length > 0;
      },
      { what: "the hash in the explanation" },
    );
    await transfer.mine();
    await shop.reaches(first.id as string, "confirmed");
    const refused = await confirm(second, txHash);
    expect(refused.status).toBe(409);
    expect(refused.body.message).toBe("Transaction is already used by another payment");
    expect((await confirm(first, txHash)).body.status).toBe("confirmed");
  });

  test("concurrent submissions of a hash confirm a payment once, and another hash comes too late", async () => {
    const payment = await createPayment(shop.api, { amount: "0.125" });
    const transfer = await planTransfer(running.credentials.chainRpcUrl, {
      to: RECIPIENT,
      value: COIN_UNIT / 8n,
    });
    const { txHash } = transfer;
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(payment, txHash)));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body.status).toBe("processing");
    }
    await transfer.mine();
    await shop.reaches(payment.id as string, "confirmed");
    for (const type of ["payment.processing", "payment.confirmed"]) {
      await shop.waitForDelivery(type, payment.id as string);
    }
    const late = await confirm(payment, `0x${"0".repeat(63)}1`);
    expect(late.body).toEqual({
      statusCode: 409,
      message: "Payment is already confirmed",
      error: "Conflict",
    });
    const processing = shop.receiver.all.filter(
      ({ headers, body }) =>
        headers["x-service-event"] === "payment.processing" &&
        JSON.parse(body.toString()).id === payment.id,
    );
    expect(new Set(processing.map(({ headers }) => headers["x-service-event-id"])).size).toBe(1);
  });

  test("a wrong client secret opens nothing", async () => {
    const payment = await createPayment(shop.api);
    const other = await createPayment(shop.api);
    const refused = await confirm(
      { ...payment, clientSecret: other.clientSecret as string },
      `0x${"1".repeat(64)}`,
    );
    expect(refused.status).toBe(403);
    expect((await shop.api.get(`/v1/payments/${payment.id}`)).body.status).toBe("created");
  });

  test("an idempotency key makes a creation repeatable to the byte, and only with the same body", async () => {
    const key = { "Idempotency-Key": `order-${form}` };
    const first = await createPayment(shop.api, { amount: "7" }, key);
    const again = await Promise.all(
      Array.from({ length: 10 }, () => createPayment(shop.api, { amount: "7" }, key)),
    );
    for (const payment of again) expect(JSON.stringify(payment)).toBe(JSON.stringify(first));
    const other = await shop.api.post(
      "/v1/payments",
      {
        amount: "8",
        chainId: shop.api.credentials.chainId,
        currency: "native",
        recipientAddress: RECIPIENT,
      },
      key,
    );
    expect(other.status).toBe(422);
  });

  test("pages list all payments, newest first, with an exact total", async () => {
    const { body: before } = await shop.api.get("/v1/payments?limit=1");
    const made = [await createPayment(shop.api), await createPayment(shop.api)].map(({ id }) => id);
    const { body } = await shop.api.get("/v1/payments?limit=2");
    expect(body).toMatchObject({ total: before.total + 2, page: 1, limit: 2 });
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(made.reverse());
    const { body: page2 } = await shop.api.get("/v1/payments?limit=1&page=2&status=created");
    expect(page2.data[0].id).toBe(made[1]);
  });

  testUnless(missingForListeners(), "no process listens on an address outside this machine", () => {
    const listeners = findListeners(running.pid);
    const { baseUrl, chainRpcUrl } = running.credentials;
    const ports = listeners.map(({ port }) => port);
    for (const url of [baseUrl, chainRpcUrl]) expect(ports).toContain(Number(new URL(url).port));
    // REST, five times gRPC, PostgreSQL, the chain; and as separate processes their admin ports and two of Kafka.
    const least = form === "standalone" ? 8 : 8 + 6 + 2;
    expect(new Set(ports).size).toBeGreaterThanOrEqual(least);
    expect(listeners.filter((one) => !isLoopback(one))).toEqual([]);
  });

  test("chains and tokens are public data behind the publishable key", async () => {
    const key = { "X-Publishable-Key": running.credentials.publishableKey };
    const { body: chains } = await shop.api.get("/v1/chains", key);
    const local = chains.find(
      ({ chainId }: { chainId: number }) => chainId === running.credentials.chainId,
    );
    expect(local).toMatchObject({ isTestnet: true, blockExplorerUrl: null });
    const { body: tokens } = await shop.api.get(`/v1/chains/${local.chainId}/tokens`, key);
    expect(tokens).toContainEqual(expect.objectContaining({ decimals: 6, chainId: local.chainId }));
    expect((await shop.api.get("/v1/tokens", key)).body).toEqual(expect.arrayContaining(tokens));
    expect((await shop.api.get("/v1/chains")).status).toBe(401);
  });

  async function liveWholeLife(options: LifeOptions) {
    const lived = await liveThrough(shop, options, booksBeside(dataDir.path));
    const { books, due, treasuryGain } = lived;
    expect(books.sums).toMatchObject(due);
    expect([treasuryGain]).toEqual(due.settled);
    expect(books.differences).toBe("no differences");
    return lived;
  }

  test("money is paid, given back in two parts and settled by two keys, and the books agree to the last unit", async () => {
    const { secretKey } = running.credentials;
    const options = { account: 5, mode: "live", secretKey, isServiceSigned: false } as const;
    const lived = await liveWholeLife(options);
    expect(lived.books.sums.foreign).toEqual([0n, 0n]);
    const deliveries = await listDeliveries(shop, lived);
    expect(deliveries.map(({ body }) => body.status)).toEqual([
      // A part of the first one was refunded then.
      "confirmed",
      "confirmed",
      "confirmed",
      "completed",
      "completed",
      "requested",
      "approved",
      "completed",
    ]);
    expect(deliveries.at(-1)?.body.amount).toBe(String(lived.due.settled[0]));
  });

  // Once is enough: the forms start the service that signs alike.
  if (form === "distributed") {
    test("the service sends what goes out of the demo project's wallet in test mode, and the books agree", async () => {
      const secretKey = running.credentials.testSecretKey as string;
      const options = { account: 1, mode: "test", secretKey, isServiceSigned: true } as const;
      const { books } = await liveWholeLife(options);
      // Payments of the other stories came in, and nothing else went out.
      expect(books.sums.foreign?.[1]).toBe(0n);
    });
  }
});
