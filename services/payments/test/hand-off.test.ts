// A payment that goes on in another browser of its shopper.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { purgeHandoffs } from "../src/generated/sql.ts";
import { startTestPayments, stranger, type TestPayments, tenant } from "./payments.ts";

const HASH = `0x${"4".repeat(64)}`;

let payments: TestPayments;
let now = new Date();
beforeAll(async () => {
  payments = await startTestPayments({ clock: { now: () => now } });
});
afterAll(() => payments?.stop());

function handOff(id: string, more: object = { trusted: true }) {
  return payments.client.createHandoff({ tenant, id, ...more });
}

function redeem(id: string, code: string) {
  return payments.client.redeemHandoff({ id, code });
}

function codes() {
  return payments.pool.query("select payment_id from handoffs").then(({ rowCount }) => rowCount);
}

test("the code gives the client secret once, however many come with it", async () => {
  const { id, clientSecret } = await payments.create();
  const { code } = await handOff(id);
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => redeem(id, code)));
  const given = answers.filter((answer) => answer.status === "fulfilled");
  expect(given.map(({ value }) => value.clientSecret)).toEqual([clientSecret]);
  await expect(redeem(id, code)).rejects.toThrow("The code is wrong, was used, or is too old");
});

test("another payment's code, a guessed one and the one before a newer one open nothing", async () => {
  const [one, other] = [await payments.create(), await payments.create()];
  const { code: older } = await handOff(one.id);
  const { code } = await handOff(one.id);
  for (const [id, tried] of [
    [one.id, older],
    [one.id, `${code}x`],
    [other.id, code],
    [`pay_${"0".repeat(24)}`, code],
  ] as const) {
    await expect(redeem(id, tried)).rejects.toThrow("The code is wrong");
  }
  expect((await redeem(one.id, code)).clientSecret).toBe(one.clientSecret);
});

test("an unused code ends after two minutes, and is deleted", async () => {
  const { id } = await payments.create();
  const { code, expiresAt } = await handOff(id);
  expect(Number(expiresAt?.seconds) * 1_000 - now.getTime()).toBeLessThanOrEqual(2 * 60_000);
  now = new Date(now.getTime() + 2 * 60_000);
  await expect(redeem(id, code)).rejects.toThrow("The code is wrong");
  expect(await purgeHandoffs(payments.pool, { expiredUntil: now, limit: 1_000 })).toBe(1);
  expect(await codes()).toBe(0);
});

test("the table holds nothing that opens a payment", async () => {
  const { id } = await payments.create();
  const { code } = await handOff(id);
  const { rows } = await payments.pool.query("select * from handoffs where payment_id = $1", [id]);
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(code);
});

test("who asks has proven that the payment is theirs", async () => {
  const { id, clientSecret } = await payments.create();
  await expect(handOff(id, { clientSecret: `${clientSecret}x` })).rejects.toThrow("clientSecret");
  await expect(
    payments.client.createHandoff({ tenant: stranger, id, trusted: true }),
  ).rejects.toThrow("Payment not found");
  expect((await handOff(id, { clientSecret })).code).toMatch(/^ho_\w{43}$/);
});

test("while a transaction is being verified, and after the end, nothing is handed on", async () => {
  const { id } = await payments.create();
  await payments.client.batchSubmitTransactions({
    requests: [{ tenant, id, txHash: HASH, trusted: true }],
  });
  await expect(handOff(id)).rejects.toThrow("Payment is processing; expected");
  const cancelled = await payments.create();
  await payments.client.cancelPayment({ tenant, id: cancelled.id });
  await expect(handOff(cancelled.id)).rejects.toThrow("Payment is expired");
});
