// A hash that was given up, and that the chain shows after all.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type FaultProxy, type TestChain, testChain, until } from "@pay/testing";
import { describeChains, startTestChains, type TestChains } from "./chains.ts";

const AMOUNT = 1_000_000n;
const MINUTE_MS = 60_000;
const recipientAddress = `0x${"7".repeat(40)}`;

describeChains("a hash that the only provider did not return in time", () => {
  let chain: TestChain;
  let provider: FaultProxy;
  let chains: TestChains;
  let aheadMs = 0;
  beforeAll(async () => {
    chain = await testChain();
    provider = await chain.faultProxy();
    chains = await startTestChains({
      chain,
      providers: [provider.url],
      clock: { now: () => new Date(Date.now() + aheadMs) },
    });
  });
  afterAll(async () => {
    await chains?.stop();
    await chain?.stop();
  });

  /** Its block is not there yet where the provider stands. */
  async function givenUp(payment: object = {}) {
    await chain.mine();
    provider.lag(1);
    const txHash = await chain.payNative({ to: recipientAddress, value: AMOUNT });
    const created = new Date(Date.now() - MINUTE_MS);
    const expires = new Date(Date.now() + 30 * MINUTE_MS);
    const id = await chains.submit({ recipientAddress, created, expires, txHash, ...payment });
    await chains.missed(id);
    aheadMs += 95 * MINUTE_MS;
    const soon = "update candidates set next_at = now() where subject_id = $1";
    await chains.pool.query(soon, [id]);
    await until(async () => (await chains.candidate(id)).state === "abandoned");
    aheadMs -= 95 * MINUTE_MS;
    return { id, txHash };
  }

  test("confirms its payment once the provider returns the block, beside one of equal amount", async () => {
    await chains.open({ recipientAddress });
    const { id, txHash } = await givenUp();
    expect(chains.seen).toEqual([]);
    provider.lag(0);
    const { type, observation } = await chains.verdict(id);
    expect(type).toBe("transfer.confirmed");
    expect(observation).toMatchObject({ txHash, submittedTxHash: txHash, found: false });
  });
});
