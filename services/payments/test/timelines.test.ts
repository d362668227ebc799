import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { ATTEMPTS_MAX } from "../src/domain/change.ts";
import { move } from "../src/domain/payment.ts";
import { recordMove } from "../src/messages.ts";
import { findPayments, movePayments } from "../src/storage/payments.ts";
import { parseSteps } from "../src/storage/timelines.ts";
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

const AMOUNT = "1500000000000000000";
let hashes = 0;
function newHash() {
  return `0x${(++hashes).toString(16).padStart(64, "0")}`;
}

async function submit(id: string, txHash = newHash(), byMerchant = false) {
  await payments.client.batchSubmitTransactions({
    requests: [{ tenant, id, txHash, trusted: true, byMerchant }],
  });
  return txHash;
}

function observe(type: string, subjectId: string, txHash: string, more: object = {}) {
  return payments.publish(observation(type, subjectId, txHash, more));
}

const proof = { blockNumber: 7n, senderAddress: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc" };
function refundedTo(paymentId: string, refundedBaseAmount: string) {
  return payments.publish(refundCompleted(paymentId, refundedBaseAmount));
}

async function readTimelines(ids: string[], owner = tenant) {
  const { timelines } = await payments.client.batchGetTimelines({ tenant: owner, ids });
  return timelines.map(({ steps }) => steps);
}

async function readSteps(id: string) {
  const [steps = []] = await readTimelines([id]);
  return steps.map(({ event, status, reason, txHash }) => [
    event,
    status,
    reason ?? null,
    txHash ?? null,
  ]);
}

test("a timeline has the steps from creation to refund, in order and with their times", async () => {
  const { id } = await payments.create();
  const wrong = await submit(id);
  await observe("transfer.rejected", id, wrong, { reason: "underpaid" });
  const right = await submit(id);
  await observe("transfer.confirmed", id, right, proof);
  await refundedTo(id, "500000000000000000");
  await refundedTo(id, "1500000000000000000");
  expect(await readSteps(id)).toEqual([
    ["created", "created", null, null],
    ["transaction_submitted", "processing", null, wrong],
    ["failed", "failed", "underpaid", wrong],
    ["transaction_submitted", "processing", null, right],
    ["confirmed", "confirmed", null, right],
    ["refunded_in_part", "confirmed", null, right],
    ["refunded", "refunded", null, right],
  ]);
  const { results } = await payments.client.batchGetPayments({ requests: [{ tenant, id }] });
  const payment = results[0]?.result;
  if (payment?.case !== "payment") throw new Error("no payment");
  const [steps = []] = await readTimelines([id]);
  const { createdAt, confirmedAt, refundedAt } = payment.value;
  expect([steps[0]?.at, steps[4]?.at, steps[6]?.at]).toEqual([createdAt, confirmedAt, refundedAt]);
  const times = steps.map(({ at }) => at && timestampDate(at).getTime());
  expect(times).toEqual(times.toSorted());
});

test("another hash while one is being verified is a step, though the status stays", async () => {
  const { id } = await payments.create();
  const [first, second] = [await submit(id), await submit(id)];
  await submit(id, second);
  expect((await readSteps(id)).slice(1)).toEqual([
    ["transaction_submitted", "processing", null, first],
    ["transaction_submitted", "processing", null, second],
  ]);
});

test("a rejected hash beside another is a step, and so are a surplus and its refund", async () => {
  const { id } = await payments.create();
  const [first, second, third] = [await submit(id), await submit(id), await submit(id)];
  await observe("transfer.rejected", id, first, { reason: "reverted" });
  await observe("transfer.rejected", id, third, { reason: "underpaid", receivedBaseAmount: "1" });
  await observe("transfer.confirmed", id, second, proof);
  await refundedTo(id, "1500000000000000000");
  const fourth = { submittedTxHash: third, receivedBaseAmount: "5" };
  await observe("transfer.surplus", id, newHash(), fourth);
  await refundedTo(id, "1500000000000000005");
  expect((await readSteps(id)).slice(4)).toEqual([
    ["transaction_refuted", "processing", "reverted", first],
    ["transaction_refuted", "processing", "underpaid", third],
    ["confirmed", "confirmed", null, second],
    ["refunded", "refunded", null, second],
    ["surplus_received", "refunded", null, third],
    ["surplus_refunded", "refunded", null, second],
  ]);
});

test("a surplus that left the chain is a step about its own transaction", async () => {
  const { id } = await payments.create();
  const [first, second] = [await submit(id), await submit(id)];
  await observe("transfer.confirmed", id, first, proof);
  const more = { receivedBaseAmount: "5" };
  await observe("transfer.surplus", id, second, more);
  await observe("transfer.unseen", id, second, more);
  expect((await readSteps(id)).slice(3)).toEqual([
    ["confirmed", "confirmed", null, first],
    ["surplus_received", "confirmed", null, second],
    ["transaction_reorged", "confirmed", null, second],
  ]);
  const { results } = await payments.client.batchGetPayments({ requests: [{ tenant, id }] });
  expect(results[0]?.result.value).toMatchObject({
    status: "confirmed",
    receivedBaseAmount: AMOUNT,
  });
});

test("a transfer that is found after the last attempt is a step, and its need is stored", async () => {
  const { id } = await payments.create();
  const wrong = newHash();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    await submit(id, wrong);
    await observe("transfer.rejected", id, wrong, { reason: "reverted" });
  }
  expect(await payments.status(id)).toBe("failed");
  const [txHash, found] = [newHash(), { found: true, receivedBaseAmount: AMOUNT }];
  await observe("transfer.seen", id, txHash, found);
  await observe("transfer.waiting", id, txHash, {
    ...found,
    needs: "payer_signature",
    needsTurn: 1,
  });
  expect((await readSteps(id)).at(-1)).toEqual([
    "transaction_submitted",
    "processing",
    null,
    txHash,
  ]);
  const { results } = await payments.client.batchGetPayments({ requests: [{ tenant, id }] });
  expect(results[0]?.result.value).toMatchObject({ txHash, needs: "payer_signature" });
});

test("a hash that is submitted while it is being verified is a step and no rejection", async () => {
  const { id } = await payments.create();
  const [found, later] = [newHash(), newHash()];
  const transfer = { found: true, receivedBaseAmount: AMOUNT };
  await observe("transfer.seen", id, found, transfer);
  await submit(id, found, true);
  const submitted = [];
  for (let left = ATTEMPTS_MAX - 1; left > 0; left--) submitted.push(await submit(id));
  await observe("transfer.seen", id, later, transfer);
  await observe("transfer.unproven", id, found, { blockNumber: 7n });
  expect((await readSteps(id)).slice(1)).toEqual(
    [found, found, ...submitted, later].map((txHash) => [
      "transaction_submitted",
      "processing",
      null,
      txHash,
    ]),
  );
  const { results } = await payments.client.batchGetPayments({ requests: [{ tenant, id }] });
  expect(results[0]?.result.value).toMatchObject({ txHash: found, blockNumber: 7n });
});

test("late money is a step, whether it expires the payment or finds it expired", async () => {
  const [waiting, gone] = [await payments.create(), await payments.create()];
  const late = await submit(waiting.id);
  await observe("transfer.rejected", waiting.id, late, { reason: "late" });
  const twoSteps = [
    ["transaction_submitted", "processing", null, late],
    ["paid_late", "expired", "late", late],
  ];
  expect((await readSteps(waiting.id)).slice(1)).toEqual(twoSteps);
  await observe("transfer.rejected", waiting.id, late, { reason: "late" });
  expect((await readSteps(waiting.id)).slice(1)).toEqual(twoSteps);

  const lost = await submit(gone.id);
  await payments.pool.query(
    "update payments set expires_at = now() - interval '2 hours' where id = $1",
    [gone.id],
  );
  await until(async () => (await payments.status(gone.id)) === "expired");
  await observe("transfer.rejected", gone.id, lost, { reason: "late" });
  expect((await readSteps(gone.id)).slice(1)).toEqual([
    ["transaction_submitted", "processing", null, lost],
    ["expired", "expired", "not_found", lost],
    ["paid_late", "expired", "late", lost],
  ]);
});

test("timelines come in the order of the request, and another project's payment has no step", async () => {
  const [one, other] = [await payments.create(), await payments.create()];
  await submit(one.id);
  async function lengths(owner: typeof tenant) {
    return (await readTimelines([other.id, "pay_none", one.id], owner)).map(({ length }) => length);
  }

  expect(await lengths(tenant)).toEqual([1, 0, 2]);
  expect(await lengths(stranger)).toEqual([0, 0, 0]);
  await expect(payments.client.batchGetTimelines({ ids: [one.id] })).rejects.toMatchObject({
    errorCode: "call_malformed",
  });
});

test("a move that was decided on an older version leaves neither a step nor an event", async () => {
  const { id } = await payments.create();
  const [payment] = await findPayments(payments.pool, [{ tenant, id }]);
  const late = payment && move(payment, "cancel", { failure_code: "cancelled" });
  if (late === undefined) throw new Error("no payment to cancel");
  const txHash = await submit(id);
  const record = recordMove(late, new Date(), "");
  expect(await movePayments(payments.pool, [record])).toEqual(new Set());
  expect((await readSteps(id)).slice(1)).toEqual([
    ["transaction_submitted", "processing", null, txHash],
  ]);
  const { rowCount } = await payments.pool.query("select from outbox where event_id = $1", [
    record.event.eventId,
  ]);
  expect(rowCount).toBe(0);
});

test("a timeline keeps its latest hundred steps", async () => {
  const { rows } = await payments.pool.query<{ steps: string | null }>(`
    with recursive timeline as (
      select 0 as n, null::text as steps
      union all
      select n + 1, append_payment_step(steps, null, null, 'xw' || 1700000000000 + n) from timeline where n < 105
    )
    select steps from timeline where n = 105`);
  const times = parseSteps(rows[0]?.steps ?? null, null).map(({ happened_at }) => +happened_at);
  expect(times).toEqual(Array.from({ length: 100 }, (_, nth) => 1_700_000_000_005 + nth));
});
