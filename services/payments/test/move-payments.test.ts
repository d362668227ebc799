import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  type Created,
  observation,
  order,
  refundCompleted as refund,
  startTestPayments,
  stranger,
  type TestPayments,
  tenant,
} from "./payments.ts";

let now = new Date("2026-03-01T12:00:00Z");
let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments({ clock: { now: () => now } });
});
afterAll(() => payments?.stop());

let hashes = 0;
function newHash() {
  return `0x${(++hashes).toString(16).padStart(64, "0")}`;
}

async function submitAll(requests: object[]) {
  const { results } = await payments.client.batchSubmitTransactions({ requests });
  return results.map(({ result }) =>
    result.case === "payment" ? result.value.status : result.value?.message,
  );
}

function submission({ id, clientSecret }: Created, txHash: string, change: object = {}) {
  return {
    tenant,
    id,
    clientSecret,
    txHash,
    ...change,
  };
}

function types(id: string) {
  return payments.events.flatMap(({ resourceId, type }) => (resourceId === id ? [type] : []));
}

describe("a submitted hash", () => {
  test("moves the payment once, however often and by however many it is sent", async () => {
    const payment = await payments.create();
    const txHash = newHash();
    const same = Array.from({ length: 4 }, () => submission(payment, txHash));
    const answers = await Promise.all([submitAll(same), submitAll(same), submitAll(same)]);
    expect(new Set(answers.flat())).toEqual(new Set(["processing"]));
    await until(() => types(payment.id).includes("payment.processing"));
    expect(types(payment.id)).toEqual(["payment.created", "payment.processing"]);
  });

  test("needs the payment's own secret, unless the merchant vouches for it", async () => {
    const [payment, other] = [await payments.create(), await payments.create()];
    const wrong = { clientSecret: other.clientSecret };
    expect(
      await submitAll([
        submission(payment, newHash(), wrong),
        submission(payment, newHash(), { tenant: stranger }),
        submission(payment, newHash(), { ...wrong, trusted: true }),
      ]),
    ).toEqual(["clientSecret is not valid for this payment", "Payment not found", "processing"]);
  });

  test("of two racing hashes the last one counts, and both answers show it", async () => {
    const payment = await payments.create();
    const answers = await Promise.all([
      submitAll([submission(payment, newHash())]),
      submitAll([submission(payment, newHash())]),
    ]);
    expect(answers).toEqual([["processing"], ["processing"]]);
    await until(() => types(payment.id).length === 3);
  });
});

describe("a verdict", () => {
  test("confirms the payment with what the chain has shown", async () => {
    const payment = await payments.create();
    const txHash = newHash();
    await submitAll([submission(payment, txHash)]);
    const proof = {
      blockNumber: 7n,
      receivedBaseAmount: "1600000000000000000",
      senderAddress: `0x${"ab".repeat(20)}`,
    };
    await payments.publish(observation("transfer.confirmed", payment.id, txHash, proof));
    const { results } = await payments.client.batchGetPayments({
      requests: [{ tenant, id: payment.id }],
    });
    expect(results[0]?.result.value).toMatchObject({
      status: "confirmed",
      txHash,
      ...proof,
      version: 3,
    });
    expect(await submitAll([submission(payment, newHash()), submission(payment, txHash)])).toEqual([
      "Payment is already confirmed",
      "confirmed",
    ]);
  });

  test("about a hash that was replaced meanwhile changes nothing, unless it proves the payment", async () => {
    const payment = await payments.create();
    const [first, second] = [newHash(), newHash()];
    await submitAll([submission(payment, first)]);
    await submitAll([submission(payment, second)]);
    await payments.publish(
      observation("transfer.rejected", payment.id, first, { reason: "reverted" }),
    );
    expect(await payments.status(payment.id)).toBe("processing");
    await payments.publish(
      observation("transfer.confirmed", payment.id, first, { blockNumber: 1n }),
    );
    expect(await payments.status(payment.id)).toBe("confirmed");
  });

  test("against it fails the payment, which may try five times in all", async () => {
    const payment = await payments.create();
    for (let attempt = 1; attempt <= 5; attempt++) {
      const txHash = newHash();
      expect(await submitAll([submission(payment, txHash)])).toEqual(["processing"]);
      const reason = "recipient_mismatch";
      await payments.publish(observation("transfer.rejected", payment.id, txHash, { reason }));
      expect(await payments.status(payment.id)).toBe("failed");
    }
    expect(await submitAll([submission(payment, newHash())])).toEqual([
      "Payment has used all its attempts",
    ]);
  });

  test("that the transfer came too late expires the payment", async () => {
    const payment = await payments.create();
    const txHash = newHash();
    await submitAll([submission(payment, txHash)]);
    await payments.publish(
      observation("transfer.rejected", payment.id, txHash, { reason: "late" }),
    );
    expect(await payments.status(payment.id)).toBe("expired");
  });
});

describe("a refund", () => {
  const PAYER = { senderAddress: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc" };
  async function confirmed(seen: object = PAYER) {
    const payment = await payments.create();
    const txHash = newHash();
    await submitAll([submission(payment, txHash)]);
    await payments.publish(
      observation("transfer.confirmed", payment.id, txHash, { blockNumber: 1n, ...seen }),
    );
    return payment;
  }

  test("of a part sends an event and leaves the payment confirmed; the last part refunds it", async () => {
    const { id } = await confirmed();
    await payments.publish(refund(id, "500000000000000000"));
    const partly = await payments.status(id);
    expect(partly).toBe("confirmed");
    await payments.publish(refund(id, "1500000000000000000"));
    expect(await payments.status(id)).toBe("refunded");
    await until(() => types(id).filter((type) => type === "payment.refunded").length === 2);
  });

  test("declared by the merchant refunds at once, repeatably under a key, and only once", async () => {
    const { id } = await confirmed();
    const idempotency = { route: "r", key: `declare-${id}`, fingerprint: Buffer.from("x") };
    const request = { tenant, id, idempotency };
    const racers = Array.from({ length: 5 }, () => payments.client.refundPayment(request));
    const settled = await Promise.allSettled(racers);
    for (const one of settled) {
      if (one.status === "rejected")
        expect(one.reason).toMatchObject({ errorCode: "idempotency_in_progress" });
    }
    const answers = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    answers.push(await payments.client.refundPayment(request));
    expect(answers.at(-1)?.replayed).toBe(true);
    for (const { payment } of answers) {
      expect(payment).toMatchObject({ status: "refunded", refundDeclared: true });
    }
    await expect(payments.client.refundPayment({ tenant, id })).rejects.toMatchObject({
      errorCode: "payment_not_refundable",
      message: "Only confirmed payments can be refunded",
    });
    await expect(payments.client.refundPayment({ tenant: stranger, id })).rejects.toMatchObject({
      errorCode: "payment_not_found",
    });
  });
});

describe("time", () => {
  test("expires an unpaid payment, and one with a hash that is not found an hour later", async () => {
    const [unpaid, judged] = [await payments.create(), await payments.create(order())];
    await submitAll([submission(judged, newHash())]);
    const start = now;
    now = new Date(start.getTime() + 31 * 60_000);
    await until(async () => (await payments.status(unpaid.id)) === "expired");
    expect(await submitAll([submission(unpaid, newHash())])).toEqual(["Payment is expired"]);
    expect(await payments.status(judged.id)).toBe("processing");
    now = new Date(start.getTime() + 91 * 60_000);
    await until(async () => (await payments.status(judged.id)) === "expired");
    await until(() => types(judged.id).length === 3);
    expect(types(judged.id)).toEqual(["payment.created", "payment.processing", "payment.expired"]);
  });

  test("makes a client secret a wrong one 24 hours after its payment ended", async () => {
    const start = now;
    const [unpaid, paid] = [await payments.create(), await payments.create()];
    const txHash = newHash();
    await submitAll([submission(paid, txHash)]);
    const proof = {
      blockNumber: 7n,
      receivedBaseAmount: "1500000000000000000",
      senderAddress: `0x${"ab".repeat(20)}`,
    };
    await payments.publish(observation("transfer.confirmed", paid.id, txHash, proof));
    await until(async () => (await payments.status(paid.id)) === "confirmed");
    function tries() {
      return submitAll([submission(unpaid, newHash()), submission(paid, newHash())]);
    }

    now = new Date(start.getTime() + 24 * 3_600_000 - 1);
    expect(await tries()).toEqual(["Payment is expired", "Payment is already confirmed"]);
    now = new Date(start.getTime() + 24 * 3_600_000);
    expect((await tries())[1]).toBe("clientSecret is not valid for this payment");
    now = new Date(start.getTime() + 25 * 3_600_000);
    const dead = "clientSecret is not valid for this payment";
    expect(await tries()).toEqual([dead, dead]);
    const vouched = { trusted: true, clientSecret: "" };
    expect(await submitAll([submission(paid, newHash(), vouched)])).toEqual([
      "Payment is already confirmed",
    ]);
  });
});
