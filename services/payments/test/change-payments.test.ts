// Changes of merchants and customers, up to the money on a real chain.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { observation, startTestPayments, stranger, type TestPayments, tenant } from "./payments.ts";

let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments();
});
afterAll(() => payments?.stop());

const SHOPPER = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const OTHER = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
const AMOUNT = 1_500_000_000_000_000_000n;

let hashes = 0;
function newHash() {
  return `0x${(++hashes).toString(16).padStart(64, "0")}`;
}

async function read(id: string) {
  const { results } = await payments.client.batchGetPayments({ requests: [{ tenant, id }] });
  const result = results[0]?.result;
  if (result?.case !== "payment") throw new Error(result?.value?.message);
  return result.value;
}

async function submit(id: string, txHash: string, payerAddress?: string) {
  const request = { tenant, id, txHash, trusted: true, ...(payerAddress && { payerAddress }) };
  const { results } = await payments.client.batchSubmitTransactions({ requests: [request] });
  const result = results[0]?.result;
  return result?.case === "payment" ? result.value.status : result?.value?.message;
}

async function timeline(id: string) {
  const { timelines } = await payments.client.batchGetTimelines({ tenant, ids: [id] });
  return timelines[0]?.steps.map(({ event }) => event);
}

function listTypes(id: string) {
  return payments.events.filter(({ resourceId }) => resourceId === id).map(({ type }) => type);
}

function cancel(id: string) {
  return payments.client.cancelPayment({ tenant, id });
}

function resolve(id: string, accept: boolean) {
  return payments.client.resolvePayment({ tenant, id, accept });
}

describe("a cancelled payment", () => {
  test("is expired, and its cancellation is repeated without another event", async () => {
    const { id } = await payments.create();
    for (const _ of [1, 2]) {
      const { payment } = await cancel(id);
      expect(payment).toMatchObject({ status: "expired", failureCode: "cancelled" });
    }
    await until(() => listTypes(id).length === 2);
    expect(listTypes(id)).toEqual(["payment.created", "payment.expired"]);
    expect(await submit(id, newHash())).toBe("Payment is expired");
  });

  test("cannot be cancelled while a transaction is being verified, nor by another merchant", async () => {
    const { id } = await payments.create();
    await expect(payments.client.cancelPayment({ tenant: stranger, id })).rejects.toThrow(
      "Payment not found",
    );
    await submit(id, newHash());
    await expect(cancel(id)).rejects.toThrow("Payment is processing; expected created, pending");
  });

  test("that is paid after its cancellation stays expired until the merchant accepts the money", async () => {
    const recipientAddress = `0x${"ca".repeat(20)}`;
    const { id } = await payments.create({ recipientAddress });
    await cancel(id);
    await expect(resolve(id, true)).rejects.toThrow("Payment has no late transfer to resolve");
    const txHash = await payments.chain.payNative({ to: recipientAddress, value: AMOUNT });
    await until(async () => (await timeline(id))?.includes("paid_late"), { timeoutMs: 60_000 });
    expect(await read(id)).toMatchObject({ status: "expired", failureCode: "cancelled" });
    await resolve(id, true);
    await until(async () => (await read(id)).status === "confirmed", { timeoutMs: 60_000 });
    expect(await read(id)).toMatchObject({ txHash, receivedBaseAmount: `${AMOUNT}` });
    expect(await timeline(id)).toEqual([
      "created",
      "expired",
      "paid_late",
      "late_accepted",
      "confirmed",
    ]);
  });
});

describe("a cancelled payment that is paid twice all the same", () => {
  test("has both sums once the merchant accepts the money", async () => {
    const recipientAddress = `0x${"cb".repeat(20)}`;
    const { id } = await payments.create({ recipientAddress });
    await cancel(id);
    // In one block, so that both are verified at once.
    const { chain } = payments;
    await chain.mineAtOnce(false);
    const from = chain.accounts[0] ?? "";
    for (let sent = 0; sent < 2; sent++) {
      await chain.submit({ from, to: recipientAddress, value: AMOUNT });
    }
    await chain.mineAtOnce(true);
    await chain.mine();
    await until(
      async () => (await timeline(id))?.filter((step) => step === "paid_late").length === 2,
      { what: "both transfers in the timeline" },
    );
    await resolve(id, true);
    await until(async () => (await read(id)).receivedBaseAmount === `${AMOUNT * 2n}`, {
      what: "the sum of both",
    });
    expect(await read(id)).toMatchObject({ status: "confirmed" });
  });
});

describe("money that came too late", () => {
  test("may be rejected first and accepted later, and is verified once more then", async () => {
    const { id } = await payments.create();
    const txHash = newHash();
    await submit(id, txHash);
    const late = { reason: "late", receivedBaseAmount: `${AMOUNT}`, senderAddress: SHOPPER };
    await payments.publish(observation("transfer.rejected", id, txHash, late));
    expect(await read(id)).toMatchObject({ status: "expired", failureCode: "late" });
    for (const accept of [false, false, true, true]) {
      const { payment } = await resolve(id, accept);
      expect(payment).toMatchObject({ status: "expired", txHash });
    }
    await expect(resolve(id, false)).rejects.toThrow(
      "The late transfer of the payment is accepted",
    );
    await until(() => listTypes(id).includes("payment.late_accepted"));
    const proof = { blockNumber: 7n, senderAddress: SHOPPER };
    await payments.publish(observation("transfer.confirmed", id, txHash, proof));
    expect((await read(id)).status).toBe("confirmed");
    expect((await timeline(id))?.slice(2)).toEqual([
      "paid_late",
      "late_rejected",
      "late_accepted",
      "confirmed",
    ]);
  });

  test("of a payment that is not expired cannot be resolved", async () => {
    const { id } = await payments.create();
    await expect(resolve(id, true)).rejects.toThrow("Payment is created; expected expired");
  });
});

describe("more time", () => {
  function extend(id: string, proof: object = { trusted: true }) {
    return payments.client.extendPayment({ tenant, id, ...proof });
  }

  test("is given to the holder of the client secret until a transaction is being verified", async () => {
    const { id, clientSecret } = await payments.create();
    const { createdAt, expiresAt } = await read(id);
    await expect(extend(id, { clientSecret: "cs_live_wrong" })).rejects.toThrow(
      "clientSecret is not valid for this payment",
    );
    await expect(payments.client.extendPayment({ tenant: stranger, id })).rejects.toThrow(
      "Payment not found",
    );
    const { payment } = await extend(id, { clientSecret });
    const lifetime = Number(expiresAt?.seconds) - Number(createdAt?.seconds);
    expect(Number(payment?.expiresAt?.seconds) - Number(expiresAt?.seconds)).toBe(lifetime);
    expect(await read(id)).toMatchObject({ extensions: 1, expiresAt: payment?.expiresAt });
    await submit(id, newHash());
    await expect(extend(id)).rejects.toThrow("Payment is processing; expected created, pending");
    expect(await timeline(id)).toEqual(["created", "extended", "transaction_submitted"]);
    await until(() => listTypes(id).length === 3);
    expect(listTypes(id)).toEqual(["payment.created", "payment.extended", "payment.processing"]);
  });

  test("requested many times at once is given as often as it succeeds", async () => {
    const { id } = await payments.create();
    const asked = await Promise.allSettled(Array.from({ length: 11 }, () => extend(id)));
    const given = asked.filter(({ status }) => status === "fulfilled").length;
    expect(given).toBeGreaterThan(0);
    expect((await read(id)).extensions).toBe(given);
  });
});

describe("a payer that is declared", () => {
  function declare(id: string, payerAddress: string, proof: object = { trusted: true }) {
    return payments.client.declarePayer({ tenant, id, payerAddress, ...proof });
  }

  test("needs the client secret and may change until a transaction is being verified", async () => {
    const { id, clientSecret } = await payments.create();
    await expect(declare(id, SHOPPER, { clientSecret: "cs_live_wrong" })).rejects.toThrow(
      "clientSecret is not valid for this payment",
    );
    await declare(id, OTHER, { clientSecret });
    const { payment } = await declare(id, SHOPPER, { clientSecret });
    expect(payment).toMatchObject({ status: "created", payerAddress: SHOPPER });
    expect(payment?.payerDeclaredAt).toBeDefined();
    await submit(id, newHash());
    expect((await declare(id, SHOPPER)).payment).toMatchObject({ payerAddress: SHOPPER });
    await expect(declare(id, OTHER)).rejects.toThrow("payerAddress cannot be changed");
    expect(await timeline(id)).toEqual([
      "created",
      "payer_declared",
      "payer_declared",
      "transaction_submitted",
    ]);
  });

  test("signs the id of the payment, and no declaration replaces it", async () => {
    const { id } = await payments.create();
    const [wallet = "", second = ""] = payments.chain.accounts.slice(7);
    async function sign(signer: string, text = id, account = signer) {
      const hex = `0x${Buffer.from(text).toString("hex")}`;
      const signature = await payments.chain.call("personal_sign", [hex, signer]);
      return (await declare(id, account, { trusted: true, signature })).payment;
    }

    await declare(id, wallet);
    expect((await read(id)).payerSignedAt).toBeUndefined();
    for (const refused of [sign(wallet, "pay_of_another"), sign(wallet, id, second)]) {
      await expect(refused).rejects.toThrow("signature is not payerAddress's of the payment id");
    }
    const signed = await sign(wallet);
    expect(signed).toMatchObject({ payerAddress: wallet.toLowerCase() });
    expect(signed?.payerSignedAt).toBeDefined();
    expect((await declare(id, wallet)).payment?.version).toBe(signed?.version);
    await expect(declare(id, OTHER)).rejects.toThrow("payerAddress is signed by its wallet");
    expect(await submit(id, newHash(), OTHER)).toMatch("payerAddress is signed by its wallet");
    // The shopper takes another wallet.
    expect((await sign(second))?.payerAddress).toBe(second.toLowerCase());
    expect(await submit(id, newHash(), second)).toBe("processing");
    await expect(sign(wallet)).rejects.toThrow("payerAddress cannot be changed");
    expect(await timeline(id)).toEqual([
      "created",
      "payer_declared",
      "payer_declared",
      "payer_declared",
      "transaction_submitted",
    ]);
  });

  test("may be named after the transfer was found, if it is its sender", async () => {
    const { id } = await payments.create();
    const txHash = newHash();
    const seen = { found: true, receivedBaseAmount: `${AMOUNT}`, senderAddress: SHOPPER };
    await payments.publish(observation("transfer.seen", id, txHash, seen));
    expect(await read(id)).toMatchObject({ status: "processing", txHash });
    expect(await submit(id, txHash, SHOPPER)).toBe("processing");
    await declare(id, SHOPPER);
    expect(await submit(id, txHash, OTHER)).toMatch("payerAddress cannot be changed");
    await until(() => listTypes(id).includes("payment.processing"));
    expect(listTypes(id).filter((type) => type === "payment.processing")).toHaveLength(1);
  });
});
