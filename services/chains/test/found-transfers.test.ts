// Payments whose hash no one submits: the chain is followed, and what reaches a recipient pays by rule.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { until } from "@pay/testing";
import { describeChains, newWallet, startTestChains, type TestChains } from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";

const AMOUNT = 1_000_000n;
const OTHER_PROJECT = "proj_BBBBBBBBBBBBBBBBBBBBBBBB";

describeChains("a payment without a submitted hash", () => {
  let chains: TestChains;
  let token: string;
  let buyer: string;
  let recipient = "";
  beforeAll(async () => {
    chains = await startTestChains();
    token = chains.chain.token.address;
    buyer = chains.chain.accounts[1] ?? "";
    await chains.chain.payToken({ to: buyer, value: 1_000_000_000n });
  });
  afterAll(() => chains?.stop());
  beforeEach(() => {
    recipient = newWallet();
  });

  /** Open, and known. */
  async function open(payment: Parameters<TestChains["open"]>[0] = {}) {
    const id = await chains.open({ recipientAddress: recipient, ...payment });
    await chains.watched(id);
    return id;
  }

  function payNative(value = AMOUNT, from = buyer) {
    return chains.chain.payNative({ from, to: recipient, value });
  }

  function payToken(value = AMOUNT) {
    return chains.chain.payToken({ from: buyer, to: recipient, value });
  }

  function listMoney(id: string) {
    return chains.told.filter(({ money }) => money.paymentId === id).map(({ money }) => money);
  }

  test("is paid by native coin that reaches its recipient", async () => {
    const id = await open();
    const txHash = await payNative();
    const money = await chains.paid(id, AMOUNT);
    expect(money).toMatchObject({
      txHash,
      recipientAddress: recipient,
      senders: [{ address: buyer.toLowerCase(), baseAmount: "1000000" }],
      hashes: [],
    });
    // Seen first, where it is not proven as soon as it is decided.
    const turns = listMoney(id).slice(-2);
    expect(turns.map(({ seenBaseAmount }) => seenBaseAmount)).toEqual(turns.map(() => "1000000"));
    expect(turns.map(({ finalBaseAmount }) => finalBaseAmount).toReversed()).toEqual(
      ["1000000", "0"].slice(0, turns.length),
    );
  });

  test("is paid by native coin that a contract passes on", async () => {
    const { chain } = chains;
    const wallet = await chain.deploy(WALLET);
    await chain.payNative({ to: wallet, value: 5n * AMOUNT });
    const id = await open();
    // Beside a direct transfer in its block.
    await chain.mineAtOnce(false);
    await chain.submit({ from: buyer, to: recipient, value: 3n * AMOUNT });
    const data = calls([{ to: recipient, value: AMOUNT }]);
    const txHash = await chain.submit({ from: buyer, to: wallet, data });
    await chain.mine();
    await chain.mineAtOnce(true);
    expect(await chains.paid(id, AMOUNT)).toMatchObject({
      txHash,
      senders: [{ address: wallet, baseAmount: `${AMOUNT}` }],
    });
  });

  test("is paid by a token that reaches its recipient", async () => {
    const id = await open({ currency: token });
    const txHash = await payToken();
    expect(await chains.paid(id, AMOUNT)).toMatchObject({ txHash });
  });

  test("is paid in the time that was added to it", async () => {
    const created = new Date(Date.now() - 120_000);
    const id = await open({ created, expires: new Date(created.getTime() + 60_000) });
    const expires = new Date(Date.now() + 600_000);
    await chains.open({ id, type: "payment.extended", expires });
    await until(async () => {
      const { rows } = await chains.pool.query(
        "select version from watches where payment_id = $1",
        [id],
      );
      return rows[0]?.version === 2;
    });
    await payNative();
    expect((await chains.paid(id, AMOUNT)).lateBaseAmount).toBe("0");
  });

  test("is paid in time where the extension is known after the transfer", async () => {
    const created = new Date(Date.now() - 120_000);
    const id = await open({ created, expires: new Date(created.getTime() + 60_000) });
    await payNative();
    await chains.money(id, ({ lateFinalBaseAmount }) => lateFinalBaseAmount === "1000000");
    const expires = new Date(Date.now() + 600_000);
    await chains.open({ id, type: "payment.extended", expires });
    expect((await chains.paid(id, AMOUNT)).lateBaseAmount).toBe("0");
  });

  test("is paid although its event arrives after its transfer was mined", async () => {
    const created = new Date();
    await chains.chain.mine();
    const native = await payNative();
    expect(await chains.paid(await open({ created }), AMOUNT)).toMatchObject({ txHash: native });
    recipient = newWallet();
    const inToken = await payToken();
    const other = await open({ created, currency: token });
    expect(await chains.paid(other, AMOUNT)).toMatchObject({ txHash: inToken });
  });

  test("is not paid by a transfer from before it was created", async () => {
    const mined = await chains.chain.blockTime(await payNative());
    const early = await open({ created: new Date(mined.getTime() + 1_001) });
    await chains.chain.setNextBlockTime(mined.getTime() / 1_000 + 2);
    const second = await payNative();
    expect(await chains.paid(early, AMOUNT)).toMatchObject({
      txHash: second,
      seenBaseAmount: "1000000",
    });
  });

  test("is paid by parts that reach the amount together", async () => {
    const id = await open();
    await payNative(600_000n);
    expect(await chains.paid(id, 600_000n)).toMatchObject({ seenBaseAmount: "600000" });
    await payNative(400_000n, chains.chain.accounts[2]);
    const { senders } = await chains.paid(id, AMOUNT);
    expect(senders.map(({ baseAmount }) => baseAmount)).toEqual(["600000", "400000"]);
  });

  test("is paid by two halves in one block, told together", async () => {
    const id = await open();
    const { chain } = chains;
    await chain.mineAtOnce(false);
    await chain.submit({ from: buyer, to: recipient, value: 500_000n });
    await chain.submit({ from: chain.accounts[2] ?? "", to: recipient, value: 500_000n });
    await chain.mine();
    await chain.mineAtOnce(true);
    await chains.paid(id, AMOUNT);
    expect(listMoney(id)[0]).toMatchObject({ turn: 1, seenBaseAmount: "1000000" });
  });

  test("of another merchant with the same recipient takes nothing away", async () => {
    const mine = await open();
    const theirs = await open({ projectId: OTHER_PROJECT });
    await payNative();
    await chains.paid(mine, AMOUNT);
    await chains.paid(theirs, AMOUNT);
  });

  test("is paid by its amount among eight of one wallet in one block", async () => {
    const { chain } = chains;
    const ids: string[] = [];
    for (let amount = 1; amount <= 8; amount++) ids.push(await open({ baseAmount: `${amount}` }));
    await chain.mineAtOnce(false);
    const sent: string[] = [];
    for (const at of ids.keys()) {
      sent.push(await chain.submit({ from: buyer, to: recipient, value: BigInt(at + 1) }));
    }
    await chain.mineAtOnce(true);
    await chain.mine();
    for (const [at, id] of ids.entries()) {
      expect(await chains.paid(id, `${at + 1}`)).toMatchObject({ txHash: sent[at] });
    }
  });

  test("is paid beside dust in its block, which is decided once", async () => {
    const id = await open();
    await open({ baseAmount: `${2n * AMOUNT}` });
    await open({ baseAmount: `${3n * AMOUNT}` });
    const { chain, pool } = chains;
    await chain.mineAtOnce(false);
    for (let nth = 0; nth < 30; nth++) {
      await chain.submit({ from: buyer, to: recipient, value: 1n });
    }
    const txHash = await chain.submit({ from: buyer, to: recipient, value: AMOUNT });
    await chain.mine();
    await chain.mineAtOnce(true);
    expect(await chains.paid(id, AMOUNT)).toMatchObject({ txHash, seenBaseAmount: `${AMOUNT}` });
    await chains.settled();
    const dust = `select count(*)::int as n from attributions a join transfers t on t.id = a.transfer_id
      where t.recipient = $1 and a.reason = 'dust' and not a.is_open`;
    expect((await pool.query(dust, [recipient.toLowerCase()])).rows).toEqual([{ n: 30 }]);
  });

  test("that is paid takes no second transfer, which is unmatched", async () => {
    const id = await open();
    const txHash = await payNative();
    await chains.paid(id, AMOUNT);
    const second = await payNative();
    await chains.settled();
    expect(await chains.paid(id, AMOUNT)).toMatchObject({ txHash, seenBaseAmount: "1000000" });
    const { rows } = await chains.pool.query(
      "select a.reason, a.payment_id from attributions a join transfers t on t.id = a.transfer_id where t.tx_hash = $1",
      [second],
    );
    expect(rows).toEqual([{ reason: "no_payment", payment_id: null }]);
  });

  test("waits while payments is away, and nothing else does", async () => {
    const id = await open();
    const comeBack = chains.leavePayments();
    await payNative();
    await until(async () => {
      const { rowCount } = await chains.pool.query(
        "select from attribution_queue where recipient = $1 and lease is null and next_at > now()",
        [recipient],
      );
      return rowCount === 1;
    });
    expect(listMoney(id)).toEqual([]);
    comeBack();
    await chains.paid(id, AMOUNT);
  });

  test("that only payments knows yet is asked for", async () => {
    const late = await chains.openUnpublished({ recipientAddress: recipient });
    // Makes the recipient one that is followed.
    await open({ baseAmount: "9" });
    const txHash = await payNative();
    expect(await chains.paid(late, AMOUNT)).toMatchObject({ txHash });
  });
});
