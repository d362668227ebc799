// Changes of merchants and customers, up to the money on a real chain.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  AMOUNT,
  moneyChanged,
  newHash,
  proven,
  provenLate,
  SHOPPER,
  startTestPayments,
  stranger,
  type TestPayments,
  tenant,
} from "./payments.ts";

let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments();
});
afterAll(() => payments?.stop());

const OTHER = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";

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
    const { id } = await payments.create();
    await cancel(id);
    await expect(resolve(id, true)).rejects.toThrow("Payment has no late transfer to resolve");
    const txHash = newHash();
    await payments.publish(moneyChanged(id, 1, provenLate(txHash, AMOUNT)));
    expect(await read(id)).toMatchObject({
      status: "expired",
      failureCode: "cancelled",
      receivedBaseAmount: `${AMOUNT}`,
    });
    await resolve(id, true);
    expect(await read(id)).toMatchObject({
      status: "confirmed",
      txHash,
      blockNumber: 7n,
      lateDecision: "accepted",
    });
    expect(await timeline(id)).toEqual([
      "created",
      "expired",
      "paid_late",
      "late_accepted",
      "confirmed",
    ]);
    await until(() => listTypes(id).length === 4);
    expect(listTypes(id)).toEqual([
      "payment.created",
      "payment.expired",
      "payment.received",
      "payment.confirmed",
    ]);
  });
});

describe("money that is too little or too late", () => {
  test("may be rejected first and accepted later", async () => {
    const { id } = await payments.create();
    await cancel(id);
    await payments.publish(moneyChanged(id, 1, provenLate(newHash(), AMOUNT / 2n)));
    for (const accept of [false, false]) {
      const { payment } = await resolve(id, accept);
      expect(payment).toMatchObject({ status: "expired", lateDecision: "rejected" });
    }
    for (const accept of [true, true]) {
      const { payment } = await resolve(id, accept);
      expect(payment).toMatchObject({ status: "confirmed", lateDecision: "accepted" });
    }
    await expect(resolve(id, false)).rejects.toThrow(
      "The late transfer of the payment is accepted",
    );
    expect((await timeline(id))?.slice(2)).toEqual([
      "paid_late",
      "late_rejected",
      "late_accepted",
      "confirmed",
    ]);
  });

  test("is accepted while the payment is open, and the acceptance is void with its money", async () => {
    const { id } = await payments.create();
    await expect(resolve(id, false)).rejects.toThrow(
      "Payment is created; expected failed, expired",
    );
    const part = proven(newHash(), 7n);
    await payments.publish(moneyChanged(id, 1, part));
    expect((await resolve(id, true)).payment).toMatchObject({ status: "confirmed" });
    await payments.publish(moneyChanged(id, 2));
    const { status, lateDecision } = await read(id);
    expect([status, lateDecision]).toEqual(["processing", undefined]);
    await payments.publish(moneyChanged(id, 3, part));
    expect((await read(id)).status).toBe("processing");
  });
});

describe("a transfer that a merchant assigns", () => {
  test("is a hash with the merchant's word, in every state but confirmed", async () => {
    const { id } = await payments.create();
    await cancel(id);
    const txHash = newHash();
    for (const _ of [1, 2]) {
      const { payment } = await payments.client.assignTransfer({ tenant, id, txHash });
      expect(payment).toMatchObject({
        status: "expired",
        hashes: [{ txHash, byMerchant: true, isAssigned: true }],
        version: 3,
      });
    }
    await until(() => listTypes(id).includes("payment.submitted"));
    const paid = await payments.create();
    await payments.publish(moneyChanged(paid.id, 1, proven(newHash(), AMOUNT)));
    const late = payments.client.assignTransfer({ tenant, id: paid.id, txHash });
    await expect(late).rejects.toThrow("Payment is already confirmed");
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

  test("needs the client secret and is a note that may change", async () => {
    const { id, clientSecret } = await payments.create();
    await expect(declare(id, SHOPPER, { clientSecret: "cs_live_wrong" })).rejects.toThrow(
      "clientSecret is not valid for this payment",
    );
    await declare(id, OTHER, { clientSecret });
    const { payment } = await declare(id, SHOPPER, { clientSecret });
    expect(payment).toMatchObject({ status: "created", payerAddress: SHOPPER });
    await submit(id, newHash());
    expect((await declare(id, OTHER)).payment).toMatchObject({ payerAddress: OTHER });
    expect(await submit(id, newHash(), SHOPPER)).toBe("processing");
    expect((await read(id)).payerAddress).toBe(SHOPPER);
    await payments.publish(moneyChanged(id, 1, proven(newHash(), AMOUNT, OTHER)));
    expect(await read(id)).toMatchObject({ payerAddress: OTHER, senderAddress: OTHER });
    await expect(declare(id, SHOPPER)).rejects.toThrow("Payment is confirmed; expected");
  });

  test("signs the id or the text of the payment, and no declaration replaces it", async () => {
    const { id } = await payments.create();
    const [wallet = "", second = ""] = payments.chain.accounts.slice(7);
    const payerMessage = `pay.example asks about ${id}`;
    async function sign(signer: string, text = id, account = signer) {
      const hex = `0x${Buffer.from(text).toString("hex")}`;
      const signature = await payments.chain.call("personal_sign", [hex, signer]);
      return (await declare(id, account, { trusted: true, signature, payerMessage })).payment;
    }

    await declare(id, wallet);
    expect((await read(id)).payerSignedAt).toBeUndefined();
    for (const refused of [
      sign(wallet, "pay_of_another"),
      sign(wallet, `${payerMessage}x`),
      sign(wallet, id, second),
      sign(wallet, payerMessage, second),
    ]) {
      await expect(refused).rejects.toThrow(
        "signature is not payerAddress's of payerMessage or the payment id",
      );
    }
    const signed = await sign(wallet);
    expect(signed).toMatchObject({ payerAddress: wallet.toLowerCase() });
    expect(signed?.payerSignedAt).toBeDefined();
    expect((await declare(id, wallet)).payment?.version).toBe(signed?.version);
    await expect(declare(id, OTHER)).rejects.toThrow("payerAddress is signed by its wallet");
    // A hash is taken whoever is said to have sent it.
    expect(await submit(id, newHash(), OTHER)).toBe("processing");
    expect((await read(id)).payerAddress).toBe(wallet.toLowerCase());
    // The shopper takes another wallet.
    expect((await sign(second, payerMessage))?.payerAddress).toBe(second.toLowerCase());
    await payments.publish(moneyChanged(id, 1, proven(newHash(), 7n, second.toLowerCase())));
    await expect(sign(wallet)).rejects.toThrow("payerAddress cannot be changed once its transfer");
    expect(await timeline(id)).toEqual([
      "created",
      "payer_declared",
      "payer_declared",
      "transaction_submitted",
      "payer_declared",
    ]);
  });

  test("signs what needs it also when the payment has ended", async () => {
    const { id } = await payments.create();
    const [wallet = ""] = payments.chain.accounts.slice(7);
    await cancel(id);
    const arrived = [{ baseAmount: "7", txHash: newHash(), senderAddress: wallet.toLowerCase() }];
    await payments.publish(moneyChanged(id, 1, { needs: "payer_signature", arrived }));
    const hex = `0x${Buffer.from(id).toString("hex")}`;
    const signature = await payments.chain.call("personal_sign", [hex, wallet]);
    const { payment } = await declare(id, wallet, { trusted: true, signature });
    expect(payment?.payerSignedAt).toBeDefined();
  });
});

test("the listed actions are judged as the changes themselves are", async () => {
  const { id } = await payments.create();
  async function listOpen(of = tenant) {
    const { actions } = await payments.client.listActions({ tenant: of, id });
    return actions.flatMap(({ name, failure }) => (failure === undefined ? name : []));
  }

  expect(await listOpen()).toEqual(["submit_transaction", "cancel"]);
  const hash = newHash();
  expect(await submit(id, hash)).toBe("processing");
  const { actions } = await payments.client.listActions({ tenant, id });
  const refused = actions.find(({ name }) => name === "cancel")?.failure;
  await expect(payments.client.cancelPayment({ tenant, id })).rejects.toMatchObject({
    errorCode: refused?.code,
    message: expect.stringContaining(refused?.message ?? "-"),
  });
  await expect(listOpen(stranger)).rejects.toMatchObject({ errorCode: "payment_not_found" });
});
