import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import {
  describeChains,
  newWallet,
  SOON_UNANSWERED,
  startTestChains,
  type TestChains,
} from "./chains.ts";
import { calls, WALLET } from "./contracts.ts";

const AMOUNT = 1_000_000n;

describeChains("two providers and a high value", () => {
  let chain: TestChain;
  let first: FaultProxy;
  let second: FaultProxy;
  let chains: TestChains;
  const value = 10n ** 18n;
  beforeAll(async () => {
    chain = await testChain({ slotsInAnEpoch: 2 });
    [first, second] = [await chain.faultProxy(), await chain.faultProxy()];
  });
  beforeEach(async () => {
    const policy = { mode: "confirmations", confirmations: 1, highValueUnits: "1" };
    chains = await startTestChains({
      chain,
      providers: [first.url, second.url],
      bounds: SOON_UNANSWERED,
      environment: { CHAINS_FINALITY: JSON.stringify({ [chain.chainId]: policy }) },
    });
  });
  afterEach(async () => {
    first.heal();
    second.heal();
    await chains?.stop();
  });
  afterAll(() => chain?.stop());

  /** A final payment of that amount. */
  async function submit(amount: bigint) {
    const recipientAddress = newWallet();
    const txHash = await chain.payNative({ to: recipientAddress, value: amount });
    await chain.mine(4);
    const id = await chains.submit({ txHash, recipientAddress, baseAmount: `${amount}` });
    return { id, txHash };
  }

  function lookSoon(txHash: string) {
    return chains.pool.query(
      "update transactions set next_at = now() where tx_hash = $1 and state = 'waiting'",
      [txHash],
    );
  }

  /** Looked at now, until it is proven. */
  async function proven(id: string, txHash: string) {
    await until(async () => {
      await lookSoon(txHash);
      return (await chains.transaction(txHash))?.state === "proven";
    });
    await chains.paid(id, value);
  }

  /** Proven sums that were told. */
  function toldFinal(id: string) {
    return chains.told.filter(
      ({ money }) => money.paymentId === id && money.finalBaseAmount !== "0",
    );
  }

  test.each([
    ["first", 0, "hang-up"],
    ["second", 1, "hang-up"],
    ["second", 1, "stall"],
  ] as const)(
    "must agree about it: while the %s is silent (%s %s) it waits, and less than that does not",
    async (_, at, kind) => {
      const silent = [first, second][at] as FaultProxy;
      silent.fail({ kind });
      const large = await submit(value);
      await chains.missed(large.txHash);
      const small = await submit(AMOUNT);
      await chains.paid(small.id, AMOUNT);
      const misses = Number((await chains.transaction(large.txHash))?.misses);
      await lookSoon(large.txHash);
      await chains.missed(large.txHash, misses + 1);
      expect(toldFinal(large.id)).toEqual([]);
      silent.heal();
      await proven(large.id, large.txHash);
    },
  );

  test("is not settled where one of them reports too high a final block", async () => {
    function tooHigh(block: unknown, [at]: unknown[]) {
      return at === "finalized" ? { ...(block as object), number: "0xffffff" } : block;
    }

    first.fail({ kind: "change", change: tooHigh }, { methods: ["eth_getBlockByNumber"] });
    const recipientAddress = newWallet();
    const txHash = await chain.payNative({ to: recipientAddress, value });
    const id = await chains.submit({ txHash, recipientAddress, baseAmount: `${value}` });
    await until(async () => {
      const row = await chains.transaction(txHash);
      return Boolean(row?.waits_for) || row?.state === "proven";
    });
    expect(toldFinal(id)).toEqual([]);
    await chain.mine(4);
    await proven(id, txHash);
  });

  test("that only one of them shows, by a trace or by balances, waits for the other", async () => {
    const wallet = await chain.deploy(WALLET);
    await chain.payNative({ to: wallet, value });
    const methods = ["debug_traceTransaction", "eth_getBalance"];
    second.fail({ kind: "error", code: -32_601 }, { methods });
    const recipientAddress = newWallet();
    const data = calls([{ to: recipientAddress, value }]);
    const txHash = await chain.send({ to: wallet, data });
    await chain.mine(4);
    const id = await chains.submit({ txHash, recipientAddress, baseAmount: `${value}` });
    await chains.missed(txHash);
    expect(toldFinal(id)).toEqual([]);
    second.heal();
    await proven(id, txHash);
  });
});
