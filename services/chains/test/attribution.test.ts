import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { describeChains, newWallet, SHOP, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;

describeChains("a transfer", () => {
  let chains: TestChains;
  let buyer: string;
  beforeAll(async () => {
    chains = await startTestChains();
    buyer = chains.chain.accounts[1] ?? "";
  });
  afterAll(() => chains?.stop());

  test("that names no payment pays the only one that is due exactly this", async () => {
    const id = await chains.open();
    await chains.watched(id);
    const txHash = await chains.chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const money = await chains.paid(id, AMOUNT);
    expect(money).toMatchObject({ txHash, seenBaseAmount: "1000000", lateBaseAmount: "0" });
    expect(money.senders).toMatchObject([{ address: buyer.toLowerCase(), baseAmount: "1000000" }]);
  });

  test("whose hash is submitted counts, and says so", async () => {
    const id = await chains.open({ baseAmount: "7" });
    const txHash = await chains.chain.payNative({ from: buyer, to: SHOP, value: 7n });
    await chains.submit({ id, baseAmount: "7", txHash });
    expect(await chains.outcome(id)).toBe("counted");
    await chains.paid(id, 7n);
  });

  test("may be for a payment that was cancelled a moment before the stamp of its block", async () => {
    const recipientAddress = newWallet();
    const [cancelled, open] = [
      await chains.open({ recipientAddress }),
      await chains.open({ recipientAddress }),
    ];
    await Promise.all([cancelled, open].map(chains.watched));
    const txHash = await chains.chain.payNative({
      from: buyer,
      to: recipientAddress,
      value: AMOUNT,
    });
    const mined = await chains.chain.blockTime(txHash);
    const before = new Date(mined.getTime() - 1_000);
    await chains.open({ id: cancelled, status: "expired", cancelled: before });
    await until(async () => (await findEnd(cancelled)) < mined.getTime() + 60_000);
    await chains.settled();
    expect((await chains.money(open)).needs).toBe("payer_signature");
  });

  async function findEnd(id: string): Promise<number> {
    const { rows } = await chains.pool.query("select ends_at from watches where payment_id = $1", [
      id,
    ]);
    return rows[0].ends_at.getTime();
  }

  test("is decided while another wallet of the same turn cannot be, which is retried", async () => {
    const { chain, pool } = chains;
    const [broken, sound] = [newWallet(), newWallet()];
    const [late, paid] = await Promise.all(
      [broken, sound].map((recipientAddress) => chains.open({ recipientAddress })),
    );
    if (late === undefined || paid === undefined) throw new Error("two payments were opened");
    await Promise.all([late, paid].map(chains.watched));
    await pool.query(
      `insert into payment_sums (project_id, payment_id, turn, money)
      select project_id, payment_id, 0, '{}' from watches where payment_id = $1`,
      [late],
    );
    await chain.mineAtOnce(false);
    await chain.submit({ from: buyer, to: broken, value: AMOUNT });
    await chain.submit({ from: buyer, to: sound, value: AMOUNT });
    await chain.mine();
    await chain.mineAtOnce(true);
    await chains.paid(paid, AMOUNT);
    const due = "update attribution_queue set next_at = now(), faults = 3 where recipient = $1";
    await until(async () => (await pool.query(`${due} and faults > 0`, [broken])).rowCount === 1, {
      what: "the first fault",
    });
    const paused = `select from attribution_queue where recipient = $1 and faults = 4
      and next_at > now() + interval '4 seconds'`;
    await until(async () => (await pool.query(paused, [broken])).rowCount === 1, {
      what: "a pause that has grown",
    });
    await pool.query("delete from payment_sums where payment_id = $1", [late]);
    await pool.query(due, [broken]);
    await chains.paid(late, AMOUNT);
  });
});
