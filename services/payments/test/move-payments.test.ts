import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  AMOUNT,
  type Created,
  moneyChanged,
  newHash,
  proven,
  provenLate,
  refundCompleted as refund,
  SHOPPER,
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

const OTHER = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";

async function submitAll(requests: object[]) {
  const { results } = await payments.client.batchSubmitTransactions({ requests });
  return results.map(({ result }) =>
    result.case === "payment" ? result.value.status : result.value?.message,
  );
}

function submission({ id, clientSecret }: Created, txHash: string, change: object = {}) {
  return { tenant, id, clientSecret, txHash, ...change };
}

async function read(id: string) {
  const { results } = await payments.client.batchGetPayments({ requests: [{ tenant, id }] });
  const result = results[0]?.result;
  if (result?.case !== "payment") throw new Error(result?.value?.message);
  return result.value;
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

  test("races with another, and both are kept with one event for merchants", async () => {
    const payment = await payments.create();
    const hashes = [newHash(), newHash()];
    const answers = await Promise.all(hashes.map((hash) => submitAll([submission(payment, hash)])));
    expect(answers).toEqual([["processing"], ["processing"]]);
    await until(() => types(payment.id).length === 3);
    expect(types(payment.id)).toEqual([
      "payment.created",
      "payment.processing",
      "payment.submitted",
    ]);
    const { txHash, hashes: kept } = await read(payment.id);
    expect(kept.map((one) => one.txHash).sort()).toEqual(hashes.sort());
    expect(txHash).toBe(kept[1]?.txHash);
  });

  test("of the merchant carries its word into the event that chains reads", async () => {
    const { id } = await payments.create();
    const txHash = newHash();
    await submitAll([{ tenant, id, txHash, byMerchant: true, assign: true }]);
    await until(() => types(id).includes("payment.processing"));
    expect(
      payments.events.findLast(({ resourceId }) => resourceId === id)?.resource.value,
    ).toMatchObject({
      hashes: [{ txHash, byMerchant: true, isAssigned: true }],
      status: "processing",
    });
  });
});

describe("what chains reports", () => {
  test("confirms the payment with what the chain has shown", async () => {
    const payment = await payments.create();
    const txHash = newHash();
    await submitAll([submission(payment, txHash)]);
    await payments.publish(
      moneyChanged(payment.id, 1, {
        ...proven(txHash, AMOUNT + 1n),
        finalBaseAmount: "0",
        seenBaseAmount: `${AMOUNT + 1n}`,
        senders: [],
      }),
    );
    const seen = await read(payment.id);
    expect(seen).toMatchObject({ status: "processing", receivedBaseAmount: `${AMOUNT + 1n}` });
    expect([seen.blockNumber, seen.finalBaseAmount, seen.confirmedAt]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await payments.publish(moneyChanged(payment.id, 2, proven(txHash, AMOUNT + 1n)));
    expect(await read(payment.id)).toMatchObject({
      status: "confirmed",
      txHash,
      blockNumber: 7n,
      receivedBaseAmount: `${AMOUNT + 1n}`,
      finalBaseAmount: `${AMOUNT + 1n}`,
      senderAddress: SHOPPER,
      payerAddress: SHOPPER,
      senders: [{ address: SHOPPER, baseAmount: `${AMOUNT + 1n}` }],
      hashes: [{ txHash, outcome: "counted" }],
      version: 4,
    });
    expect(await submitAll([submission(payment, newHash()), submission(payment, txHash)])).toEqual([
      "Payment is already confirmed",
      "confirmed",
    ]);
    await until(() => types(payment.id).includes("payment.confirmed"));
    expect(types(payment.id)).toEqual([
      "payment.created",
      "payment.processing",
      "payment.changed",
      "payment.confirmed",
    ]);
  });

  test("names every wallet where several paid, and none as the sender", async () => {
    const { id } = await payments.create();
    const senders = [
      { address: SHOPPER, baseAmount: `${AMOUNT - 1n}` },
      { address: OTHER, baseAmount: "1" },
    ];
    await payments.publish(moneyChanged(id, 1, { ...proven(newHash(), AMOUNT), senders }));
    const { senderAddress, senders: told } = await read(id);
    expect(told).toMatchObject(senders);
    expect(senderAddress).toBeUndefined();
  });

  test("counts a turn once, and an older one never", async () => {
    const { id } = await payments.create();
    const part = moneyChanged(id, 2, proven(newHash(), 7n));
    for (const event of [part, part, moneyChanged(id, 1)]) await payments.publish(event);
    expect(await read(id)).toMatchObject({ receivedBaseAmount: "7", version: 2 });
  });

  test("that differs from the payment in one field changes nothing and is counted", async () => {
    const { id } = await payments.create();
    const paid = proven(newHash(), AMOUNT);
    const wrong = [
      { chainId: 1n },
      { recipientAddress: OTHER },
      { currency: OTHER },
      { seenBaseAmount: "1" },
    ];
    for (const more of wrong) await payments.publish(moneyChanged(id, 1, { ...paid, ...more }));
    const { txHash: _, blockNumber: __, ...untold } = paid;
    await payments.publish(moneyChanged(id, 1, untold));
    await payments.publish({ ...moneyChanged(id, 1, paid), ...stranger });
    await payments.publish({ ...moneyChanged(id, 1, paid), mode: 2 });
    payments.proofs.expect({ refused: wrong.length + 3 });
    expect((await read(id)).status).toBe("created");
    await payments.publish(moneyChanged(id, 1, paid));
    expect((await read(id)).status).toBe("confirmed");
  });

  test("about transfers that may be meant is shown until a wallet signs", async () => {
    const { id } = await payments.create();
    const [arrived] = [{ baseAmount: "5", txHash: newHash(), senderAddress: SHOPPER }];
    await payments.publish(moneyChanged(id, 1, { needs: "payer_signature", arrived: [arrived] }));
    expect(await read(id)).toMatchObject({
      status: "created",
      needs: "payer_signature",
      arrived: [arrived],
    });
    await until(() => types(id).includes("payment.changed"));
    await payments.publish(moneyChanged(id, 2, proven(newHash(), AMOUNT)));
    const { needs, arrived: left } = await read(id);
    expect([needs, left]).toEqual([undefined, []]);
  });
});

describe("a refund", () => {
  async function confirm() {
    const payment = await payments.create();
    await payments.publish(moneyChanged(payment.id, 1, proven(newHash(), AMOUNT)));
    return payment;
  }

  test("of a part sends an event and leaves the payment confirmed; the last part refunds it", async () => {
    const { id } = await confirm();
    await payments.publish(refund(id, "500000000000000000"));
    expect(await read(id)).toMatchObject({
      status: "confirmed",
      refundedBaseAmount: "500000000000000000",
    });
    for (const _ of [1, 2]) await payments.publish(refund(id, `${AMOUNT}`));
    expect(await read(id)).toMatchObject({ status: "refunded", refundedBaseAmount: `${AMOUNT}` });
    await until(() => types(id).filter((type) => type === "payment.refunded").length === 2);
  });

  test("that a reorganization removes is taken back without an event for merchants", async () => {
    const { id } = await confirm();
    await payments.publish(refund(id, `${AMOUNT}`));
    const back = { reservedBaseAmount: `${AMOUNT}` };
    await payments.publish(refund(id, "0", back, "refund.reorged"));
    const { status, refundedBaseAmount, refundedAt } = await read(id);
    expect([status, refundedBaseAmount, refundedAt]).toEqual(["confirmed", undefined, undefined]);
    await until(() => types(id).at(-1) === "payment.changed");
  });

  test("of a part that came before the end closes the payment and tells its sum", async () => {
    const { id } = await payments.create();
    await payments.client.cancelPayment({ tenant, id });
    await payments.publish(moneyChanged(id, 1, provenLate(newHash(), 7n)));
    await payments.publish(refund(id, "7"));
    expect(await read(id)).toMatchObject({
      status: "refunded",
      failureCode: "cancelled",
      refundedBaseAmount: "7",
    });
    expect((await read(id)).confirmedAt).toBeUndefined();
  });

  test("declared by the merchant refunds at once, repeatably under a key, and only once", async () => {
    const { id } = await confirm();
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
    const cancelled = { declared: true, failureReason: "cancelled", reservedBaseAmount: "0" };
    await payments.publish(refund(id, "0", cancelled, "refund.failed"));
    expect(await read(id)).toMatchObject({ status: "confirmed", refundDeclared: false });
  });

  test("may be declared whoever paid", async () => {
    const { id } = await payments.create();
    const several = { senders: [SHOPPER, OTHER].map((address) => ({ address, baseAmount: "1" })) };
    await payments.publish(moneyChanged(id, 1, { ...proven(newHash(), AMOUNT), ...several }));
    const { payment } = await payments.client.refundPayment({ tenant, id });
    expect(payment?.status).toBe("refunded");
  });
});

describe("time", () => {
  test("expires an unpaid payment, and one with a hash that is not found an hour later", async () => {
    const [unpaid, judged] = [await payments.create(), await payments.create()];
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

  test("fails a payment an hour after its proof has left the chain", async () => {
    const { id } = await payments.create();
    await payments.publish(moneyChanged(id, 1, proven(newHash(), AMOUNT)));
    await payments.publish(moneyChanged(id, 2));
    const { status, confirmedAt, receivedBaseAmount } = await read(id);
    expect([status, confirmedAt, receivedBaseAmount]).toEqual(["processing", undefined, undefined]);
    now = new Date(now.getTime() + 61 * 60_000);
    await until(async () => (await payments.status(id)) === "failed");
    expect(await read(id)).toMatchObject({ failureCode: "reorged" });
    await until(() => types(id).length === 4);
    expect(types(id)).toEqual([
      "payment.created",
      "payment.confirmed",
      "payment.processing",
      "payment.failed",
    ]);
  });

  test("makes a client secret a wrong one 24 hours after its payment ended", async () => {
    const start = now;
    const [unpaid, paid] = [await payments.create(), await payments.create()];
    await payments.publish(moneyChanged(paid.id, 1, proven(newHash(), AMOUNT)));
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
