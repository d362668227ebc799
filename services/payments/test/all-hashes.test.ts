// Every hash that was submitted for a payment may prove it, and nothing else on the bus does.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  observation,
  refundCompleted,
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

const SHOPPER = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const OTHER = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
const AMOUNT = 1_500_000_000_000_000_000n;

let hashes = 0;
function newHash() {
  return `0x${(++hashes).toString(16).padStart(64, "0")}`;
}

async function submit(id: string, change: object = {}, txHash = newHash()) {
  const request = { tenant, id, txHash, trusted: true, ...change };
  const { results } = await payments.client.batchSubmitTransactions({ requests: [request] });
  const result = results[0]?.result;
  if (result?.case !== "payment") throw new Error(result?.value?.message);
  return txHash;
}

async function read(id: string) {
  const { results } = await payments.client.batchGetPayments({ requests: [{ tenant, id }] });
  const result = results[0]?.result;
  if (result?.case !== "payment") throw new Error(result?.value?.message);
  return result.value;
}

const proof = { blockNumber: 7n, senderAddress: SHOPPER };
function prove(id: string, txHash: string, more: object = {}) {
  return payments.publish(observation("transfer.confirmed", id, txHash, { ...proof, ...more }));
}

function refute(id: string, txHash: string, reason = "reverted", more: object = {}) {
  return payments.publish(observation("transfer.rejected", id, txHash, { reason, ...more }));
}

function addSurplus(id: string, txHash: string, receivedBaseAmount: string) {
  return payments.publish(observation("transfer.surplus", id, txHash, { receivedBaseAmount }));
}

function listTypes(id: string) {
  return payments.events.filter(({ resourceId }) => resourceId === id).map(({ type }) => type);
}

describe("a payment with several hashes", () => {
  test("does not fail while another hash is being verified, and publishes the switch to it", async () => {
    const { id } = await payments.create();
    const first = await submit(id, { byMerchant: true });
    const second = await submit(id);
    await refute(id, second);
    const back = { status: "processing", txHash: first, merchantSubmitted: true, version: 4 };
    expect(await read(id)).toMatchObject(back);
    await until(() => listTypes(id).length === 4);
    expect(payments.events.findLast(({ resourceId }) => resourceId === id)).toMatchObject({
      type: "payment.processing",
      sequence: 4,
      resource: { value: back },
    });
    await prove(id, first);
    expect(await read(id)).toMatchObject({ status: "confirmed", txHash: first });
  });

  test("fails with the reason of the last rejection, in whatever order they come", async () => {
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [1, 2, 0],
      [2, 1, 0],
    ]) {
      const { id } = await payments.create();
      const all = [await submit(id), await submit(id), await submit(id)];
      const reasons = ["reverted", "wrong_token", "recipient_mismatch"];
      for (const [at, which] of order.entries()) {
        expect((await read(id)).status).toBe("processing");
        await refute(id, all[which] as string, reasons[at]);
      }
      expect(await read(id)).toMatchObject({
        status: "failed",
        failureCode: "recipient_mismatch",
        txHash: all[order[2] as number],
      });
      expect(listTypes(id).filter((type) => type === "payment.failed").length).toBeLessThan(2);
    }
  });

  test("that failed or expired is confirmed by a proof of any hash it was given", async () => {
    for (const status of ["failed", "expired"]) {
      const { id } = await payments.create();
      const [first, second] = [await submit(id), await submit(id)];
      if (status === "failed") {
        await refute(id, first);
        await refute(id, second);
      } else {
        await payments.pool.query(
          "update payments set expires_at = now() - interval '2 hours' where id = $1",
          [id],
        );
        await until(async () => (await payments.status(id)) === "expired");
      }
      expect((await read(id)).status).toBe(status);
      await prove(id, first);
      expect(await read(id)).toMatchObject({ status: "confirmed", txHash: first });
      await until(() => listTypes(id).includes("payment.confirmed"));
    }
  });

  test("does not expire while one of its hashes is mined and unproven", async () => {
    async function overdue(id: string) {
      await payments.pool.query(
        "update payments set expires_at = now() - interval '2 hours' where id = $1",
        [id],
      );
    }

    const present = await payments.create();
    const other = await payments.create();
    const hash = await submit(present.id);
    const [mined] = [await submit(other.id), await submit(other.id)];
    const { version } = await read(present.id);
    for (const [id, txHash] of [
      [present.id, hash],
      [other.id, mined],
    ] as const) {
      await payments.publish(observation("transfer.unproven", id, txHash, { blockNumber: 7n }));
      await until(async () => (await read(id)).blockNumber === 7n);
    }
    // It is no event for the merchant.
    expect((await read(present.id)).version).toBe(version);
    const unseen = await payments.create();
    await submit(unseen.id);
    for (const { id } of [present, other, unseen]) await overdue(id);
    await until(async () => (await payments.status(unseen.id)) === "expired");
    expect(await read(present.id)).toMatchObject({ status: "processing", txHash: hash });
    expect(await read(other.id)).toMatchObject({ status: "processing", txHash: mined });
    await prove(present.id, hash);
    expect(await read(present.id)).toMatchObject({ status: "confirmed" });
    await refute(other.id, mined, "recipient_mismatch");
    // Another hash takes its place, which is in no block.
    await until(async () => (await payments.status(other.id)) === "expired");
    await payments.pool.query(
      `update payments set status = 'processing', block_number = 7, expires_at = now() - interval '31 days'
        where id = $1`,
      [other.id],
    );
    await until(async () => (await payments.status(other.id)) === "expired");
  });

  test("accepts a pending hash again without an event and without an attempt", async () => {
    const { id } = await payments.create();
    const first = await submit(id);
    const second = await submit(id);
    for (let again = 0; again < 6; again++) await submit(id, {}, first);
    expect(await read(id)).toMatchObject({ txHash: second, version: 3 });
  });
});

describe("an observation", () => {
  test("that differs from the payment in one field changes nothing and is counted", async () => {
    const { id } = await payments.create();
    const txHash = await submit(id);
    const wrong = [
      { chainId: 1n },
      { recipientAddress: OTHER },
      { currency: OTHER },
      { submittedTxHash: newHash() },
      { receivedBaseAmount: (AMOUNT - 1n).toString() },
    ];
    for (const more of wrong) await prove(id, txHash, more);
    const event = observation("transfer.confirmed", id, txHash, proof);
    await payments.publish({ ...event, ...stranger });
    await payments.publish({ ...event, mode: 2 });
    payments.proofs.expect({ refused: wrong.length + 2 });
    expect((await read(id)).status).toBe("processing");
    await prove(id, txHash);
    expect((await read(id)).status).toBe("confirmed");
  });

  test("that repeats a proof changes nothing, and a proof of another transaction is counted", async () => {
    const { id } = await payments.create();
    const [first, second] = [await submit(id), await submit(id)];
    await prove(id, first);
    await prove(id, first);
    const before = await read(id);
    await prove(id, second);
    payments.proofs.expect({ unapplied: 1 });
    expect(await read(id)).toEqual(before);
  });
});

describe("the payer", () => {
  test("is the proven sender once the payment is confirmed, even where another payer was declared", async () => {
    for (const payerAddress of [undefined, SHOPPER, OTHER]) {
      const { id } = await payments.create();
      await prove(id, await submit(id, payerAddress === undefined ? {} : { payerAddress }));
      expect(await read(id)).toMatchObject({ payerAddress: SHOPPER, senderAddress: SHOPPER });
    }
  });

  test("cannot change while a hash is being verified, and can after it failed", async () => {
    const { id } = await payments.create();
    const first = await submit(id, { payerAddress: SHOPPER });
    const declared = (await read(id)).payerDeclaredAt;
    expect(declared).toBeDefined();
    await expect(submit(id, { payerAddress: OTHER })).rejects.toThrow("payerAddress cannot");
    await submit(id, { payerAddress: SHOPPER }, first);
    expect(await read(id)).toMatchObject({ payerAddress: SHOPPER, payerDeclaredAt: declared });
    await refute(id, first);
    await submit(id, { payerAddress: OTHER });
    expect((await read(id)).payerAddress).toBe(OTHER);

    const unnamed = await payments.create();
    await submit(unnamed.id);
    await expect(submit(unnamed.id, { payerAddress: OTHER })).rejects.toThrow("payerAddress");
  });
});

describe("what was received", () => {
  test("of an underpaid payment is kept", async () => {
    const { id } = await payments.create();
    await refute(id, await submit(id), "underpaid", { receivedBaseAmount: "7" });
    expect(await read(id)).toMatchObject({ status: "failed", receivedBaseAmount: "7" });
  });

  test("grows by a surplus once, before and after the refund, and merchants get no event", async () => {
    const { id } = await payments.create();
    const [first, second, third] = [await submit(id), await submit(id), await submit(id)];
    await prove(id, first);
    await addSurplus(id, second, "5");
    await addSurplus(id, second, "5");
    expect(await read(id)).toMatchObject({ status: "confirmed", txHash: first });
    expect((await read(id)).receivedBaseAmount).toBe(`${AMOUNT + 5n}`);
    await payments.publish(refundCompleted(id, `${AMOUNT}`));
    await addSurplus(id, third, "7");
    const { status, receivedBaseAmount } = await read(id);
    expect([status, receivedBaseAmount]).toEqual(["refunded", `${AMOUNT + 12n}`]);
    await until(() => listTypes(id).filter((type) => type === "payment.surplus").length === 2);
  });

  test("refunded beyond the amount has an event of its own, and no event is sent twice", async () => {
    const { id } = await payments.create();
    await prove(id, await submit(id), { receivedBaseAmount: `${AMOUNT + 5n}` });
    await payments.publish(refundCompleted(id, `${AMOUNT}`));
    await payments.publish(refundCompleted(id, `${AMOUNT}`));
    await payments.publish(refundCompleted(id, `${AMOUNT + 5n}`));
    function eventsSent() {
      return listTypes(id).filter((type) => type === "payment.refunded").length;
    }

    await until(() => eventsSent() === 2);
    expect((await read(id)).status).toBe("refunded");
  });
});
