import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { type TestChain, testChain, until } from "@pay/testing";
import {
  describeChains,
  newWallet,
  readCounter,
  startTestChains,
  type TestChains,
} from "./chains.ts";

const AMOUNT = 1_000_000n;
const CONFIRMATIONS = 3;

function finality(chain: TestChain, policy: object) {
  return {
    CHAINS_FINALITY: JSON.stringify({ [chain.chainId]: policy }),
  };
}

describeChains("a transaction on a chain that takes three blocks to settle", () => {
  let chain: TestChain;
  let chains: TestChains;
  let buyer: string;
  let shopper = 0;
  beforeAll(async () => {
    chain = await testChain();
    const policy = { mode: "confirmations", confirmations: CONFIRMATIONS };
    chains = await startTestChains({ chain, environment: finality(chain, policy) });
  });
  // Each account pays once: one test's dropped transactions are not another's nonces.
  beforeEach(() => {
    buyer = chain.accounts[++shopper] ?? "";
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  async function pay(value = AMOUNT) {
    const recipientAddress = newWallet();
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value });
    const id = await chains.submit({
      txHash,
      recipientAddress,
      // A block that takes the place of its own may be stamped a little earlier.
      created: new Date((await chain.blockTime(txHash)).getTime() - 60_000),
    });
    return { id, txHash };
  }

  /** The service has looked at the transaction in its block once more, and it is not final. */
  async function looked(txHash: string) {
    const before = Number((await chains.transaction(txHash))?.looked_at);
    const row = await until(async () => {
      const now = await chains.transaction(txHash);
      return now?.misses === 0 && Number(now.looked_at) > before ? now : undefined;
    });
    expect(row).toMatchObject({ state: "waiting" });
  }

  /** What is told of a transfer that is in a block. */
  function seen(id: string, amount = AMOUNT) {
    return chains.money(id, ({ seenBaseAmount }) => seenBaseAmount === `${amount}`);
  }

  test("is seen in its block, and proven at that depth and not before", async () => {
    const { id, txHash } = await pay();
    await looked(txHash);
    await chain.mine(CONFIRMATIONS - 2);
    await looked(txHash);
    const { finalBaseAmount, hashes } = await seen(id);
    expect([finalBaseAmount, hashes[0]?.isMined, hashes[0]?.outcome]).toEqual([
      "0",
      true,
      undefined,
    ]);
    await chain.mine();
    expect((await chains.paid(id, AMOUNT)).hashes).toMatchObject([{ outcome: "counted" }]);
  });

  test("of a part is counted at that depth and not before", async () => {
    const { id, txHash } = await pay(AMOUNT - 1n);
    await looked(txHash);
    expect((await seen(id, AMOUNT - 1n)).hashes[0]?.outcome).toBeUndefined();
    await chain.mine(CONFIRMATIONS - 1);
    await chains.paid(id, AMOUNT - 1n);
  });

  test("mined in time and settled after the expiry is in time", async () => {
    const recipientAddress = newWallet();
    const txHash = await chain.payNative({ from: buyer, to: recipientAddress, value: AMOUNT });
    const mined = await chain.blockTime(txHash);
    const created = new Date(mined.getTime() - 1_000);
    const id = await chains.submit({ txHash, recipientAddress, created, expires: mined });
    await looked(txHash);
    await chain.mine(CONFIRMATIONS - 1);
    expect((await chains.paid(id, AMOUNT)).lateBaseAmount).toBe("0");
  });

  test("that is in a block stays open, also when it is final long after the expiry", async () => {
    const { id, txHash } = await pay();
    await looked(txHash);
    const past = new Date(Date.now() - 48 * 3_600_000);
    const overdue = "update transactions set give_up_at = $1, next_at = now() where tx_hash = $2";
    await chains.pool.query(overdue, [past, txHash]);
    await until(async () => {
      const row = await chains.transaction(txHash);
      return row?.state === "waiting" && Number(row.next_at) > Date.now() + 300_000;
    });
    await until(async () => (await readCounter("chain_transactions_unproven_total")) > 0);
    expect((await seen(id)).hashes[0]?.outcome).toBeUndefined();
    await chain.mine(CONFIRMATIONS - 1);
    await until(async () => {
      await chains.pool.query(overdue, [past, txHash]);
      return (await chains.transaction(txHash))?.state === "proven";
    });
    await chains.paid(id, AMOUNT);
  });

  test("is decided beside the next event of its payment without a deadlock", async () => {
    const { id, txHash } = await pay();
    await looked(txHash);
    await seen(id);
    // As a consumer does that takes an event: first the watch, then the hash.
    const taking = await chains.pool.connect();
    try {
      await taking.query("begin");
      await taking.query("select from watches where payment_id = $1 for update", [id]);
      await chain.mine(CONFIRMATIONS - 1);
      await until(async () => (await waitingForLocks()) > 0, { what: "the decision" });
      // Sooner than the server looks for two that wait for each other.
      await taking.query("set local lock_timeout = '500ms'");
      await taking.query("update submissions set attempt = attempt where subject_id = $1", [id]);
      await taking.query("commit");
    } finally {
      taking.release(true);
    }
    await chains.paid(id, AMOUNT);
  });

  async function waitingForLocks(): Promise<number> {
    const { rowCount } = await chains.pool.query(
      `select from pg_locks l join pg_stat_activity a using (pid)
       where not l.granted and a.datname = current_database()`,
    );
    return rowCount ?? 0;
  }

  test("that a reorganisation drops waits again, and counts when it is mined again", async () => {
    const nonce = Number(await chain.call("eth_getTransactionCount", [buyer, "latest"]));
    const { id, txHash } = await pay();
    const raw = await rawTransaction(txHash);
    const first = await chain.receipt(txHash);
    await looked(txHash);
    await seen(id);
    await chain.reorg(1);
    expect(await chain.receipt(txHash)).toBeNull();
    await chains.missed(txHash);
    await chain.mine(CONFIRMATIONS);
    expect((await seen(id, 0n)).hashes[0]?.outcome).toBeUndefined();
    await chain.call("eth_sendRawTransaction", [raw]);
    await until(() => chain.receipt(txHash));
    await chain.mine(CONFIRMATIONS - 1);
    const money = await chains.paid(id, AMOUNT);
    const second = await chain.receipt(txHash);
    expect(second?.blockHash).not.toBe(first?.blockHash);
    expect(money).toMatchObject({ blockNumber: BigInt(second?.blockNumber ?? 0) });
    expect(nonce).toBe(0);
  });

  test("that a reorganisation drops for good never counts", async () => {
    const { id, txHash } = await pay();
    await looked(txHash);
    await seen(id);
    await chain.reorg(1);
    await chain.mine(CONFIRMATIONS + 2);
    await chains.missed(txHash, 2);
    expect(await chains.transaction(txHash)).toMatchObject({ state: "waiting" });
    expect(await seen(id, 0n)).toMatchObject({ finalBaseAmount: "0" });
  });

  /** What anvil was sent, to send it again; it signs for its own accounts deterministically. */
  async function rawTransaction(hash: string): Promise<string> {
    return (await chain.call("eth_getRawTransactionByHash", [hash])) as string;
  }
});

describeChains("a transaction that is replaced before it is mined", () => {
  let chain: TestChain;
  let chains: TestChains;
  let token: string;
  let shop = "";
  beforeAll(async () => {
    chain = await testChain();
    token = chain.token.address;
    const policy = { mode: "confirmations", confirmations: 2 };
    chains = await startTestChains({ chain, environment: finality(chain, policy) });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  /** Submits an unmined payment, replaces it, and mines what took its place. */
  async function replace(
    from: string,
    other: { to: string; value?: bigint; data?: string },
  ): Promise<{ id: string; first: string; second: string }> {
    await chain.mineAtOnce(false);
    const nonce = Number(await chain.call("eth_getTransactionCount", [from, "latest"]));
    const slow = { from, nonce, gasPrice: 3_000_000_000n };
    const id = await chains.open({ recipientAddress: shop });
    const first = await chain.submit({ ...slow, to: shop, value: AMOUNT });
    await chains.submit({ id, txHash: first });
    await until(async () => (await chains.transaction(first))?.sender === from.toLowerCase());
    const second = await chain.submit({ ...slow, gasPrice: 9_000_000_000n, ...other });
    await chain.mine();
    await chain.mineAtOnce(true);
    expect(await chain.receipt(first)).toBeNull();
    return { id, first, second };
  }

  beforeEach(() => {
    shop = newWallet();
  });

  test("by a faster one that pays the same is paid by that one", async () => {
    const from = chain.accounts[1] ?? "";
    const { id, first, second } = await replace(from, { to: shop, value: AMOUNT });
    await chain.mine();
    await chains.paid(id, AMOUNT);
    expect(await chains.outcome(id)).toBe("counted");
    expect(await chains.money(id)).toMatchObject({
      txHash: second,
      hashes: [{ txHash: first, replacedBy: second, isMined: true }],
    });
  });

  test("by one that pays less is paid in part", async () => {
    const from = chain.accounts[4] ?? "";
    const { id, first } = await replace(from, { to: shop, value: AMOUNT - 1n });
    await chain.mine();
    await chains.paid(id, AMOUNT - 1n);
    expect(await chains.outcome(id)).toBe("counted");
    expect((await chains.money(id)).hashes).toMatchObject([{ txHash: first }]);
  });

  test("by a cancellation is replaced, under the hash that was submitted", async () => {
    const from = chain.accounts[2] ?? "";
    const { id, first, second } = await replace(from, { to: from, value: 0n });
    await until(async () => (await chains.transaction(second))?.waits_for === "depth");
    const before = await chains.money(id, ({ hashes }) => hashes[0]?.replacedBy === second);
    expect(before.hashes[0]?.outcome).toBeUndefined();
    await chain.mine();
    expect(await chains.outcome(id)).toBe("replaced");
    const { hashes } = await chains.money(id);
    expect(hashes).toMatchObject([{ txHash: first, replacedBy: second }]);
  });

  test("by something else is replaced", async () => {
    const data = transferData(shop, 1n);
    const { id } = await replace(chain.accounts[3] ?? "", { to: token, value: 0n, data });
    await chain.mine();
    expect(await chains.outcome(id)).toBe("replaced");
  });
});

describeChains("a chain that says itself what is final", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await testChain({ slotsInAnEpoch: 2 });
  });
  afterAll(() => chain?.stop());

  test.each([
    ["safe", 2],
    ["finalized", 4],
  ])("settles a transaction under its tag %s", async (mode, blocks) => {
    const policy = { mode, confirmations: 1_000 };
    const chains = await startTestChains({ chain, environment: finality(chain, policy) });
    try {
      const recipientAddress = newWallet();
      const id = await chains.open({ recipientAddress });
      const txHash = await chain.payNative({ to: recipientAddress, value: AMOUNT });
      await chains.submit({ id, txHash });
      await chain.mine(blocks - 1);
      const before = Number((await chains.transaction(txHash))?.looked_at ?? 0);
      await until(async () => Number((await chains.transaction(txHash))?.looked_at) > before);
      expect((await chains.money(id)).finalBaseAmount).toBe("0");
      await chain.mine();
      await chains.paid(id, AMOUNT);
    } finally {
      await chains.stop();
    }
  });

  test("settles a high value only when it is final", async () => {
    const policy = { mode: "confirmations", confirmations: 1, highValueUnits: "1" };
    const chains = await startTestChains({ chain, environment: finality(chain, policy) });
    try {
      const value = 10n ** 18n;
      const recipientAddress = newWallet();
      const small = await chains.open({ recipientAddress });
      const large = await chains.open({ recipientAddress, baseAmount: `${value}` });
      await chain.payNative({ to: recipientAddress, value: AMOUNT });
      await chain.payNative({ to: recipientAddress, value });
      await chains.paid(small, AMOUNT);
      const seen = await chains.money(large, ({ seenBaseAmount }) => seenBaseAmount === `${value}`);
      expect(seen.finalBaseAmount).toBe("0");
      await chain.mine(4);
      await chains.paid(large, value);
    } finally {
      await chains.stop();
    }
  });
});
