import { timestampDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { cancel } from "../src/domain/change.ts";
import { recordMove } from "../src/messages.ts";
import { findPayments, movePayments } from "../src/storage/payments.ts";
import { parseSteps } from "../src/storage/timelines.ts";
import {
  AMOUNT,
  moneyChanged,
  newHash,
  proven,
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

async function submit(id: string, txHash = newHash()) {
  await payments.client.batchSubmitTransactions({
    requests: [{ tenant, id, txHash, trusted: true }],
  });
  return txHash;
}

function report(id: string, turn: number, money: Parameters<typeof moneyChanged>[2] = {}) {
  return payments.publish(moneyChanged(id, turn, money));
}

function refundedTo(paymentId: string, refundedBaseAmount: string, more: object = {}) {
  return payments.publish(refundCompleted(paymentId, refundedBaseAmount, more));
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
  const part = await submit(id);
  await report(id, 1, proven(part, 7n));
  const rest = await submit(id);
  const both = { hashes: [part, rest].map((txHash) => ({ txHash, outcome: "counted" })) };
  await report(id, 2, { ...proven(rest, AMOUNT), ...both });
  await refundedTo(id, "500000000000000000");
  await refundedTo(id, `${AMOUNT}`);
  expect(await readSteps(id)).toEqual([
    ["created", "created", null, null],
    ["transaction_submitted", "processing", null, part],
    ["failed", "failed", "underpaid", part],
    ["transaction_submitted", "processing", null, rest],
    ["confirmed", "confirmed", null, rest],
    ["refunded_in_part", "confirmed", null, rest],
    ["refunded", "refunded", null, rest],
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

test("a step names the key or the member that made it", async () => {
  const { id } = await payments.create({ requestedBy: "key_1" });
  const txHash = newHash();
  const submission = { tenant, id, txHash, trusted: true, byMerchant: true, requestedBy: "key_2" };
  await payments.client.batchSubmitTransactions({ requests: [submission] });
  await report(id, 1, proven(txHash, 7n));
  await payments.client.resolvePayment({ tenant, id, accept: true, requestedBy: "mem_1" });
  const [steps = []] = await readTimelines([id]);
  expect(steps.map(({ event, madeBy }) => [event, madeBy])).toEqual([
    ["created", "key_1"],
    ["transaction_submitted", "key_2"],
    ["failed", undefined],
    ["late_accepted", "mem_1"],
    ["confirmed", "mem_1"],
  ]);
});

test("a rejected hash beside another is a step, and so are a surplus and its refund", async () => {
  const { id } = await payments.create();
  const [first, second] = [await submit(id), await submit(id)];
  const refuted = { txHash: first, outcome: "reverted", isMined: true };
  const counted = { txHash: second, outcome: "counted", isMined: true };
  await report(id, 1, { hashes: [refuted] });
  await report(id, 2, { ...proven(second, AMOUNT), hashes: [refuted, counted] });
  await refundedTo(id, `${AMOUNT}`);
  const third = newHash();
  await report(id, 3, proven(third, AMOUNT * 2n));
  await refundedTo(id, `${AMOUNT + 5n}`, { surplusRefundedBaseAmount: "5" });
  await report(id, 4, proven(second, AMOUNT));
  expect((await readSteps(id)).slice(3)).toEqual([
    ["transaction_refuted", "processing", "reverted", first],
    ["confirmed", "confirmed", null, second],
    ["refunded", "refunded", null, second],
    ["surplus_received", "refunded", null, third],
    ["surplus_refunded", "refunded", null, second],
    ["transaction_reorged", "refunded", null, second],
  ]);
});

test("a part and late money are steps about their own transactions", async () => {
  const { id } = await payments.create();
  const [part, late, wrong] = [newHash(), newHash(), newHash()];
  const half = AMOUNT / 2n;
  await report(id, 1, proven(part, half));
  await submit(id, wrong);
  await payments.pool.query(
    `update payments set expires_at = now() - interval '2 hours', due_at = now() - interval '1 minute'
      where id = $1`,
    [id],
  );
  await until(async () => (await payments.status(id)) === "expired");
  await report(id, 2, { ...proven(late, half), lateFinalBaseAmount: `${AMOUNT}`, senders: [] });
  expect((await readSteps(id)).slice(1)).toEqual([
    ["part_received", "created", null, part],
    ["transaction_submitted", "processing", null, wrong],
    ["expired", "expired", "underpaid", part],
    ["paid_late", "expired", null, late],
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
  const late = payment && cancel(payment, new Date());
  if (late === undefined || !("payment" in late)) throw new Error("no payment to cancel");
  const txHash = await submit(id);
  const record = recordMove(late, new Date(), { requestId: "" });
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
