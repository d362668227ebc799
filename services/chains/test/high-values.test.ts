import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import {
  describeChains,
  SHOP,
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
  async function paid(amount: bigint) {
    const txHash = await chain.payNative({ to: SHOP, value: amount });
    await chain.mine(4);
    return chains.submit({ txHash, baseAmount: `${amount}` });
  }

  function soon(id: string) {
    return chains.pool.query("update candidates set next_at = now() where subject_id = $1", [id]);
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
      const large = await paid(value);
      await chains.missed(large);
      const small = await paid(AMOUNT);
      expect((await chains.verdict(small)).observation.reason).toBe("");
      const { misses } = await chains.candidate(large);
      await soon(large);
      await chains.missed(large, Number(misses) + 1);
      expect(chains.seen.map(({ observation }) => observation.subjectId)).toEqual([small]);
      silent.heal();
      const verdict = await until(async () => {
        await soon(large);
        return chains.seen.find(({ observation }) => observation.subjectId === large);
      });
      expect(verdict.observation.reason).toBe("");
    },
  );

  test("is not settled where one of them reports too high a final block", async () => {
    function tooHigh(block: unknown, [at]: unknown[]) {
      return at === "finalized" ? { ...(block as object), number: "0xffffff" } : block;
    }

    first.fail({ kind: "change", change: tooHigh }, { methods: ["eth_getBlockByNumber"] });
    const txHash = await chain.payNative({ to: SHOP, value });
    const id = await chains.submit({ txHash, baseAmount: `${value}` });
    await until(async () => {
      const { waits_for } = await chains.candidate(id);
      return waits_for !== null || chains.seen.length > 0;
    });
    expect(chains.seen).toEqual([]);
    await chain.mine(4);
    const verdict = await until(async () => {
      await soon(id);
      return chains.seen[0];
    });
    expect(verdict.observation.reason).toBe("");
  });

  test("that only one of them shows, by a trace or by balances, waits for the other", async () => {
    const wallet = await chain.deploy(WALLET);
    await chain.payNative({ to: wallet, value });
    const methods = ["debug_traceTransaction", "eth_getBalance"];
    second.fail({ kind: "error", code: -32_601 }, { methods });
    const txHash = await chain.send({ to: wallet, data: calls([{ to: SHOP, value }]) });
    await chain.mine(4);
    const id = await chains.submit({ txHash, baseAmount: `${value}` });
    await chains.missed(id);
    expect(chains.seen).toEqual([]);
    second.heal();
    await soon(id);
    expect((await chains.verdict(id)).observation.reason).toBe("");
  });
});
