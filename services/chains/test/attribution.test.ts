import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeChains, SHOP, startTestChains, type TestChains } from "./chains.ts";

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
});
