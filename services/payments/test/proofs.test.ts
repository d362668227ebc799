// Payments and the transfers that prove them: what differs between the two services is noticed until it is corrected.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { register } from "prom-client";
import { startTestPayments, type TestPayments, tenant } from "./payments.ts";

const GRACE_MS = 600_000;
let aheadMs = 0;
let payments: TestPayments;
beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + aheadMs) };
  payments = await startTestPayments({ clock, proofsIntervalMs: 50 });
});
afterAll(() => payments?.stop());

async function pay(id: string, to: string, value: bigint, status: string) {
  const txHash = await payments.chain.payNative({ to, value });
  const requests = [{ tenant, id, txHash, byMerchant: true }];
  const { results } = await payments.client.batchSubmitTransactions({ requests });
  expect(results.map(({ result }) => result.case)).toEqual(["payment"]);
  await until(async () => (await payments.status(id)) === status, { what: `${id} ${status}` });
}

async function broken() {
  const { values = [] } = (await register.getSingleMetric("payment_proofs_broken")?.get()) ?? {};
  return Object.fromEntries(values.map(({ labels, value }) => [labels.of, value]));
}

/** However far the clock goes on, nothing else is noticed. */
async function noticed(counts: object) {
  const wanted = JSON.stringify({ unconfirmed: 0, received: 0, ...counts });
  await until(
    async () => {
      aheadMs += GRACE_MS;
      return JSON.stringify(await broken()) === wanted;
    },
    { what: `payments that differ: ${wanted}` },
  );
}

test("a payment that differs from its proof is noticed until it is corrected", async () => {
  const [one, other] = [`0x${"1b".repeat(20)}`, `0x${"2b".repeat(20)}`];
  const { id: inParts } = await payments.create({ recipientAddress: one });
  const { id: atOnce } = await payments.create({ recipientAddress: other });
  await pay(inParts, one, 1_000_000_000_000_000_000n, "failed");
  await pay(inParts, one, 500_000_000_000_000_000n, "confirmed");
  await pay(atOnce, other, 1_500_000_000_000_000_000n, "confirmed");
  await noticed({});

  const of = (id: string) => `where id = '${id}'`;
  async function change(set: string, id: string) {
    const { rowCount } = await payments.pool.query(`update payments set ${set} ${of(id)}`);
    expect(rowCount).toBe(1);
  }

  for (const id of [inParts, atOnce]) {
    await change("final_base_amount = final_base_amount - 1", id);
    await noticed({ received: 1 });
    await change("final_base_amount = final_base_amount + 1", id);
    await noticed({});
  }
  await change("status = 'failed', confirmed_at = null, failure_code = 'reverted'", atOnce);
  await noticed({ unconfirmed: 1 });
  await change("status = 'confirmed', confirmed_at = now(), failure_code = null", atOnce);
  await noticed({});
});
