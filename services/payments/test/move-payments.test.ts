import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import {
  type Created,
  order,
  startTestPayments,
  stranger,
  type TestPayments,
  tenant,
} from "./payments.ts";

let now = new Date("2026-03-01T12:00:00Z");
let payments: TestPayments;
beforeAll(async () => {
  payments = await startTestPayments({ clock: { now: () => now } });
}, 60_000);
afterAll(() => payments?.stop());

let hashes = 0;
const newHash = () => `0x${(++hashes).toString(16).padStart(64, "0")}`;

const submitAll = async (requests: object[]) => {
  const { results } = await payments.client.batchSubmitTransactions({ requests });
  return results.map(({ result }) =>
    result.case === "payment" ? result.value.status : result.value?.message,
  );
};
const submission = ({ id, clientSecret }: Created, txHash: string, change: object = {}) => ({
  tenant,
  id,
  clientSecret,
  txHash,
  ...change,
});
const types = (id: string) =>
  payments.events.flatMap(({ resourceId, type }) => (resourceId === id ? [type] : []));

const observation = (type: string, subjectId: string, txHash: string, more: object = {}) => ({
  type,
  projectId: tenant.projectId,
  mode: tenant.mode,
  resourceId: subjectId,
  resource: {
    case: "observation" as const,
    value: { subjectId, chainId: 31_337n, txHash, ...more },
  },
});

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

  test("of two racing hashes the last one counts, and both racers learn it", async () => {
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
      senderAddress: "0xabc",
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
  const confirmed = async (seen: object = PAYER) => {
    const payment = await payments.create();
    const txHash = newHash();
    await submitAll([submission(payment, txHash)]);
    await payments.publish(
      observation("transfer.confirmed", payment.id, txHash, { blockNumber: 1n, ...seen }),
    );
    return payment;
  };
  const refund = (paymentId: string, refundedBaseAmount: string) => ({
    type: "refund.completed",
    projectId: tenant.projectId,
    mode: tenant.mode,
    resourceId: "refund_000000000000000000000000",
    resource: {
      case: "refund" as const,
      value: { paymentId, paymentBaseAmount: "1500000000000000000", refundedBaseAmount },
    },
  });

  test("of a part is news and leaves the payment confirmed; the last part refunds it", async () => {
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
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => payments.client.refundPayment({ tenant, id, idempotency })),
    );
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    for (const { payment } of answers) {
      expect(payment).toMatchObject({ status: "refunded", refundDeclared: true });
    }
    await expect(payments.client.refundPayment({ tenant, id })).rejects.toMatchObject({
      kind: "failed_precondition",
      message: "Only confirmed payments can be refunded",
    });
    await expect(payments.client.refundPayment({ tenant: stranger, id })).rejects.toMatchObject({
      kind: "not_found",
    });
  });

  test("cannot be declared where nobody knows who paid", async () => {
    for (const seen of [{}, { senderAddress: "" }]) {
      const { id } = await confirmed(seen);
      await expect(payments.client.refundPayment({ tenant, id })).rejects.toMatchObject({
        kind: "failed_precondition",
        message: "Payment has no known payer; POST /v1/refunds refunds it to a destinationAddress",
      });
      expect(await payments.status(id)).toBe("confirmed");
      expect(types(id)).not.toContain("payment.refunded");
    }
  });
});

describe("time", () => {
  test("expires what nobody paid, keeps what is being judged, and gives that up an hour later", async () => {
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
});
