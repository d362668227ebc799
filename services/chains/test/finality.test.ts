import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { transferData } from "@pay/embedded";
import { type TestChain, testChain, until } from "@pay/testing";
import { describeChains, SHOP, startTestChains, type TestChains } from "./chains.ts";

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
    await chains.decideByHashOnly(AMOUNT);
  });
  // Each account pays once: one test's dropped transactions are not another's nonces.
  beforeEach(() => {
    buyer = chain.accounts[++shopper] ?? "";
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  /** The service has looked at the transaction in its block and says nothing yet. */
  async function looked(id: string) {
    const before = await chains.candidate(id);
    await until(async () => {
      const row = await chains.candidate(id);
      return row.misses === 0 && Number(row.looked_at) > Number(before.looked_at);
    });
    expect(await chains.candidate(id)).toMatchObject({ state: "waiting" });
  }

  function getPublished(id: string) {
    return chains.seen.filter(({ observation }) => observation.subjectId === id);
  }

  async function reasonFor(id: string) {
    return (await chains.verdict(id)).observation.reason;
  }

  test("confirms at that depth and not before", async () => {
    const txHash = await chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const id = await chains.submit({ txHash });
    await looked(id);
    await chain.mine(CONFIRMATIONS - 2);
    await looked(id);
    expect(getPublished(id)).toEqual([]);
    await chain.mine();
    expect(await reasonFor(id)).toBe("");
  });

  test("that does not pay fails at that depth and not before", async () => {
    const txHash = await chain.payNative({ from: buyer, to: SHOP, value: AMOUNT - 1n });
    const id = await chains.submit({ txHash });
    await looked(id);
    expect(getPublished(id)).toEqual([]);
    await chain.mine(CONFIRMATIONS - 1);
    expect(await reasonFor(id)).toBe("underpaid");
  });

  test("mined in time and settled after the expiry confirms", async () => {
    const txHash = await chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const mined = await chain.blockTime(txHash);
    const created = new Date(mined.getTime() - 1_000);
    const id = await chains.submit({ txHash, created, expires: mined });
    await looked(id);
    await chain.mine(CONFIRMATIONS - 1);
    expect(await reasonFor(id)).toBe("");
  });

  test("that is in a block stays open, also when it is final long after the expiry", async () => {
    const txHash = await chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const id = await chains.submit({ txHash });
    await looked(id);
    const past = new Date(Date.now() - 48 * 3_600_000);
    await chains.pool.query("update candidates set give_up_at = $1, next_at = now()", [past]);
    await until(async () => {
      const row = await chains.candidate(id);
      return row.state === "waiting" && Number(row.next_at) > Date.now() + 300_000;
    });
    expect(getPublished(id)).toEqual([]);
    await chain.mine(CONFIRMATIONS - 1);
    await until(async () => {
      await chains.pool.query("update candidates set next_at = now()");
      return getPublished(id)[0];
    });
    expect(await reasonFor(id)).toBe("");
  });

  test("gets its verdict beside the next event of its payment without a deadlock", async () => {
    const txHash = await chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const id = await chains.submit({ txHash });
    await looked(id);
    // As a consumer does that takes an event: first the watch, then the candidate.
    const taking = await chains.pool.connect();
    try {
      await taking.query("begin");
      await taking.query("select from watches where payment_id = $1 for update", [id]);
      await chain.mine(CONFIRMATIONS - 1);
      await until(async () => (await waitingForLocks()) > 0, { what: "the verdict" });
      // Sooner than the server looks for two that wait for each other.
      await taking.query("set local lock_timeout = '500ms'");
      await taking.query("update candidates set misses = misses where subject_id = $1", [id]);
      await taking.query("commit");
    } finally {
      taking.release(true);
    }
    expect(await reasonFor(id)).toBe("");
  });

  async function waitingForLocks(): Promise<number> {
    const { rowCount } = await chains.pool.query(
      `select from pg_locks l join pg_stat_activity a using (pid)
       where not l.granted and a.datname = current_database()`,
    );
    return rowCount ?? 0;
  }

  test("that a reorganisation drops goes back to waiting, and confirms when it is mined again", async () => {
    const nonce = Number(await chain.call("eth_getTransactionCount", [buyer, "latest"]));
    const txHash = await chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const raw = await rawTransaction(txHash);
    const first = await chain.receipt(txHash);
    const id = await chains.submit({ txHash });
    await looked(id);
    await chain.reorg(1);
    expect(await chain.receipt(txHash)).toBeNull();
    await chains.missed(id);
    await chain.mine(CONFIRMATIONS);
    expect(getPublished(id)).toEqual([]);
    await chain.call("eth_sendRawTransaction", [raw]);
    await until(() => chain.receipt(txHash));
    await chain.mine(CONFIRMATIONS - 1);
    const { observation } = await chains.verdict(id);
    const second = await chain.receipt(txHash);
    expect(second?.blockHash).not.toBe(first?.blockHash);
    expect(observation).toMatchObject({
      reason: "",
      blockNumber: BigInt(second?.blockNumber ?? 0),
    });
    expect(nonce).toBe(0);
  });

  test("that a reorganisation drops for good never confirms", async () => {
    const txHash = await chain.payNative({ from: buyer, to: SHOP, value: AMOUNT });
    const id = await chains.submit({ txHash });
    await looked(id);
    await chain.reorg(1);
    await chain.mine(CONFIRMATIONS + 2);
    await chains.missed(id, 2);
    expect(await chains.candidate(id)).toMatchObject({ state: "waiting" });
    expect(getPublished(id)).toEqual([]);
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
    const first = await chain.submit({ ...slow, to: SHOP, value: AMOUNT });
    const id = await chains.submit({ txHash: first });
    await until(async () => (await chains.candidate(id)).sender === from.toLowerCase());
    const second = await chain.submit({ ...slow, gasPrice: 9_000_000_000n, ...other });
    await chain.mine();
    await chain.mineAtOnce(true);
    expect(await chain.receipt(first)).toBeNull();
    return { id, first, second };
  }

  test("by a faster one that pays the same is confirmed by that one", async () => {
    const { id, first, second } = await replace(chain.accounts[1] ?? "", {
      to: SHOP,
      value: AMOUNT,
    });
    await chain.mine();
    const { observation } = await chains.verdict(id);
    expect(observation).toMatchObject({ txHash: second, submittedTxHash: first, reason: "" });
    // Published again, it still names both.
    await chains.submit({ id, txHash: first, version: 9 });
    expect((await chains.verdict(id, 1)).observation).toEqual(observation);
  });

  test("by a cancellation is rejected as replaced, under the hash that was submitted", async () => {
    const from = chain.accounts[2] ?? "";
    const { id, first } = await replace(from, { to: from, value: 0n });
    const before = await chains.candidate(id);
    await until(
      async () => Number((await chains.candidate(id)).looked_at) > Number(before.looked_at),
    );
    expect(chains.seen.some(({ observation }) => observation.subjectId === id)).toBe(false);
    await chain.mine();
    expect((await chains.verdict(id)).observation).toMatchObject({
      txHash: first,
      reason: "replaced",
    });
  });

  test("by something else is rejected as replaced", async () => {
    const data = transferData(SHOP, 1n);
    const { id } = await replace(chain.accounts[3] ?? "", { to: token, value: 0n, data });
    await chain.mine();
    expect((await chains.verdict(id)).observation.reason).toBe("replaced");
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
      const txHash = await chain.payNative({ to: SHOP, value: AMOUNT });
      const id = await chains.submit({ txHash });
      await chain.mine(blocks - 1);
      const before = await chains.candidate(id);
      await until(
        async () => Number((await chains.candidate(id)).looked_at) > Number(before.looked_at),
      );
      expect(chains.seen).toEqual([]);
      await chain.mine();
      expect((await chains.verdict(id)).observation.reason).toBe("");
    } finally {
      await chains.stop();
    }
  });

  test("settles a high value only when it is final", async () => {
    const policy = { mode: "confirmations", confirmations: 1, highValueUnits: "1" };
    const chains = await startTestChains({ chain, environment: finality(chain, policy) });
    try {
      const value = 10n ** 18n;
      // Both are mined before a payment is open that they could be found for.
      const smallTxHash = await chain.payNative({ to: SHOP, value: AMOUNT });
      const txHash = await chain.payNative({ to: SHOP, value });
      const small = await chains.submit({ txHash: smallTxHash });
      const large = await chains.submit({ txHash, baseAmount: `${value}` });
      expect((await chains.verdict(small)).observation.reason).toBe("");
      function ofLarge() {
        return chains.seen.filter(({ observation }) => observation.subjectId === large);
      }

      expect(ofLarge()).toEqual([]);
      await chain.mine(4);
      expect((await chains.verdict(large)).observation.reason).toBe("");
    } finally {
      await chains.stop();
    }
  });
});
