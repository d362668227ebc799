// Paid payments whose transfers leave the chain, and transfers that only the second reading finds.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import {
  describeChains,
  newWallet,
  type Opened,
  readCounter,
  startTestChains,
  type TestChains,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
/** The depth at which a chain without configuration counts as final, and some more. */
const FINAL = 140;

let recipient = "";
beforeEach(() => {
  recipient = newWallet();
});

describeChains("money that leaves the chain", () => {
  let aheadMs = 0;
  let chains: TestChains;
  beforeAll(async () => {
    const clock = { now: () => new Date(Date.now() + aheadMs) };
    chains = await startTestChains({ clock });
  });
  afterAll(() => chains?.stop());

  async function pay(more: Opened = {}): Promise<{ id: string; txHash: string; raw: string }> {
    const created = new Date(Date.now() - 60_000);
    const id = await chains.open({ recipientAddress: recipient, created, ...more });
    const txHash = await chains.chain.payNative({ to: recipient, value: AMOUNT });
    await chains.submit({ id, txHash });
    await chains.paid(id, AMOUNT);
    const raw = await chains.chain.call("eth_getRawTransactionByHash", [txHash]);
    return { id, txHash, raw: raw as string };
  }

  function gone(id: string) {
    return chains.money(id, ({ seenBaseAmount }) => seenBaseAmount === "0");
  }

  async function allocations(id: string) {
    const { rows } = await chains.pool.query(
      `select t.tx_hash, t.block_number::int as number from allocations a
       join transfers t on t.id = a.transfer_id where a.subject_id = $1`,
      [id],
    );
    return rows;
  }

  test("is taken out of the sums, and is in them again when it is mined again", async () => {
    const { chain } = chains;
    const { id, txHash, raw } = await pay();
    const unproven = await readCounter("chain_payments_unproven_total");
    await chain.reorg(1);
    await chain.mine();
    const without = await gone(id);
    await until(async () => (await readCounter("chain_payments_unproven_total")) === unproven + 1);
    expect(without).toMatchObject({ finalBaseAmount: "0", senders: [] });
    expect(without.txHash).toBeUndefined();
    expect(await allocations(id)).toEqual([]);
    await chain.call("eth_sendRawTransaction", [raw]);
    const again = await chains.paid(id, AMOUNT);
    const blockNumber = BigInt((await chain.receipt(txHash))?.blockNumber ?? 0);
    expect(again).toMatchObject({ txHash, blockNumber, hashes: [{ outcome: "counted" }] });
    expect(await allocations(id)).toEqual([{ tx_hash: txHash, number: Number(blockNumber) }]);
    const turns = chains.told.filter(({ money }) => money.paymentId === id);
    expect(turns.map(({ money }) => money.turn)).toEqual(turns.map((_, at) => at + 1));
    expect(new Set(turns.map((one) => one.id)).size).toBe(turns.length);
  });

  test("leaves the payment to another transfer of the payer", async () => {
    const { chain } = chains;
    const { id, txHash } = await pay();
    await chain.reorg(1);
    await gone(id);
    const [, other = ""] = chain.accounts;
    const second = await chain.payNative({ to: recipient, value: AMOUNT, from: other });
    await chains.submit({ id, txHash: second });
    expect(await chains.paid(id, AMOUNT)).toMatchObject({
      txHash: second,
      senders: [{ address: other.toLowerCase() }],
    });
    expect(txHash).not.toBe(second);
  });

  test("takes only itself along, where it came on top", async () => {
    const { chain } = chains;
    const { id, txHash } = await pay();
    const [, from = ""] = chain.accounts;
    const more = await chain.payNative({ to: recipient, value: AMOUNT * 2n, from });
    const raw = await chain.call("eth_getRawTransactionByHash", [more]);
    await chains.submit({ id, txHash: more, isAssigned: true });
    await chains.paid(id, AMOUNT * 3n);
    await chains.followed();
    await chain.reorg(1);
    await chain.mine();
    expect(await chains.paid(id, AMOUNT)).toMatchObject({ txHash, seenBaseAmount: `${AMOUNT}` });
    expect(await allocations(id)).toMatchObject([{ tx_hash: txHash }]);
    await chain.call("eth_sendRawTransaction", [raw]);
    expect(await chains.paid(id, AMOUNT * 3n)).toMatchObject({ txHash: more });
  });

  test("that is mined again after the end was in time", async () => {
    const { chain } = chains;
    const created = new Date(Date.now() - 60_000);
    const id = await chains.open({ recipientAddress: recipient, created });
    const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
    const raw = await chain.call("eth_getRawTransactionByHash", [txHash]);
    await chains.paid(id, AMOUNT);
    const expires = await chain.blockTime(txHash);
    await chains.open({ id, expires });
    await chain.reorg(1);
    await gone(id);
    await chain.setNextBlockTime(expires.getTime() / 1_000 + 5);
    await chain.call("eth_sendRawTransaction", [raw]);
    const again = await chains.paid(id, AMOUNT);
    expect((await chain.blockTime(txHash)) > expires).toBe(true);
    expect(again.lateBaseAmount).toBe("0");
  });

  test("of a block that is not final is taken out although no reorganisation was noticed", async () => {
    const { chain } = chains;
    const { id, txHash } = await pay();
    // A look back for the payment, perhaps under way, writes the true hash once more, so the wrong one is set until
    // it counts.
    await until(
      async () => {
        await chains.pool.query("update transfers set block_hash = $2 where tx_hash = $1", [
          txHash,
          `0x${"9".repeat(64)}`,
        ]);
        return chains.told.some(
          ({ money }) => money.paymentId === id && money.turn > 1 && money.seenBaseAmount === "0",
        );
      },
      { what: "the end of the proof" },
    );
    await chain.mine(FINAL);
    await chains.paid(id, AMOUNT);
    await until(async () => {
      const { rows } = await chains.pool.query("select status from transfers where tx_hash = $1", [
        txHash,
      ]);
      return rows[0]?.status === "final";
    });
  });

  test("is not_found an hour later, and counts when it is mined after all", async () => {
    const { chain } = chains;
    const { id, txHash, raw } = await pay();
    await chain.reorg(1);
    await gone(id);
    // The head is later than the end of the wait before the clock is: its time is what shows that the provider is up
    // to date.
    await chain.setNextBlockTime(Math.floor((Date.now() + 95 * 60_000) / 1_000));
    await chain.mine();
    aheadMs += 94 * 60_000;
    await chains.money(id, ({ hashes }) => hashes[0]?.outcome === "not_found");
    await chain.call("eth_sendRawTransaction", [raw]);
    expect(await chains.paid(id, AMOUNT)).toMatchObject({
      txHash,
      hashes: [{ outcome: "counted" }],
    });
  });
});

describeChains("a transaction that a reorganisation drops before its verdict", () => {
  test("is judged by the transaction that took its nonce, although it was never pending", async () => {
    const finality = { 31337: { mode: "confirmations", confirmations: 4 } };
    const environment = { CHAINS_FINALITY: JSON.stringify(finality) };
    const chains = await startTestChains({ environment });
    try {
      const { chain } = chains;
      const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
      const created = new Date(Date.now() - 60_000);
      const id = await chains.submit({ recipientAddress: recipient, created, txHash });
      await until(async () => (await chains.transaction(txHash))?.sender);
      await chain.reorg(1);
      await chain.payNative({ to: `0x${"5".repeat(40)}`, value: AMOUNT });
      await chain.mine(4);
      expect(await chains.outcome(id)).toBe("replaced");
    } finally {
      await chains.stop();
    }
  });
});

describeChains("a hash that the only provider did not return in time", () => {
  test("counts once the provider returns its block", async () => {
    const chain = await testChain();
    const provider = await chain.faultProxy();
    let aheadMs = 0;
    const clock = { now: () => new Date(Date.now() + aheadMs) };
    const chains = await startTestChains({ chain, providers: [provider.url], clock });
    try {
      const methods = ["eth_getTransactionReceipt", "eth_getTransactionByHash"];
      provider.fail({ kind: "change", change: () => null }, { methods });
      const id = await chains.open({ recipientAddress: recipient });
      const txHash = await chain.payNative({ to: recipient, value: AMOUNT });
      await chains.submit({ id, txHash });
      await chains.missed(txHash);
      await chain.setNextBlockTime(Math.floor((Date.now() + 96 * 60_000) / 1_000));
      await chain.mine();
      aheadMs += 95 * 60_000;
      const soon = "update transactions set next_at = now() where tx_hash = $1";
      await chains.pool.query(soon, [txHash]);
      expect(await chains.outcome(id)).toBe("not_found");
      provider.heal();
      expect((await chains.paid(id, AMOUNT)).txHash).toBe(txHash);
      await chains.money(id, ({ hashes }) => hashes[0]?.outcome === "counted");
    } finally {
      await chains.stop();
      await chain.stop();
    }
  });
});

describeChains("a provider that hides a transfer", () => {
  let chain: TestChain;
  let first: FaultProxy;
  let chains: TestChains;
  beforeAll(async () => {
    chain = await testChain();
    first = await chain.faultProxy();
    chains = await startTestChains({ chain, providers: [first.url, chain.rpcUrl] });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  test("delays the payment until the block is final and another provider agrees", async () => {
    function withoutFilter(block: unknown) {
      return block === null ? null : { ...(block as object), logsBloom: `0x${"0".repeat(512)}` };
    }

    first.fail({ kind: "change", change: () => [] }, { methods: ["eth_getLogs"] });
    first.fail({ kind: "change", change: withoutFilter }, { methods: ["eth_getBlockByNumber"] });
    const created = new Date(Date.now() - 60_000);
    const currency = chain.token.address;
    const id = await chains.open({ recipientAddress: recipient, created, currency });
    await until(async () => {
      const { rows } = await chains.pool.query(
        "select from watches w join cursors c using (chain_id) where payment_id = $1 and c.final_number is not null",
        [id],
      );
      return rows.length > 0;
    });
    // It is the one that is followed: one that names its chain late is passed over.
    await until(() => first.calls("eth_getLogs") > 0, { what: "a question for logs" });
    const txHash = await chain.payToken({ to: recipient, value: AMOUNT });
    await chains.followed();
    const { rows } = await chains.pool.query("select from transfers where tx_hash = $1", [txHash]);
    expect(rows).toEqual([]);
    await chain.mine(FINAL);
    expect(await chains.paid(id, AMOUNT)).toMatchObject({ txHash });
  });
});
